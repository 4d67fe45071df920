import type { AccountView } from './account-view.ts';
import type { FundingEvents } from '../account/funding.ts';
import type { TradingSettings } from '../settings/trading-settings.ts';
import type { CandleColumns } from '../market/candle.ts';
import type { Instrument } from '../market/instrument.ts';
import { openTimeBefore } from '../market/timeframe.ts';
import type { QuirkName } from '../risk/quirks.ts';
import type { StrategyCallbacks } from '../strategy/callbacks.ts';
import { firstNonFlag } from '../strategy/first-non-flag.ts';
import type { Signals } from '../strategy/strategy.ts';

/** One pair of a backtest. */
export interface BacktestPair {
  instrument: Instrument;
  candles: CandleColumns; // warm-up included, without gaps (see `fillGaps`)
  signals: Pick<Signals, 'enterLong' | 'exitLong' | 'enterShort' | 'exitShort' | 'tags' | 'enterTag' | 'exitTag'>;
  detail?: CandleColumns | null; // smaller candles that replay the inside of the others
  funding?: FundingEvents | null; // futures only
}

/** What a backtest is made of. Pairs are in the order in which they get free slots. */
export interface BacktestInput {
  settings: TradingSettings;
  timeframeMs: number;
  detailTimeframeMs?: number | null; // with detail candles
  pairs: readonly BacktestPair[];
  range?: { from: number; to: number } | null; // opening times, both included; null is everything
  startupCandles: number; // dropped at the beginning of each pair
  callbacks?: StrategyCallbacks;
  quirksOff?: readonly QuirkName[]; // none is parity
  fundingTimeframeMs?: number; // an hour unless given
  mostRefusedListed?: number; // how many refused signals are listed one by one; none unless given
  onProgress?: (fractionDone: number) => void;
  watch?: (account: AccountView) => void; // called once, before the first candle
}

/**
 * Throws a RangeError that names symbol and candle when candles or funding cannot be trusted: unsorted, doubled or missing candles, numbers
 * that are none, short columns.
 */
export function checkCandlesOf(
  input: Pick<BacktestInput, 'timeframeMs' | 'detailTimeframeMs' | 'startupCandles' | 'range' | 'pairs'>,
): void {
  if (!(input.timeframeMs > 0))
    throw new RangeError(`The timeframe must be a positive number of milliseconds, and was ${input.timeframeMs}.`);
  if (!Number.isInteger(input.startupCandles) || input.startupCandles < 0)
    throw new RangeError(`The warm-up must be a whole number of candles, and was ${input.startupCandles}.`);
  const { from, to } = input.range ?? { from: -Infinity, to: Infinity };
  if (Number.isNaN(from) || Number.isNaN(to)) throw new RangeError(`The range must be two times, and was ${from} to ${to}.`);
  if (input.pairs.length === 0) throw new RangeError('A backtest needs at least one pair.');
  const symbols = new Set<string>();
  for (const pair of input.pairs) {
    const { symbol } = pair.instrument;
    if (symbols.has(symbol)) throw new RangeError(`The pair ${symbol} is given twice.`);
    symbols.add(symbol);
    checkCandles(symbol, pair.candles, input.timeframeMs, 'candle');
    if (pair.funding !== undefined && pair.funding !== null) checkFunding(symbol, pair.funding);
    if (pair.detail === undefined || pair.detail === null) continue;
    const detailMs = input.detailTimeframeMs ?? 0;
    if (!(detailMs > 0) || input.timeframeMs % detailMs !== 0 || detailMs >= input.timeframeMs) {
      throw new RangeError(`${symbol}: the detail timeframe (${detailMs} ms) must divide the timeframe (${input.timeframeMs} ms).`);
    }
    checkCandles(symbol, pair.detail, detailMs, 'detail candle');
  }
}

/** Throws a RangeError that names symbol and candle when signals cannot be trusted: short columns, flags other than 0 and 1. */
export function checkSignalsOf(pairs: readonly BacktestPair[]): void {
  for (const { instrument, signals, candles } of pairs) checkSignals(instrument.symbol, signals, candles.openTime.length);
}

