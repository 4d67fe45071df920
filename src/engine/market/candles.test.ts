import { describe, expect, test } from 'vitest';
import { joinFunding } from '../account/funding.ts';
import { candleAt, toColumns } from './candle.ts';
import { fillGaps } from './fill-gaps.ts';
import { monthOf, observeTicks } from './observed-tick.ts';

const flat = (openTime: number, price: number) => ({ openTime, open: price, high: price, low: price, close: price, volume: 2 });

describe('gaps', () => {
  test('are filled with the close before them, sorted and without doubles', () => {
    const filled = fillGaps(toColumns([flat(180, 4), flat(60, 1), flat(60, 9), flat(0, 3)]), 60);
    expect([...filled.openTime]).toEqual([0, 60, 120, 180]);
    expect(candleAt(filled, 1)).toEqual(flat(60, 1));
    expect(candleAt(filled, 2)).toEqual({ ...flat(120, 1), volume: 0 });
  });
  test('complete candles are given back as they are', () => {
    const candles = toColumns([flat(0, 1), flat(60, 2)]);
    expect(fillGaps(candles, 60)).toBe(candles);
    expect(fillGaps(toColumns([]), 60).openTime).toHaveLength(0);
  });
});

describe('observed ticks', () => {
  const at = (year: number, month: number, day = 1) => Date.UTC(year, month - 1, day);
  test('the most decimals of a month count, from its beginning; whole prices take the month before', () => {
    const ticks = observeTicks(
      toColumns([flat(at(2024, 1, 5), 1.5), flat(at(2024, 1, 20), 1.25), flat(at(2024, 2, 3), 7), flat(at(2024, 3, 3), 1.5)]),
    );
    expect(ticks.at(at(2024, 1, 6))).toBe(0.01);
    expect(ticks.at(at(2024, 2, 6))).toBe(0.01);
    expect(ticks.at(at(2024, 3, 6))).toBe(0.1);
    expect(ticks.at(at(2030, 1))).toBe(0.1);
  });
  test('a month that opens at the last close of the month before counts that price too', () => {
    const candle = (openTime: number, open: number, close: number) => ({ openTime, open, high: 2, low: 1, close, volume: 1 });
    const ticks = observeTicks(toColumns([candle(at(2024, 1, 31), 1.5, 1.25), candle(at(2024, 2), 1.25, 1.5)]));
    expect(ticks.at(at(2024, 2))).toBe(0.01);
  });
  test('none when every price is whole', () => {
    expect(observeTicks(toColumns([flat(at(2024, 1), 7)])).at(at(2024, 1))).toBe(null);
  });
  test('noise beyond 14 digits is no decimal; small prices have theirs', () => {
    expect(observeTicks(toColumns([flat(at(2024, 1), 0.1 + 0.2)])).at(at(2024, 1))).toBe(0.1);
    expect(observeTicks(toColumns([flat(at(2024, 1), 0.00001234)])).at(at(2024, 1))).toBe(1e-8);
  });
  test('months are those of the calendar', () => {
    for (let time = at(1999, 12, 1); time < at(2033, 1); time += 86_400_000) {
      const date = new Date(time);
      expect(monthOf(time)).toBe((date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth());
    }
  });
});

test('funding: only times in both count, and a configured rate fills what leads', () => {
  const marks = { time: Float64Array.of(0, 1, 2, 3), value: Float64Array.of(10, 11, 12, 13) };
  const rates = { time: Float64Array.of(1, 3, 4), value: Float64Array.of(0.1, 0.3, 0.4) };
  const none = { time: new Float64Array(0), value: new Float64Array(0) };
  const told = (events: ReturnType<typeof joinFunding>) => [...events.time].map((time, i) => [time, events.rate[i], events.mark[i]]);
  expect(told(joinFunding(rates, marks, null))).toEqual([
    [1, 0.1, 11],
    [3, 0.3, 13],
  ]);
  expect(told(joinFunding(rates, marks, 0.5))[0]).toEqual([0, 0.5, 10]);
  expect(told(joinFunding(rates, marks, 0.5))).toHaveLength(3);
  expect(joinFunding(none, marks, 0.5).time).toHaveLength(4);
  expect(joinFunding(none, marks, null).time).toHaveLength(0);
});
