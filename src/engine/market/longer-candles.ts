import { type CandleColumns, candleColumns, sliceColumns } from './candle.ts';
import { openTimeBefore, type Timeframe, timeframeLengths } from './timeframe.ts';

/** Candles of another series, and for each row of the strategy's own the newest of them that had closed by then; -1 before the first. */
export interface Aligned {
  candles: CandleColumns;
  rows: Int32Array;
}

/**
 * The candles of a longer timeframe, made of shorter ones.
 *
 * Only what had closed is seen: a longer candle counts from the row on with which it is complete, and what comes later changes it no
 * more. One whose beginning lies before the first row is left out. Nothing closes where the timeframe is not longer.
 */
export function longerCandles(candles: CandleColumns, timeframe: Timeframe): Aligned {
  const lengthMs = timeframeLengths[timeframe];
  const { openTime, open, high, low, close, volume } = candles;
  const count = openTime.length;
  const longer = candleColumns(count);
  const rows = new Int32Array(count).fill(-1);
  let step = 0; // ms from row to row, the shortest so far; 0 before the second row
  let from = NaN; // when the longer candle of the row before opened
  let at = -1; // the longer candle that is being made, or the last one
  let isComplete = true;
  for (let i = 0; i < count; i++) {
    if (i > 0) step = step === 0 ? openTime[i] - openTime[i - 1] : Math.min(step, openTime[i] - openTime[i - 1]);
    if (step >= lengthMs) break;
    const bucket = openTimeBefore(lengthMs, openTime[i]);
    if (bucket !== from && (i > 0 || bucket === openTime[i])) {
      at++;
      isComplete = false;
      longer.openTime[at] = bucket;
      longer.open[at] = open[i];
      longer.high[at] = high[i];
      longer.low[at] = low[i];
    }
    from = bucket;
    if (!isComplete) {
      longer.high[at] = Math.max(longer.high[at], high[i]);
      longer.low[at] = Math.min(longer.low[at], low[i]);
      longer.close[at] = close[i];
      longer.volume[at] += volume[i];
      isComplete = step > 0 && openTime[i] + step >= bucket + lengthMs;
    }
    rows[i] = isComplete ? at : at - 1;
  }
  return { candles: sliceColumns(longer, 0, at + 1), rows };
}

/** For each time the newest row of the other candles that opened no later; both of the same timeframe, so it has closed by then too. */
export function alignedRows(openTime: Float64Array, others: Float64Array): Int32Array {
  const rows = new Int32Array(openTime.length);
  let at = -1;
  for (let i = 0; i < rows.length; i++) {
    while (at + 1 < others.length && others[at + 1] <= openTime[i]) at++;
    rows[i] = at;
  }
  return rows;
}

/** A column of another series on the rows of the strategy; NaN where nothing had closed. */
export function onOwnRows(column: Float64Array, rows: Int32Array): Float64Array {
  const own = new Float64Array(rows.length);
  for (let i = 0; i < own.length; i++) own[i] = rows[i] < 0 ? NaN : column[rows[i]];
  return own;
}

/** Flags of another series on the rows of the strategy; 0 where nothing had closed. */
export function flagsOnOwnRows(flags: Uint8Array, rows: Int32Array): Uint8Array {
  const own = new Uint8Array(rows.length);
  for (let i = 0; i < own.length; i++) own[i] = rows[i] < 0 ? 0 : flags[rows[i]];
  return own;
}
