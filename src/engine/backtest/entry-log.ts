import type { EntryGate, SizeFacts } from '../risk/gate.ts';

/** Why a signal of a backtest did not become an entry: the gates of a bot, and those only a run over history has. */
export type BacktestGate =
  | EntryGate
  | 'conflicting-signals' // entries in both directions, or an entry and its exit on one candle
  | 'short-not-allowed' // a short signal where only long trades are possible
  | 'end-of-run'; // no candle was left to trade on

/** The signals that one gate refused. */
export interface RefusedEntries {
  gate: BacktestGate;
  count: number;
  first: { time: number; symbol: string; facts: SizeFacts | null }; // when the first of them was refused
}

/** One signal that was refused. */
export interface RefusedSignal {
  time: number; // when it was refused, ms
  symbol: string;
  gate: BacktestGate;
}

/**
 * What became of every candle with a signal to enter: `signals` is `entered` and all refused ones together. Candles of
 * the warm-up do not count.
 */
export interface EntryCounts {
  signals: number;
  entered: number; // an entry order was placed
  unfilled: number; // entry orders of new trades that never filled
  refused: RefusedEntries[]; // the most frequent gate first
  listed: RefusedSignal[]; // the first of them one by one, by time, where the run was to list them
  stopped: { time: number; gate: BacktestGate; symbol: string; facts: SizeFacts } | null; // entries ended for good, with no trade left to bring money back
}

/** What a run notes about entries. Plain counting: the loop pays nothing on candles without a signal. */
export interface EntryLog {
  signals: number;
  entered: number;
  refused: Map<BacktestGate, RefusedEntries>;
  listed: RefusedSignal[];
  mostListed: number;
  stopped: EntryCounts['stopped'];
}

/** A log in which nothing has happened. */
export function newEntryLog(mostListed = 0): EntryLog {
  return { signals: 0, entered: 0, refused: new Map(), listed: [], mostListed, stopped: null };
}
