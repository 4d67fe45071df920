import { dayMs } from './durations.ts';
import type { CandleColumns } from './candle.ts';
import { toDecimal } from './decimal.ts';

/**
 * The price tick as the candles show it, per calendar month (UTC): ten to the minus of the largest number of decimals
 * of any open, high, low or close in the month. Prices are looked at with 14 significant digits.
 *
 * A month in which every price is whole has none, and the month before counts. It is worked out when first asked for.
 */
export interface ObservedTicks {
  /** The tick of the latest month with a value that began at or before `time`; null when there is none. */
  at(time: number): number | null;
  /** Until when the tick of `time` stays: the first candle of a later month; Infinity when there is none. */
  keepsUntil(time: number): number;
}

/** The observed ticks of candles; the whole frame counts, warm-up included. */
export function observeTicks(candles: CandleColumns): ObservedTicks {
  const ticks = new Map<number, number | null>();
  const length = candles.openTime.length;
  const firstMonth = length === 0 ? 0 : monthOf(candles.openTime[0]);
  return {
    at(time) {
      if (length === 0) return null;
      const lastTime = Math.min(time, candles.openTime[length - 1]);
      for (let month = monthOf(lastTime); month >= firstMonth; month--) {
        let tick = ticks.get(month);
        if (tick === undefined) {
          tick = tickOfMonth(candles, month);
          ticks.set(month, tick);
        }
        if (tick !== null) return tick;
      }
      return null;
    },
    keepsUntil: (time) => candles.openTime[firstIndexOfMonth(candles.openTime, monthOf(time) + 1)] ?? Infinity,
  };
}

/** Months since January 1970, UTC. */
export function monthOf(time: number): number {
  const date = civilFromDays(Math.floor(time / dayMs));
  return (date.year - 1970) * 12 + date.month - 1;
}
const POWERS = Array.from({ length: 23 }, (_, n) => 10 ** n);

/** Source of the arithmetic: Howard Hinnant, "chrono-compatible low-level date algorithms". */
function civilFromDays(days: number): { year: number; month: number } {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month };
}

function tickOfMonth(candles: CandleColumns, month: number): number | null {
  const from = firstIndexOfMonth(candles.openTime, month);
  const to = firstIndexOfMonth(candles.openTime, month + 1);
  let decimals = 0;
  for (let i = from; i < to; i++) {
    // Most candles open where the one before closed, which has been looked at unless it belongs to the month before.
    if (i === from || candles.open[i] !== candles.close[i - 1]) decimals = moreDecimals(candles.open[i], decimals);
    decimals = moreDecimals(candles.high[i], decimals);
    decimals = moreDecimals(candles.low[i], decimals);
    decimals = moreDecimals(candles.close[i], decimals);
  }
  return decimals === 0 ? null : 1 / 10 ** decimals;
}

function firstIndexOfMonth(times: Float64Array, month: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (monthOf(times[middle]) < month) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** `decimals`, or the number of decimals of the price when that is larger. */
function moreDecimals(price: number, decimals: number): number {
  const power = POWERS[decimals];
  // A price that is the double nearest to a decimal of this length has no more decimals: no text needed.
  if (Math.round(price * power) / power === price) return decimals;
  return Math.max(decimals, toDecimal(Number(price.toPrecision(14))).scale);
}
