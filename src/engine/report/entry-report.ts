import type { BacktestResult } from '../backtest/backtest-result.ts';
import type { BacktestGate, RefusedEntries } from '../backtest/entry-log.ts';
import type { SizeFacts } from '../risk/gate.ts';

/** What became of the signals of a backtest, in words. */
export interface EntryReport {
  signals: number;
  entered: number;
  unfilled: number;
  refused: { gate: BacktestGate; name: string; count: number; reason: string }[];
  noTrades: string | null; // why there is not one trade; null where there are some
  stopped: string | null; // when and why entries ended for good
}

/** The names of the gates, as a heading of their counts. */
const names: Record<BacktestGate, string> = {
  'has-open-trade': 'A trade was open',
  'expired-signal': 'Signal too old',
  locked: 'Pair locked',
  'slots-full': 'No free slot',
  'no-price': 'No price',
  'insufficient-balance': 'Balance too small',
  'stake-too-large': 'Stake above the maximum',
  'stake-too-small': 'Stake below the minimum',
  'amount-too-small': 'Amount too small',
  'refused-by-strategy': 'Refused by the strategy',
  'conflicting-signals': 'Conflicting signals',
  'short-not-allowed': 'Short signals, long only',
  'end-of-run': 'End of the run',
};

/** The name of a gate, as a heading. */
export function gateName(gate: BacktestGate): string {
  return names[gate];
}

/** The report of a run's entries. `currency` is that of the stake. */
export function entryReport({ entries, trades, unclosedTrades }: BacktestResult, currency: string): EntryReport {
  const { signals, entered, unfilled, stopped } = entries;
  const refused = entries.refused.map((one) => ({
    gate: one.gate,
    name: names[one.gate],
    count: one.count,
    reason: reasonOf(one.gate, one.first.facts, currency),
  }));
  return {
    signals,
    entered,
    unfilled,
    refused,
    noTrades: trades.length > 0 ? null : noTradesText(signals, unfilled, unclosedTrades.length, refused),
    stopped: stopped === null ? null : `Stopped trading on ${dayOf(stopped.time)}: ${reasonOf(stopped.gate, stopped.facts, currency)}.`,
  };
}

function noTradesText(signals: number, unfilled: number, unclosed: number, refused: EntryReport['refused']): string {
  if (signals === 0) return 'No trades: the strategy gave no signal to enter.';
  const gave = `No trades: ${counted(signals, 'signal')}`;
  const [only, ...others] = refused;
  const opened = unfilled + unclosed;
  if (opened === 0 && only !== undefined && others.length === 0) return `${gave}, ${signals === 1 ? '' : 'all '}refused: ${only.reason}.`;
  const fates = [
    ...(unfilled > 0 ? [`${counted(unfilled, 'entry order')} never filled`] : []),
    ...(unclosed > 0 ? [`${counted(unclosed, 'trade')} still open at the end`] : []),
    ...refused.map(({ count, reason }) => `${count} refused: ${reason}`),
  ];
  return `${gave}. ${fates.map((fate) => `${fate}.`).join(' ')}`;
}

/** Why a gate refused, with the figures of the first time. */
function reasonOf(gate: RefusedEntries['gate'], facts: SizeFacts | null, currency: string): string {
  const money = (amount: number): string => `${amountText(amount)} ${currency}`;
  switch (gate) {
    case 'has-open-trade':
      return 'a trade of the pair was open already';
    case 'expired-signal':
      return 'the signal was too old to trade on';
    case 'locked':
      return 'the pair was locked by a protection';
    case 'slots-full':
      return 'all slots were in use';
    case 'no-price':
      return 'there was no price to trade at';
    case 'refused-by-strategy':
      return 'the strategy itself refused the entry';
    case 'conflicting-signals':
      return 'the candle had contradicting signals';
    case 'short-not-allowed':
      return 'a short signal, and this run trades long only';
    case 'end-of-run':
      return 'no candle was left to trade on';
    case 'insufficient-balance':
      if (facts === null) return 'the balance was too small';
      return facts.limit === null
        ? `the balance of ${money(facts.available)} is below the stake of ${money(facts.stake)}`
        : `the balance of ${money(facts.available)} is below the minimum stake of ${money(facts.limit)}`;
    case 'stake-too-small':
      if (facts === null || facts.limit === null) return "the stake is below the market's minimum";
      return `the stake of ${money(facts.stake)} is below the market's minimum of ${money(facts.limit)} (with the reserve for the stop)`;
    case 'stake-too-large':
      if (facts === null) return "the stake is above the market's maximum";
      return facts.limit === null
        ? `the stake of ${money(facts.stake)} fits no leverage tier of the market`
        : `the market's minimum stake is above its maximum of ${money(facts.limit)}`;
    case 'amount-too-small':
      return facts === null
        ? 'the stake buys less than one step of the amount'
        : `the stake of ${money(facts.stake)} buys less than one step of the amount`;
  }
}

/** Two decimals; more for a small amount, so that it is never shown as nothing. */
function amountText(amount: number): string {
  const size = Math.abs(amount);
  return size === 0 || size >= 0.01 ? amount.toFixed(2) : amount.toFixed(Math.min(12, 1 - Math.floor(Math.log10(size))));
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The day of a moment, UTC: '2025-05-04'. */
function dayOf(time: number): string {
  const date = new Date(time);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getUTCFullYear()}-${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())}`;
}
