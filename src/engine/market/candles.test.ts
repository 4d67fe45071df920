import { describe, expect, test } from 'vitest';
import { joinFunding } from '../account/funding.ts';
import { backtest } from '../backtest/backtest.ts';
import { requireSettings } from '../settings/normalise-settings.ts';
import { noSignals } from '../strategy/strategy.ts';
import { anInstrument } from './testing/an-instrument.ts';
import { candleAt, toColumns } from './candle.ts';
import { fillGaps } from './fill-gaps.ts';
import { monthOf, observeTicks } from './observed-tick.ts';
import { candleOpenTime, timeframeLengths } from './timeframe.ts';

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

describe('gaps at the edges', () => {
  const times = (...given: number[]) => [...fillGaps(toColumns(given.map((time) => flat(time, 1 + time))), 60).openTime];
  test('of several candles in a row, of doubles and of times between two candles', () => {
    expect(times(0, 240)).toEqual([0, 60, 120, 180, 240]);
    expect(times(60, 0)).toEqual([0, 60]);
    expect(times(0, 0)).toEqual([0]);
    expect(times(0, 90, 120)).toEqual([0, 60, 120]);
    expect(times(0, 100)).toEqual([0, 60]);
  });
  test('a filled candle has the close before it in all its prices; every other keeps its own numbers', () => {
    const wild = { openTime: 0, open: 5, high: 9, low: 2, close: 7, volume: 3 };
    const filled = fillGaps(toColumns([wild, { ...wild, openTime: 120 }]), 60);
    expect([0, 1, 2].map((i) => candleAt(filled, i))).toEqual([wild, { ...flat(60, 7), volume: 0 }, { ...wild, openTime: 120 }]);
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
  test.each(['open', 'high', 'low', 'close'] as const)('the decimals of the %s count', (name) => {
    const candle = { ...flat(at(2024, 1), 7), [name]: 7.125 };
    expect(observeTicks(toColumns([candle])).at(at(2024, 1))).toBe(0.001);
    expect(observeTicks(toColumns([flat(at(2024, 1), 7), candle])).at(at(2024, 1))).toBe(0.001);
  });
  test('a price of another month does not count, at neither end', () => {
    const ticks = observeTicks(toColumns([flat(at(2024, 1, 31), 1.125), flat(at(2024, 2), 1.5), flat(at(2024, 3), 1.25)]));
    expect([at(2024, 1), at(2024, 2), at(2024, 3)].map((time) => ticks.at(time))).toEqual([0.001, 0.1, 0.01]);
  });
  test('before the first candle there is none, and without a candle neither', () => {
    expect(observeTicks(toColumns([flat(at(2024, 2), 1.5)])).at(at(2024, 1))).toBe(null);
    const none = observeTicks(toColumns([]));
    expect([none.at(0), none.keepsUntil(0)]).toEqual([null, Infinity]);
  });
  test('a tick stays until the first candle of a later month', () => {
    const ticks = observeTicks(toColumns([flat(at(2024, 1, 31), 1.5), flat(at(2024, 2, 2), 1.5), flat(at(2024, 4), 1.5)]));
    expect(ticks.keepsUntil(at(2024, 1, 31))).toBe(at(2024, 2, 2));
    expect(ticks.keepsUntil(at(2024, 2, 2))).toBe(at(2024, 4));
    expect(ticks.keepsUntil(at(2024, 3))).toBe(at(2024, 4));
    expect(ticks.keepsUntil(at(2024, 4))).toBe(Infinity);
  });
  test('none when every price is whole', () => {
    expect(observeTicks(toColumns([flat(at(2024, 1), 7)])).at(at(2024, 1))).toBe(null);
  });
  test('noise beyond 14 digits is not a decimal; small prices have theirs', () => {
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

describe('funding', () => {
  const hour = 3_600_000;
  const at = (...hours: number[]): Float64Array => Float64Array.from(hours, (h) => h * hour);
  const marksAt = (hours: number[], value: number[]) => ({
    time: at(...hours),
    value: Float64Array.from(value),
    close: Float64Array.from(value, (open) => open + 0.5),
    stepMs: hour,
  });
  const marks = marksAt([0, 1, 2, 3], [10, 11, 12, 13]);
  const rates = { time: at(1, 3, 4), value: Float64Array.of(0.1, 0.3, 0.4) };
  const none = { time: new Float64Array(0), value: new Float64Array(0) };
  const rows = (events: ReturnType<typeof joinFunding>) => [...events.time].map((time, i) => [time / hour, events.rate[i], events.mark[i]]);

  test('only times in both count, and a configured rate fills what comes before the first rate', () => {
    expect(rows(joinFunding(rates, marks, null))).toEqual([
      [1, 0.1, 11],
      [3, 0.3, 13],
    ]);
    expect(rows(joinFunding(rates, marks, 0.5))[0]).toEqual([0, 0.5, 10]);
    expect(rows(joinFunding(rates, marks, 0.5))).toHaveLength(3);
    expect(joinFunding(none, marks, 0.5).time).toHaveLength(4);
    expect(joinFunding(none, marks, null).time).toHaveLength(0);
  });
  test('a rate that is reported some milliseconds late belongs to its second', () => {
    const late = { time: Float64Array.of(hour + 7, 3 * hour + 999), value: Float64Array.of(0.1, 0.3) };
    expect(rows(joinFunding(late, marks, null))).toEqual([
      [1, 0.1, 11],
      [3, 0.3, 13],
    ]);
  });
  test('a gap in the mark prices is filled with the close before it, a gap in the rates is not', () => {
    expect(rows(joinFunding(rates, marksAt([0, 4], [10, 14]), null))).toEqual([
      [1, 0.1, 10.5],
      [3, 0.3, 10.5],
      [4, 0.4, 14],
    ]);
  });
  test('from the start of the range to the first rate in it the configured rate is paid, whatever came before', () => {
    expect(rows(joinFunding(rates, marks, 0.5, { from: 2 * hour, to: Infinity }))).toEqual([
      [2, 0.5, 12],
      [3, 0.3, 13],
    ]);
    expect(
      rows(joinFunding({ time: at(1), value: Float64Array.of(0.1) }, marks, 0.5, { from: 2 * hour, to: Infinity })).map(([, rate]) => rate),
    ).toEqual([0.5, 0.5]);
  });
  test('a rate without a mark price does not end the configured one', () => {
    expect(rows(joinFunding({ time: at(0, 2), value: Float64Array.of(0.1, 0.2) }, marksAt([1, 2, 3], [11, 12, 13]), 0.5))).toEqual([
      [1, 0.5, 11],
      [2, 0.2, 12],
    ]);
  });
  test('the range is cut before gaps are filled: a gap at its end stays', () => {
    const range = { from: 0, to: 3 * hour };
    expect(rows(joinFunding(none, marksAt([0, 1, 4], [10, 11, 14]), 0.5, range)).map(([time]) => time)).toEqual([0, 1]);
    expect(rows(joinFunding(none, marksAt([0, 3, 4], [10, 13, 14]), 0.5, range)).map(([time]) => time)).toEqual([0, 1, 2, 3]);
  });
  test('of two rates in one second the first counts', () => {
    const twice = { time: Float64Array.of(hour + 1, hour + 2), value: Float64Array.of(0.1, 0.9) };
    expect(rows(joinFunding(twice, marks, null))).toEqual([[1, 0.1, 11]]);
  });
});

describe('when candles open', () => {
  test.each([
    ['2h', '2025-04-03T21:05:00Z', '2025-04-03T20:00:00Z'],
    ['6h', '2025-04-03T21:05:00Z', '2025-04-03T18:00:00Z'],
    ['8h', '2025-04-03T21:05:00Z', '2025-04-03T16:00:00Z'],
    ['12h', '2025-04-03T21:05:00Z', '2025-04-03T12:00:00Z'],
    ['1d', '2025-04-03T21:05:00Z', '2025-04-03T00:00:00Z'],
    ['1w', '2025-04-03T21:05:00Z', '2025-03-31T00:00:00Z'], // a Monday
    ['1w', '2025-03-31T00:00:00Z', '2025-03-31T00:00:00Z'],
  ] as const)('%s at %s', (timeframe, time, opened) => {
    expect(new Date(candleOpenTime(timeframe, Date.parse(time))).toISOString()).toBe(opened.replace('Z', '.000Z'));
  });
  test('a backtest takes weeks that begin on Monday, and no others', () => {
    const week = timeframeLengths['1w'];
    const run = (from: number) => () =>
      backtest({
        settings: requireSettings({ stakeAmount: 100, maxOpenTrades: 1, stoploss: -0.1 }),
        timeframeMs: week,
        startupCandles: 0,
        pairs: [
          {
            instrument: anInstrument(),
            candles: toColumns([0, 1, 2].map((i) => ({ openTime: from + i * week, open: 100, high: 101, low: 99, close: 100, volume: 1 }))),
            signals: { ...noSignals(3), enterLong: Uint8Array.of(1, 0, 0) },
          },
        ],
      });
    expect(run(Date.UTC(2025, 2, 31))().trades).toHaveLength(1);
    expect(run(Date.UTC(2025, 3, 3))).toThrow('which is not a boundary of');
  });
});
