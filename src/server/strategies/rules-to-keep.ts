import { createHash, randomUUID } from 'node:crypto';
import { trailingContradiction } from '#contract/own-settings.ts';
import { faultyRules } from '#contract/rule-strategies.ts';
import { strategyTimeframes } from '#contract/strategy-timeframes.ts';
import { compileRules } from '#engine/rules/compile-rules.ts';
import type { RulesDocument } from '#engine/rules/document.ts';
import { faultsOf } from '#engine/rules/faults.ts';
import type { StrategyDefaults } from '#engine/strategy/strategy.ts';
import type { StrategyToEnter } from '#storage/strategies/strategies.ts';
import type { StrategySettings } from '#storage/strategies/strategy-settings.ts';
import type { StrategyDescription } from '#strategy-process/wire/questions.ts';
import { HttpError } from '../http/http-error.ts';

/** Strategies of rules follow those of files. */
const rulesPosition = 2_000;

/** What a document says of itself, as a file says it. */
export type RulesDescription = Omit<StrategyDescription, 'exportName'>;

/** Fails with 400 for a document that nothing could run, or whose settings a strategy cannot have. */
export function refuseFaults(document: RulesDocument): void {
  if (faultsOf(document).length > 0) throw new HttpError(400, faultyRules);
  const { defaults } = document;
  if (!strategyTimeframes.some((timeframe) => timeframe === defaults.timeframe)) throw new HttpError(400, 'Invalid timeframe');
  const contradiction = trailingContradiction({
    trailing_stop: defaults.trailingStop,
    trailing_stop_positive: defaults.trailingStopPositive ?? 0,
    trailing_stop_positive_offset: defaults.trailingStopPositiveOffset,
    trailing_only_offset_is_reached: defaults.trailingOnlyOffsetIsReached,
  });
  if (contradiction !== null) throw new HttpError(400, contradiction);
}

/** What distinguishes documents: the same for the same. */
export function hashOfRules(document: RulesDocument): string {
  return createHash('sha256').update(canonical(document)).digest('hex');
}

/** What is kept of a document without faults as a version of a strategy. */
export function codeOfRules(
  document: RulesDocument,
  className: string,
): { hash: string; document: RulesDocument; description: RulesDescription } {
  const {
    title,
    description,
    losesWhen,
    kind,
    canShort,
    startupCandles,
    defaults,
    parameters,
    callbacks = {},
    series = [],
  } = compileRules(document, { name: className });
  return {
    hash: hashOfRules(document),
    document,
    description: {
      name: className,
      title,
      description,
      losesWhen,
      kind,
      canShort,
      startupCandles,
      defaults,
      parameters,
      callbacks: callbacks.adjustPosition === undefined ? [] : ['adjustPosition'],
      stopAfterFill: false,
      series,
    },
  };
}

/** A strategy of rules as it is entered. Its class name is for programs; nobody is shown it. */
export function rulesToEnter(document: RulesDocument, exchanges: readonly string[]): StrategyToEnter {
  return {
    className: `Rules_${randomUUID()}`,
    ...namesOf(document),
    supportedExchanges: [...exchanges],
    ...suggested(document.defaults),
    position: rulesPosition,
  };
}

/** What a document calls its strategy. */
export function namesOf({ title, description }: RulesDocument): Pick<StrategySettings, 'name' | 'description'> {
  return { name: title.trim(), description };
}

/** The settings of a strategy once it follows a document. */
export function followed(before: StrategySettings, document: RulesDocument): StrategySettings {
  const { stoploss, trailingStopPositive: positive, trailingStopPositiveOffset: offset, ...others } = suggested(document.defaults);
  return {
    ...before,
    ...namesOf(document),
    ...others,
    stoploss: String(stoploss),
    trailingStopPositive: positive === null ? null : String(positive),
    trailingStopPositiveOffset: offset === null ? null : String(offset),
  };
}

/** Whether settings are still those that a document suggests: nobody has set others. */
export function isAsSuggested(settings: StrategySettings, defaults: StrategyDefaults): boolean {
  const { stoploss, trailingStopPositive, trailingStopPositiveOffset, minimalRoi } = settings;
  const now = {
    defaultTimeframe: settings.defaultTimeframe,
    stoploss: Number(stoploss),
    trailingStop: settings.trailingStop,
    trailingStopPositive: trailingStopPositive === null ? null : Number(trailingStopPositive),
    trailingStopPositiveOffset: Number(trailingStopPositiveOffset ?? 0),
    trailingOnlyOffsetIsReached: settings.trailingOnlyOffsetIsReached,
    minimalRoi,
  };
  return canonical(now) === canonical(suggested(defaults));
}

type Suggested = Omit<StrategyToEnter, 'className' | 'name' | 'description' | 'supportedExchanges' | 'position'>;

function suggested({ timeframe, minimalRoi, ...defaults }: StrategyDefaults): Suggested {
  const { stoploss, trailingStop, trailingStopPositive, trailingStopPositiveOffset, trailingOnlyOffsetIsReached } = defaults;
  return {
    defaultTimeframe: timeframe,
    stoploss,
    trailingStop,
    trailingStopPositive,
    trailingStopPositiveOffset,
    trailingOnlyOffsetIsReached,
    minimalRoi: Object.fromEntries(Object.entries(minimalRoi)),
  };
}

/** The same text for the same data, in whatever sequence its fields stand: the database keeps them in another one. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
