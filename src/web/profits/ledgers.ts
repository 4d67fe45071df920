import type { CallReply } from '#contract/client.ts';

/** What was asked for, and the answer: a part for each mode and currency with a trade. */
export type Profits = CallReply<'profits'>;

/** The closed trades of one mode in one currency. */
export type Ledger = Profits['ledgers'][number];

/** A group of trades with what it came to. */
export type ProfitGroup = Ledger['groups'][number];

/** By what trades can be grouped, in the order in which they are offered. */
export const groupings = [
  { value: 'bot', label: 'Bot' },
  { value: 'pair', label: 'Pair' },
  { value: 'strategy', label: 'Strategy' },
  { value: 'version', label: 'Strategy Version' },
  { value: 'tag', label: 'Entry Tag' },
  { value: 'reason', label: 'Exit Reason' },
  { value: 'account', label: 'Account' },
  { value: 'day', label: 'Day' },
  { value: 'week', label: 'Week' },
  { value: 'month', label: 'Month' },
  { value: 'year', label: 'Year' },
] as const;

/** See `groupings`. */
export type Grouping = (typeof groupings)[number]['value'];

/** Whether groups are spans of time, which are read in their order. */
export function isOfTime(grouping: Grouping): boolean {
  return ['day', 'week', 'month', 'year'].includes(grouping);
}

/** The modes of the answer, the most real first; each once. */
export function modesOf(ledgers: readonly Ledger[]): Ledger['mode'][] {
  return [...new Set(ledgers.map(({ mode }) => mode))];
}

/** The part that is shown: of the chosen mode and currency where there is one, else the first of the mode, else the first. */
export function shownLedger(ledgers: readonly Ledger[], mode: string | null, currency: string | null): Ledger | null {
  const ofMode = ledgers.filter((ledger) => ledger.mode === mode);
  const offered = ofMode.length > 0 ? ofMode : ledgers.filter((ledger) => ledger.mode === ledgers[0]?.mode);
  return offered.find((ledger) => ledger.currency === currency) ?? offered[0] ?? null;
}
