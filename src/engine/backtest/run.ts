import type { FundingEvents } from '../account/funding.ts';
import type { Trade } from '../account/trade.ts';
import type { Wallet } from '../account/wallet.ts';
import { walletOf } from '../account/wallet.ts';
import type { CandleColumns } from '../market/candle.ts';
import type { Direction } from '../market/direction.ts';
import type { Instrument } from '../market/instrument.ts';
import type { ObservedTicks } from '../market/observed-tick.ts';
import type { PriceBar } from '../market/price-bar.ts';
import type { ExitRules } from '../risk/exits.ts';
import type { Lock } from '../risk/locks.ts';
import type { SizeFacts } from '../risk/gate.ts';
import type { BacktestGate, EntryLog } from './entry-log.ts';
import type { BacktestPair } from './input.ts';

/** Everything a running backtest knows. */
export interface Run {
  rules: ExitRules;
  timeframeMs: number;
  fundingTimeframeMs: number;
  pairs: RunPair[];
  pairOf: Map<string, RunPair>;
  feeRatio: number; // one for all pairs and both roles
  endTime: number;

  open: Held[]; // in opening order
  openTrades: Trade[]; // the trades of `open`
  closed: Trade[]; // in closing order
  closedProfit: number;
  notedFree: number; // free money when it was last counted (see `noteWallet`)
  locks: Lock[];
  counters: Counters;
  entries: EntryLog;
  nextTradeId: number;
  nextOrderId: number;
}

/** What a backtest counts besides trades. */
export interface Counters {
  rejectedSignals: number;
  timedOutEntryOrders: number;
  timedOutExitOrders: number;
  cancelledTradeEntries: number;
  cancelledEntryOrders: number;
  replacedEntryOrders: number;
}

/** One pair within a run. Row `i` has the prices of candle `i` and the signals of candle `i - 1`. */
export interface RunPair {
  instrument: Instrument;
  candles: CandleColumns;
  signals: BacktestPair['signals'];
  firstRow: number; // the first row that can be acted on
  lastRow: number;
  rowShift: number; // row = step - rowShift
  ticks: ObservedTicks;
  funding: FundingEvents | null;
  detail: CandleColumns | null;
  held: Held[]; // open trades of the pair, in opening order
  fate: BacktestGate | 'entered' | null; // of the signal that is looked at
  facts: SizeFacts | null; // what stood against it
}

/** An open trade with what lets the loop pass over candles on which nothing can happen to it. */
export interface Held {
  trade: Trade;
  pair: RunPair;
  isWatched: boolean; // an order waits or a callback wants to be asked: every candle counts
  quietRate: number; // no rule acts while the best price stays behind this
  quietUntil: number; // ms; from then on the ROI table may say something else
  trailedRate: number; // the best price that has already moved the stop; 0 when none has
}

/** One row as the rules see it: prices now, signals of the candle before. Reused from row to row. */
export interface Row extends PriceBar {
  stepTime: number; // ms; the time of the row, except for a detail candle that was moved (detailCandlesTakenByNumber)
  direction: Direction | null; // to enter
  enterLong: boolean;
  exitLong: boolean;
  enterShort: boolean;
  exitShort: boolean;
  enterTag: string | null;
  exitTag: string | null;
}

/** The wallet now. replacedEntryKeepsFreeMoney: free money is as it was last counted. */
export function walletNow(run: Run): Wallet {
  const { settings, quirks } = run.rules;
  return walletOf(settings, run.closedProfit, run.openTrades, quirks.replacedEntryKeepsFreeMoney ? run.notedFree : null);
}

/** Counts the free money: after a first or further entry is placed or filled, after an exit, after a trade is removed. */
export function noteWallet(run: Run): void {
  run.notedFree = walletOf(run.rules.settings, run.closedProfit, run.openTrades).free;
}

/** The tick of a pair's prices at `time`. priceTickReadFromCandles: read off the candles, in place of the instrument's. */
export function priceTickAt(run: Run, pair: RunPair, time: number): number {
  return run.rules.quirks.priceTickReadFromCandles ? (pair.ticks.at(time) ?? pair.instrument.priceTick) : pair.instrument.priceTick;
}

/** tradeKeepsEntryTick off: the prices of a trade have the tick of the moment, not that of its entry. */
export function followTick(run: Run, held: Held, time: number): void {
  if (run.rules.quirks.tradeKeepsEntryTick) return;
  const tick = priceTickAt(run, held.pair, time);
  if (tick === held.trade.priceTick) return;
  held.trade.priceTick = tick;
  // What has moved the stop on the old tick may move it further on the new one.
  held.trailedRate = 0;
}

/** Adds an open trade. */
export function addHeld(run: Run, held: Held): void {
  run.open.push(held);
  run.openTrades.push(held.trade);
  held.pair.held.push(held);
}

/** Takes a trade out of the open ones. */
export function removeHeld(run: Run, held: Held): void {
  const at = run.open.indexOf(held);
  takeOut(run.open, at);
  takeOut(run.openTrades, at);
  takeOut(held.pair.held, held.pair.held.indexOf(held));
}

/** A list of one is by far the most frequent. */
function takeOut(list: unknown[], at: number): void {
  if (at === list.length - 1) list.pop();
  else list.splice(at, 1);
}
