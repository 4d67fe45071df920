import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findLookAhead } from '../backtest/look-ahead.ts';
import { ema } from '../indicators/ema.ts';
import { randomWalk } from '../indicators/testing/random-walk.ts';
import { copyColumns, sliceColumns } from '../market/candle.ts';
import { fillGaps } from '../market/fill-gaps.ts';
import { onOwnRows } from '../market/longer-candles.ts';
import { openTimeBefore, type Timeframe, timeframeLengths } from '../market/timeframe.ts';
import type { StrategySeries } from './series.ts';
import { aligned, knownBy, namesOfPairs, pairOf, pairsBeside, seriesFault, startupOn } from './series.ts';
import { noSignals, type Strategy } from './strategy.ts';

const stepMs = timeframeLengths['5m'];
const own = randomWalk({ length: 600, seed: 5, stepMs });
const walk = randomWalk({ length: 700, seed: 6, stepMs });

const hour = { timeframe: '1h' } as const;
const others = { 'BTC/USDT': walk };

describe('the candles of a series beside those of a strategy', () => {
  test('no row sees a candle that had not closed by then, and each sees the newest that had', () => {
    const part = fc.record({
      from: fc.nat(300),
      count: fc.integer({ min: 1, max: 300 }),
      hole: fc.nat(200),
      shift: fc.integer({ min: -40, max: 40 }),
    });
    const timeframe = fc.constantFrom<Timeframe | undefined>(undefined, '5m', '15m', '1h', '4h', '1d');
    fc.assert(
      fc.property(part, part, timeframe, fc.boolean(), (a, b, wanted, isOther) => {
        const candles = sliceColumns(own, a.from, a.from + a.count);
        const cut = copyColumns(sliceColumns(walk, b.from, b.from + b.count));
        // The other pair begins earlier or later, and has a hole that is filled.
        cut.openTime.forEach((time, i) => (cut.openTime[i] = time + (b.shift + (i > b.hole ? 6 : 0)) * stepMs));
        const read = { x: fillGaps(cut, stepMs) };
        const series: StrategySeries = { ...(isOther ? { symbol: 'x' } : {}), ...(wanted === undefined ? {} : { timeframe: wanted }) };
        const found = aligned(candles, read, series);
        const lengthMs = wanted === undefined ? stepMs : timeframeLengths[wanted];
        for (let i = 0; i < candles.openTime.length; i++) {
          const closeTime = candles.openTime[i] + stepMs;
          const row = found.rows[i];
          if (row >= 0) expect(found.candles.openTime[row] + lengthMs).toBeLessThanOrEqual(closeTime);
          // What follows it has not closed: neither the next, nor one that is made of candles that are not all there yet.
          const next = found.candles.openTime[row + 1];
          if (i > 0 && next !== undefined && next + lengthMs <= closeTime)
            expect((isOther ? read.x : candles).openTime.at(-1)!).toBeLessThan(next + lengthMs - stepMs);
        }
        // What comes later changes nothing.
        for (const count of [1, 2, Math.ceil(candles.openTime.length / 2)].filter((each) => each <= candles.openTime.length)) {
          const known = aligned(sliceColumns(candles, 0, count), knownBy(candles.openTime[count - 1], read), series);
          expect(known.rows).toEqual(found.rows.slice(0, count));
          for (const row of new Set(known.rows)) if (row >= 0) expect(known.candles.close[row]).toBe(found.candles.close[row]);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('an hour counts from the row on with which it is complete', () => {
    const { candles, rows } = aligned(own, {}, hour);
    const begin = own.openTime.findIndex((time) => openTimeBefore(timeframeLengths['1h'], time) === time);
    expect(rows.slice(begin, begin + 13)).toEqual(new Int32Array([...Array.from({ length: 11 }, () => -1), 0, 0]));
    expect(candles.openTime[0]).toBe(own.openTime[begin]);
    expect(candles.close[0]).toBe(own.close[begin + 11]);
    expect(candles.high[0]).toBe(Math.max(...own.high.slice(begin, begin + 12)));
  });

  test('the timeframe of the strategy itself may be named', () => {
    const named = aligned(own, others, { symbol: 'BTC/USDT', timeframe: '5m' });
    const plain = aligned(own, others, { symbol: 'BTC/USDT' });
    expect(named.candles).toBe(plain.candles);
    expect(named.rows.slice(1)).toEqual(plain.rows.slice(1));
  });

  test('a pair that is not among the series is a fault, not a silence', () => {
    expect(() => aligned(own, others, { symbol: 'ETH/USDT' })).toThrow(
      'the candles of ETH/USDT are not there; a strategy names the pairs that it reads',
    );
    expect(() => aligned(own, undefined, { symbol: 'BTC/USDT' })).toThrow('the candles of BTC/USDT are not there');
  });

  test('a strategy that takes a series by its rows does not look ahead, and one that takes its last candle is found', () => {
    const reading = (line: (close: Float64Array, rows: Int32Array) => Float64Array): Pick<Strategy, 'compute'> => ({
      compute(candles, _, read) {
        const [slow, btc] = [aligned(candles, read, hour), aligned(candles, read, { symbol: 'BTC/USDT', timeframe: '15m' })];
        return noSignals(candles.close.length, { slow: line(slow.candles.close, slow.rows), btc: line(btc.candles.close, btc.rows) });
      },
    });
    const candles = sliceColumns(own, 0, 150);
    const honest = reading((close, rows) => onOwnRows(ema(close, 3), rows));
    expect(findLookAhead(honest, {}, candles, { maxPrefixes: Infinity, others })).toBeNull();
    const next = reading((close, rows) =>
      onOwnRows(
        close,
        rows.map((row) => Math.min(row + 1, close.length - 1)),
      ),
    );
    expect(findLookAhead(next, {}, candles, { maxPrefixes: Infinity, others })).toMatchObject({ column: 'indicators.slow' });
    // The last candle of the other pair is one that the whole has and a beginning has not.
    const last: Pick<Strategy, 'compute'> = {
      compute: ({ close }, _, read) =>
        noSignals(close.length, { last: new Float64Array(close.length).fill(read!['BTC/USDT'].close.at(-1)!) }),
    };
    expect(findLookAhead(last, {}, candles, { others })).toMatchObject({ candle: 0, column: 'indicators.last', known: walk.close[0] });
  });
});

describe('what a strategy reads', () => {
  const series: StrategySeries[] = [
    hour,
    { symbol: '{base}/BTC' },
    { symbol: 'BTC/{quote}:{settle}' },
    { symbol: '{base}/BTC', timeframe: '4h' },
  ];

  test.each([
    ['{base}/BTC', 'ETH/USDT', 'ETH/BTC'],
    ['{base}/BTC', 'ETH/USDT:USDT', 'ETH/BTC'],
    ['BTC/{quote}:{settle}', 'ETH/USDT:USDT', 'BTC/USDT:USDT'],
    ['BTC/{quote}:{settle}', 'ETH/EUR', 'BTC/EUR'],
    ['BTC/{settle}', 'ETH/USDT:USDC', 'BTC/USDC'],
    ['BTC/USDT', 'ETH/USDT', 'BTC/USDT'],
  ])('%s of %s is %s', (name, symbol, pair) => {
    expect(pairOf(name, symbol)).toBe(pair);
  });

  test('the pairs of all that it trades, each once, and none that it trades', () => {
    expect(namesOfPairs({ series })).toEqual(['{base}/BTC', 'BTC/{quote}:{settle}']);
    expect(pairsBeside({ series }, ['ETH/USDT', 'SOL/USDT', 'BTC/USDT'])).toEqual(['ETH/BTC', 'SOL/BTC', 'BTC/BTC']);
    expect(pairsBeside({}, ['ETH/USDT'])).toEqual([]);
  });

  test('its warm-up is that of its own candles, or what the longest of its series needs', () => {
    const needing = (startupCandles: number): number =>
      startupOn(
        {
          startupCandles: 100,
          series: [
            { timeframe: '1h', startupCandles },
            { symbol: 'BTC/USDT', startupCandles: 130 },
          ],
        },
        '5m',
      );
    expect([needing(5), needing(20)]).toEqual([130, 252]);
    expect(startupOn({ startupCandles: 100, series: [{ timeframe: '1h', startupCandles: 20 }] }, '1h')).toBe(100);
    expect(startupOn({ startupCandles: 100 }, '5m')).toBe(100);
  });

  test('candles that cannot give it what it reads are refused in a sentence', () => {
    const strategy = { name: 'Reads', startupCandles: 10, series: [{ timeframe: '1h' as const, startupCandles: 200 }] };
    expect(seriesFault(strategy, '5m')).toBeNull();
    expect(seriesFault(strategy, '1h')).toBeNull();
    expect(seriesFault(strategy, '4h')).toBe('Reads reads candles of 1h, which cannot be made of candles of 4h.');
    expect(seriesFault({ ...strategy, series: [{ timeframe: '8h' }] }, '6h')).toBe(
      'Reads reads candles of 8h, which cannot be made of candles of 6h.',
    );
    expect(seriesFault(strategy, '1m')).toBe('Reads needs 12060 candles of 1m before the first that counts; the most are 5000.');
  });
});
