/**
 * One candle: what a symbol's price did during one timeframe.
 *
 * Unit: prices in quote currency, volume in base currency, `openTime` in ms since the epoch, UTC
 */
export interface Candle {
  openTime: number; // the candle is named by its opening time, e.g. 1743727500000
  open: number;
  high: number;
  low: number;
  close: number;
  volume: number;
}

/** What a candle was like when a bot decided on it, as it is kept with the decision. */
export type SeenCandle = readonly [open: number, high: number, low: number, close: number, volume: number];

/**
 * Many candles of one symbol and timeframe, column by column, oldest first.
 *
 * Shape: six arrays of the same length
 * Unit:  as `Candle`
 */
export interface CandleColumns {
  openTime: Float64Array;
  open: Float64Array;
  high: Float64Array;
  low: Float64Array;
  close: Float64Array;
  volume: Float64Array;
}

/** Empty columns for `length` candles. */
export function candleColumns(length: number): CandleColumns {
  return {
    openTime: new Float64Array(length),
    open: new Float64Array(length),
    high: new Float64Array(length),
    low: new Float64Array(length),
    close: new Float64Array(length),
    volume: new Float64Array(length),
  };
}

/** The columns of the given candles, in the given order. */
export function toColumns(candles: readonly Candle[]): CandleColumns {
  const columns = candleColumns(candles.length);
  candles.forEach((candle, i) => {
    columns.openTime[i] = candle.openTime;
    columns.open[i] = candle.open;
    columns.high[i] = candle.high;
    columns.low[i] = candle.low;
    columns.close[i] = candle.close;
    columns.volume[i] = candle.volume;
  });
  return columns;
}

/** Candle number `i` of the columns. */
export function candleAt(columns: CandleColumns, i: number): Candle {
  return {
    openTime: columns.openTime[i],
    open: columns.open[i],
    high: columns.high[i],
    low: columns.low[i],
    close: columns.close[i],
    volume: columns.volume[i],
  };
}

/** A view of candles `from` (inclusive) to `to` (exclusive); it shares memory with the columns. */
export function sliceColumns(columns: CandleColumns, from: number, to: number): CandleColumns {
  return {
    openTime: columns.openTime.subarray(from, to),
    open: columns.open.subarray(from, to),
    high: columns.high.subarray(from, to),
    low: columns.low.subarray(from, to),
    close: columns.close.subarray(from, to),
    volume: columns.volume.subarray(from, to),
  };
}

/** A copy of the first `length` candles, or of all; it shares no memory with the columns. */
export function copyColumns(columns: CandleColumns, length = columns.openTime.length): CandleColumns {
  return {
    openTime: columns.openTime.slice(0, length),
    open: columns.open.slice(0, length),
    high: columns.high.slice(0, length),
    low: columns.low.slice(0, length),
    close: columns.close.slice(0, length),
    volume: columns.volume.slice(0, length),
  };
}

/**
 * Why a candle is not believable, or null.
 *
 * A candle is believed when its numbers are finite, its prices positive, its volume not negative, and its high
 * and low contain open and close.
 */
export function candleFault(candle: Candle): string | null {
  const { openTime, open, high, low, close, volume } = candle;
  if (!Number.isInteger(openTime)) return `opening time ${openTime} is not a whole number of milliseconds`;
  for (const [name, price] of [
    ['open', open],
    ['high', high],
    ['low', low],
    ['close', close],
  ] as const) {
    if (!Number.isFinite(price) || price <= 0) return `${name} ${price} is not a positive number`;
  }
  if (!Number.isFinite(volume) || volume < 0) return `volume ${volume} is not a number of at least 0`;
  if (high < Math.max(open, close)) return `high ${high} is below open ${open} or close ${close}`;
  if (low > Math.min(open, close)) return `low ${low} is above open ${open} or close ${close}`;
  return null;
}
