/** What a bot may set itself; the rest of its trading is its strategy's or the bot's alone. */
const inherited = [
  'timeframe',
  'stoploss',
  'minimalRoi',
  'trailingStop',
  'trailingStopPositive',
  'trailingStopPositiveOffset',
  'trailingOnlyOffsetIsReached',
  'maxConsecutiveLosses',
] as const;

type Inherited = (typeof inherited)[number];

/**
 * What a bot really trades with: its own value where it has one, else its strategy's. Undefined and null mean that it has
 * none, except for `trailingStopPositive`, where null is a value: there is no second distance.
 *
 * Shape: the settings that `strategy` names, in whatever form both keep them
 */
export function effectiveSettings<Values extends { readonly [Name in Inherited]?: unknown }>(
  own: { readonly [Name in keyof Values & Inherited]?: Values[Name] | null | undefined },
  strategy: Values,
): Pick<Values, keyof Values & Inherited> {
  const isOwn = (name: Inherited, value: unknown): boolean => value !== undefined && (value !== null || name === 'trailingStopPositive');
  const names = inherited.filter((name) => name in strategy) as (keyof Values & Inherited)[];
  return Object.fromEntries(names.map((name) => [name, isOwn(name, own[name]) ? own[name] : strategy[name]])) as Pick<
    Values,
    keyof Values & Inherited
  >;
}
