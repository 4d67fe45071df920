import type { EntryFate } from '../backtest/replay-entry.ts';
import { plus, toDecimal, toNumber, zero } from '../market/decimal.ts';
import type { Direction } from '../market/direction.ts';
import type { HindsightAnswer } from './hindsight.ts';

/** Why a refused entry is not replayed at all. */
export type NotReplayed =
  | 'other-timeframe' // it was decided on candles of another length than the bot has now, or long after its candle
  | 'left-pair'; // the bot does not trade the pair any more

/** What a refused entry would have become; money in `currency`. */
export type ReplayedEntry = {
  candleTime: number;
  symbol: string;
  direction: Direction;
  currency: string; // of the price
} & (EntryFate | { outcome: 'not-made'; why: NotReplayed });

/** What replayed entries come to in one currency, each as a single trade; those that are open are part of it. */
export interface ReplaySum {
  currency: string;
  profit: number;
  won: number;
  lost: number;
  open: number;
  openProfit: number; // of those alone
}

/** Refused entries with what they would have become. */
export interface RefusedReplay {
  until: number; // end of the candles
  entries: ReplayedEntry[]; // in the order in which they were asked about
  sums: ReplaySum[];
}

/** The replay; or why there is none, or not yet, as with hindsight. */
export type ReplayAnswer = Exclude<HindsightAnswer, { state: 'done' }> | { state: 'done'; replay: RefusedReplay };

/** Adds up what was replayed, exactly, in the order in which currencies first appear. */
export function sumsOfReplay(entries: readonly { outcome: string; currency: string; profit?: number }[]): ReplaySum[] {
  const made = entries.flatMap(({ outcome, currency, profit }) => (profit === undefined ? [] : [{ outcome, currency, profit }]));
  return [...new Set(made.map(({ currency }) => currency))].map((currency) => {
    const all = made.filter((entry) => entry.currency === currency);
    const open = all.filter(({ outcome }) => outcome === 'open');
    return {
      currency,
      profit: exactSum(all),
      won: all.filter(({ profit }) => profit > 0).length,
      lost: all.filter(({ profit }) => profit < 0).length,
      open: open.length,
      openProfit: exactSum(open),
    };
  });
}

function exactSum(entries: readonly { profit: number }[]): number {
  return toNumber(entries.reduce((sum, { profit }) => plus(sum, toDecimal(profit)), zero));
}
