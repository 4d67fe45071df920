import type { FundingEvents } from '../account/funding.ts';
import type { CandleColumns } from '../market/candle.ts';
import { sliceColumns } from '../market/candle.ts';
import type { Direction } from '../market/direction.ts';
import { firstAtOrAfter } from '../market/first-at-or-after.ts';
import type { Instrument } from '../market/instrument.ts';
import type { TradingSettings } from '../settings/trading-settings.ts';
import type { StrategyCallbacks } from '../strategy/callbacks.ts';
import type { Signals } from '../strategy/strategy.ts';
import { backtest } from './backtest.ts';
import type { BacktestGate } from './entry-log.ts';

/** A pair whose candles a strategy was computed on. */
export interface ReplayedPair {
  instrument: Instrument;
  candles: CandleColumns; // without gaps
  signals: Signals;
  funding: FundingEvents | null; // of perpetuals
}

/** How entries are replayed. */
export interface ReplayTerms {
  settings: TradingSettings;
  timeframeMs: number;
  startupCandles: number;
  callbacks: StrategyCallbacks;
}

/** A signal to enter that came of a candle. */
export interface SignalToEnter {
  candleTime: number; // its opening
  direction: Direction;
  tag: string | null;
}

/** What an entry would have become. Profit after fees and funding, in quote currency. */
export type EntryFate =
  | { outcome: 'closed'; profit: number; closeTime: number; exitReason: string }
  | { outcome: 'open'; profit: number } // at the opening price of the newest candle
  | { outcome: 'not-made'; why: BacktestGate | 'unfilled' | 'no-candle' };

/**
 * Makes one entry on history and lets the rules of a backtest manage it until the candles end. It is the only trade: the capital is
 * that of the settings, and no other entry is made before or after it.
 *
 * Fails: as `backtest`
 */
export function replayEntry(pair: ReplayedPair, terms: ReplayTerms, entry: SignalToEnter): EntryFate {
  const { openTime } = pair.candles;
  const at = firstAtOrAfter(openTime, entry.candleTime);
  if (openTime[at] !== entry.candleTime) return { outcome: 'not-made', why: 'no-candle' };
  if (at === openTime.length - 1) return { outcome: 'not-made', why: 'end-of-run' };
  const startupCandles = Math.min(at, terms.startupCandles);
  const from = at - startupCandles;
  const result = backtest({
    ...terms,
    startupCandles,
    pairs: [
      {
        instrument: pair.instrument,
        candles: sliceColumns(pair.candles, from, openTime.length),
        signals: onlyEntry(pair.signals, from, startupCandles, entry),
        funding: pair.funding,
      },
    ],
    quirksOff: ['forcedExitMayNotFill'], // one that is still open is always valued
  });
  const trade = result.trades[0];
  if (trade === undefined) {
    const refusal = result.entries.refused.find(({ first }) => first.time === entry.candleTime + terms.timeframeMs);
    return { outcome: 'not-made', why: refusal?.gate ?? 'unfilled' };
  }
  const { profit, closeTime, exitReason } = trade;
  if (exitReason === 'force_exit') return { outcome: 'open', profit: profit ?? 0 };
  return { outcome: 'closed', profit: profit ?? 0, closeTime: closeTime ?? result.endTime, exitReason: exitReason ?? '' };
}

/**
 * The signals from row `from` on, with this entry on row `at` of them and no other. A later flag to enter stays where it comes with
 * its exit: together they enter nothing and hold the exit back.
 */
function onlyEntry(signals: Signals, from: number, at: number, { direction, tag }: SignalToEnter) {
  const exitLong = signals.exitLong.slice(from);
  const exitShort = signals.exitShort.slice(from);
  const enterLong = signals.enterLong.slice(from).map((flag, row) => flag & (exitLong[row] ?? 0));
  const enterShort = signals.enterShort.slice(from).map((flag, row) => flag & (exitShort[row] ?? 0));
  enterLong[at] = direction === 'long' ? 1 : 0;
  enterShort[at] = direction === 'short' ? 1 : 0;
  exitLong[at] = 0;
  exitShort[at] = 0;
  const enterTag = new Uint16Array(enterLong.length);
  const tags = tag === null ? signals.tags : [...signals.tags, tag];
  if (tag !== null) enterTag[at] = tags.length;
  return { enterLong, exitLong, enterShort, exitShort, tags, enterTag, exitTag: signals.exitTag?.slice(from) ?? null };
}