function checkFunding(symbol: string, { time, rate, mark }: FundingEvents): void {
  if (rate.length !== time.length || mark.length !== time.length)
    throw new RangeError(`${symbol}: there are ${time.length} funding times, ${rate.length} rates and ${mark.length} mark prices.`);
  for (let i = 0; i < time.length; i++) {
    if (i > 0 && !(time[i] > time[i - 1]))
      throw new RangeError(`${symbol}: the funding of ${time[i]} does not come after the one before it.`);
    if (!Number.isFinite(rate[i]) || !Number.isFinite(mark[i]))
      throw new RangeError(`${symbol}: the funding of ${time[i]} has the rate ${rate[i]} and the mark price ${mark[i]}.`);
  }
}

function checkCandles(symbol: string, candles: CandleColumns, stepMs: number, noun: string): void {
  const { openTime, open, high, low, close, volume } = candles;
  const count = openTime.length;
  for (const [name, column] of Object.entries(candles) as [string, Float64Array][]) {
    if (column.length !== count) throw new RangeError(`${symbol}: the column ${name} has ${column.length} values for ${count} candles.`);
  }
  if (count > 0 && openTimeBefore(stepMs, openTime[0]) !== openTime[0]) throw candleError(symbol, candles, 0, noun, stepMs);
  for (let i = 0; i < count; i++) {
    // One comparison chain per candle: every NaN makes it false.
    const isSound =
      low[i] > 0 &&
      low[i] <= open[i] &&
      low[i] <= close[i] &&
      open[i] <= high[i] &&
      close[i] <= high[i] &&
      high[i] < Infinity &&
      volume[i] >= 0 &&
      volume[i] < Infinity &&
      (i === 0 || openTime[i] - openTime[i - 1] === stepMs);
    if (!isSound) throw candleError(symbol, candles, i, noun, stepMs);
  }
}

function candleError(symbol: string, candles: CandleColumns, i: number, noun: string, stepMs: number): RangeError {
  const { openTime, open, high, low, close, volume } = candles;
  const values = `open ${open[i]}, high ${high[i]}, low ${low[i]}, close ${close[i]}, volume ${volume[i]}`;
  if (!(openTimeBefore(stepMs, openTime[i]) === openTime[i])) {
    return new RangeError(`${symbol}: ${noun} ${i} opens at ${openTime[i]}, which is not a boundary of ${stepMs} ms.`);
  }
  if (i > 0 && openTime[i] - openTime[i - 1] !== stepMs) return orderError(symbol, openTime, i, noun, stepMs);
  return new RangeError(
    `${symbol}: ${noun} ${i} (opened ${openTime[i]}) is not believable: prices must be positive, low the lowest and high the highest, but it has ${values}.`,
  );
}

function orderError(symbol: string, openTime: Float64Array, i: number, noun: string, stepMs: number): RangeError {
  const where = `${symbol}: ${noun} ${i} (opened ${openTime[i]})`;
  if (openTime[i] === openTime[i - 1]) return new RangeError(`${where} has the time of the one before it.`);
  if (openTime[i] < openTime[i - 1]) return new RangeError(`${where} is older than the one before it.`);
  return new RangeError(
    `${where} comes ${openTime[i] - openTime[i - 1]} ms after the one before it in place of ${stepMs}: fill the gap first.`,
  );
}

function checkSignals(symbol: string, signals: BacktestPair['signals'], count: number): void {
  for (const name of ['enterLong', 'exitLong', 'enterShort', 'exitShort'] as const) {
    const column = signals[name];
    if (column.length !== count) throw new RangeError(`${symbol}: the signal ${name} has ${column.length} rows for ${count} candles.`);
    const wrong = firstNonFlag(column);
    if (wrong !== -1) throw new RangeError(`${symbol}: the signal ${name} of candle ${wrong} is ${column[wrong]} and not 0 or 1.`);
  }
  for (const name of ['enterTag', 'exitTag'] as const) {
    const column = signals[name];
    if (column === null) continue;
    if (column.length !== count) throw new RangeError(`${symbol}: the column ${name} has ${column.length} rows for ${count} candles.`);
    for (let i = 0; i < count; i++) {
      if (!(column[i] <= signals.tags.length))
        throw new RangeError(`${symbol}: the ${name} of candle ${i} is ${column[i]}, and there are ${signals.tags.length} tags.`);
    }
  }
}
