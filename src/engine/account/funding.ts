import type { Direction } from '../market/direction.ts';
import { firstAtOrAfter } from '../market/first-at-or-after.ts';

/**
 * Funding events of one perpetual, oldest first: the rate and the mark price at each.
 *
 * Shape: three arrays of the same length
 */
export interface FundingEvents {
  time: Float64Array; // ms
  rate: Float64Array; // fraction of the notional; positive is paid by longs
  mark: Float64Array; // mark price, quote currency
}

/** One payment of funding of a perpetual. */
export interface FundingEvent {
  time: number; // ms
  rate: number; // fraction of the notional; positive is paid by longs
  mark: number; // mark price, quote currency
}

/** Events as columns, in the given order. */
export function fundingColumns(events: readonly FundingEvent[]): FundingEvents {
  return {
    time: Float64Array.from(events, ({ time }) => time),
    rate: Float64Array.from(events, ({ rate }) => rate),
    mark: Float64Array.from(events, ({ mark }) => mark),
  };
}

/** A column of values by time, oldest first. */
export interface TimedValues {
  time: Float64Array;
  value: Float64Array;
}

/**
 * The funding of a position over the events from `from` to `to`, both included.
 *
 * Unit: quote currency; positive was received
 */
export function fundingBetween(
  events: FundingEvents,
  position: { direction: Direction; amount: number },
  from: number,
  to: number,
): number {
  let fees = 0;
  for (let i = firstAtOrAfter(events.time, from); i < events.time.length && events.time[i] <= to; i++) {
    fees += events.rate[i] * events.mark[i] * position.amount;
  }
  return position.direction === 'long' ? -fees : fees;
}

/** Mark prices as candles, oldest first: the open of each is what counts, the close fills the gap behind it. */
export interface MarkPrices extends TimedValues {
  close: Float64Array;
  stepMs: number; // from one candle to the next, without gaps
}

/**
 * Rates and mark prices of a stretch of time, joined on the time; only times in both count.
 *
 * Rates that an exchange reports some milliseconds late belong to their second. Gaps in the mark prices are filled with the
 * close before them, gaps in the rates are not. A configured rate fills what comes before the first rate that has a mark
 * price, or everything when there is none.
 */
export function joinFunding(
  rates: TimedValues,
  marks: MarkPrices,
  configuredRate: number | null,
  range: { from: number; to: number } = { from: -Infinity, to: Infinity },
): FundingEvents {
  const isInside = (time: number): boolean => time >= range.from && time <= range.to;
  const rateAt = new Map<number, number>();
  for (let i = 0; i < rates.time.length; i++) {
    const time = Math.floor(rates.time[i] / 1000) * 1000;
    // Of two in one second the first counts.
    if (isInside(time) && !rateAt.has(time)) rateAt.set(time, rates.value[i]);
  }
  let hasRate = false;
  const joined: FundingEvent[] = [];
  const join = (time: number, mark: number): void => {
    const own = rateAt.get(time);
    hasRate ||= own !== undefined;
    const rate = own ?? (hasRate ? null : configuredRate);
    if (rate !== null) joined.push({ time, rate, mark });
  };
  for (let i = 0; i < marks.time.length; i++) {
    if (!isInside(marks.time[i])) continue;
    join(marks.time[i], marks.value[i]);
    const next = marks.time[i + 1] ?? -Infinity;
    // What lies outside the range was cut before gaps are filled: a gap at its end stays.
    if (isInside(next)) for (let time = marks.time[i] + marks.stepMs; time < next; time += marks.stepMs) join(time, marks.close[i]);
  }
  return fundingColumns(joined);
}
