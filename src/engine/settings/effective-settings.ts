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
  'riskRewardRatio',
  'orderTypes',
  'orderTimeInForce',
] as const;

type Inherited = (typeof inherited)[number];

/** Of these null is a value: there is none. */
const mayBeNone: ReadonlySet<Inherited> = new Set<Inherited>(['trailingStopPositive', 'riskRewardRatio']);

/** Tables of which each entry is inherited by itself. */
const byEntry: ReadonlySet<Inherited> = new Set<Inherited>(['orderTypes', 'orderTimeInForce']);

/**
 * What a bot really trades with: its own value where it has one, else its strategy's. Undefined and null mean that it has
 * none, except for `trailingStopPositive` and `riskRewardRatio`, where null is a value: there is none.
 *
 * Shape: the settings that `strategy` names, in whatever form both keep them
 */
export function effectiveSettings<Values extends { readonly [Name in Inherited]?: unknown }>(
  own: { readonly [Name in keyof Values & Inherited]?: Values[Name] | null | undefined },
  strategy: Values,
): Pick<Values, keyof Values & Inherited> {
  // A loop, because a list of bots does this for thousands.
  const effective: Partial<Record<keyof Values & Inherited, unknown>> = {};
  for (const name of inherited) {
    if (!(name in strategy)) continue;
    const value: unknown = own[name as keyof Values & Inherited];
    const isOwn = value !== undefined && (value !== null || mayBeNone.has(name));
    effective[name as keyof Values & Inherited] = !isOwn
      ? strategy[name]
      : byEntry.has(name)
        ? { ...(strategy[name] as object), ...(value as object) }
        : value;
  }
  return effective as Pick<Values, keyof Values & Inherited>;
}
