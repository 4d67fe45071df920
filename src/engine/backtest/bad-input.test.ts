import { describe, expect, test } from 'vitest';
import { requireSettings } from '../settings/normalise-settings.ts';
import type { CandleColumns } from '../market/candle.ts';
import { anInstrument } from '../market/testing/an-instrument.ts';
import { noSignals } from '../strategy/strategy.ts';
import { backtest } from './backtest.ts';
import type { BacktestInput } from './input.ts';
import { columns, f, hour, start2024, z } from './testing/scenario.ts';

describe('candles and signals that cannot be trusted are refused by symbol and candle', () => {
  const sound = (): CandleColumns => columns([z, f, f, f], start2024, hour);
  const input = (candles: CandleColumns, signals = noSignals(4)): BacktestInput => {
    const settings = requireSettings({ stakeAmount: 10, maxOpenTrades: 1, stoploss: -0.1 });
    const instrument = anInstrument();
    return { settings, timeframeMs: hour, startupCandles: 0, pairs: [{ instrument, candles, signals }] };
  };
  test.each([
    ['older', (c: CandleColumns) => void (c.openTime[2] = c.openTime[0] - hour), 'BTC/USDT: candle 2 (opened 1704063600000) is older'],
    [
      'doubled',
      (c: CandleColumns) => void (c.openTime[2] = c.openTime[1]),
      'BTC/USDT: candle 2 (opened 1704070800000) has the time of the one before',
    ],
    ['missing', (c: CandleColumns) => void (c.openTime[3] += hour), 'BTC/USDT: candle 3 (opened 1704081600000) comes 7200000 ms after'],
    ['not a number', (c: CandleColumns) => void (c.high[1] = NaN), 'BTC/USDT: candle 1 (opened 1704070800000) is not believable'],
    ['negative', (c: CandleColumns) => void (c.low[1] = -1), 'low -1'],
    ['negative volume', (c: CandleColumns) => void (c.volume[1] = -1), 'volume -1'],
    [
      'volume without end',
      (c: CandleColumns) => void (c.volume[2] = Infinity),
      'BTC/USDT: candle 2 (opened 1704074400000) is not believable',
    ],
    ['a price without end', (c: CandleColumns) => void (c.high[2] = Infinity), 'high Infinity'],
    ['a price of 0', (c: CandleColumns) => void (c.low[2] = 0), 'low 0'],
    ['a high below the close', (c: CandleColumns) => void (c.high[2] = 99.5), 'candle 2 (opened 1704074400000) is not believable'],
    ['a time that is none', (c: CandleColumns) => void (c.openTime[2] = NaN), 'candle 2 opens at NaN'],
    ['overlapping', (c: CandleColumns) => void (c.openTime[2] -= hour / 2), 'candle 2 opens at 1704072600000, which is not a boundary'],
    ['off the boundary', (c: CandleColumns) => void (c.openTime[1] += 1), 'not a boundary'],
  ])('%s', (_, spoil, message) => {
    const candles = sound();
    spoil(candles);
    expect(() => backtest(input(candles))).toThrow(message);
  });
  test('a candle whose prices are all the same is a candle', () => {
    const candles = sound();
    for (const name of ['open', 'high', 'low', 'close'] as const) candles[name][2] = 100;
    expect(() => backtest(input(candles))).not.toThrow();
  });
  test.each(['open', 'high', 'low', 'close'] as const)('a candle without a number as its %s is none', (name) => {
    const candles = sound();
    candles[name][2] = NaN;
    expect(() => backtest(input(candles))).toThrow('BTC/USDT: candle 2 (opened 1704074400000) is not believable');
  });
  test.each([
    ['a low above the open', { low: 100.5, open: 100, high: 101, close: 101 }],
    ['a low above the close', { low: 100.5, open: 101, high: 101, close: 100 }],
    ['a high below the open', { low: 99, open: 101, high: 100.5, close: 100 }],
    ['a high below the close', { low: 99, open: 100, high: 100.5, close: 101 }],
  ])('%s', (_, prices) => {
    const candles = sound();
    for (const [name, price] of Object.entries(prices)) candles[name as keyof typeof prices][2] = price;
    expect(() => backtest(input(candles))).toThrow('candle 2 (opened 1704074400000) is not believable');
  });
  test('the first candle off the boundary', () => {
    const candles = sound();
    candles.openTime.forEach((time, i) => (candles.openTime[i] = time + 1));
    expect(() => backtest(input(candles))).toThrow('BTC/USDT: candle 0 opens at 1704067200001, which is not a boundary of 3600000 ms.');
  });
  test('a candle without volume is a candle', () => {
    const candles = sound();
    candles.volume.fill(0);
    expect(backtest(input(candles)).endTime).toBe(start2024 + 3 * hour);
  });
  test('detail candles, by their number', () => {
    const quarter = hour / 4;
    const detail = columns(
      [z, f, f, f].flatMap((candle) => [candle, candle, candle, candle]),
      start2024,
      quarter,
    );
    const withDetail = (detailTimeframeMs: number | null, given = detail): BacktestInput => {
      const whole = input(sound());
      return { ...whole, detailTimeframeMs, pairs: whole.pairs.map((pair) => ({ ...pair, detail: given })) };
    };
    expect(() => backtest(withDetail(quarter))).not.toThrow();
    expect(() => backtest(withDetail(null))).toThrow('BTC/USDT: the detail timeframe (0 ms) must divide the timeframe (3600000 ms)');
    expect(() => backtest(withDetail(hour))).toThrow('the detail timeframe (3600000 ms) must divide');
    expect(() => backtest(withDetail(hour * 0.4))).toThrow('the detail timeframe (1440000 ms) must divide');
    const spoilt = { ...detail, low: detail.low.slice() };
    spoilt.low[7] = NaN;
    expect(() => backtest(withDetail(quarter, spoilt))).toThrow('BTC/USDT: detail candle 7 (opened 1704073500000) is not believable');
    const gap = { ...detail, openTime: detail.openTime.map((time, i) => (i < 9 ? time : time + quarter)) };
    expect(() => backtest(withDetail(quarter, gap))).toThrow('detail candle 9 (opened 1704076200000) comes 1800000 ms after');
  });
  test('funding that cannot be trusted', () => {
    const paid = (time: number[], rate: number[], mark = [100, 100]): BacktestInput => {
      const whole = input(sound());
      const funding = { time: Float64Array.from(time), rate: Float64Array.from(rate), mark: Float64Array.from(mark) };
      return { ...whole, pairs: whole.pairs.map((pair) => ({ ...pair, funding })) };
    };
    const [one, two] = [start2024, start2024 + hour];
    expect(() => backtest(paid([one, two], [0.1, -0.1]))).not.toThrow();
    expect(() => backtest(paid([one, two], [0.1]))).toThrow('BTC/USDT: there are 2 funding times, 1 rates and 2 mark prices');
    expect(() => backtest(paid([two, one], [0.1, 0.1]))).toThrow(
      'BTC/USDT: the funding of 1704067200000 does not come after the one before it',
    );
    expect(() => backtest(paid([one, one], [0.1, 0.1]))).toThrow('does not come after');
    expect(() => backtest(paid([one, two], [0.1, NaN]))).toThrow(
      'BTC/USDT: the funding of 1704070800000 has the rate NaN and the mark price 100',
    );
    expect(() => backtest(paid([one, two], [0.1, 0.1], [Infinity, 1]))).toThrow('the mark price Infinity');
  });
  test('a run that cannot be meant', () => {
    const whole = input(sound());
    expect(() => backtest({ ...whole, pairs: [] })).toThrow('A backtest needs at least one pair.');
    expect(() => backtest({ ...whole, pairs: [...whole.pairs, ...whole.pairs] })).toThrow('The pair BTC/USDT is given twice.');
    expect(() => backtest({ ...whole, timeframeMs: 0 })).toThrow('The timeframe must be a positive number of milliseconds, and was 0.');
    expect(() => backtest({ ...whole, startupCandles: -1 })).toThrow('The warm-up must be a whole number of candles, and was -1.');
    expect(() => backtest({ ...whole, startupCandles: 0.5 })).toThrow('and was 0.5.');
    expect(() => backtest({ ...whole, range: { from: 1, to: NaN } })).toThrow('The range must be two times, and was 1 to NaN.');
    expect(() => backtest({ ...whole, startupCandles: 9 })).toThrow(
      'No pair has a candle left after the range and the warm-up are taken off.',
    );
    expect(() => backtest({ ...whole, range: { from: NaN, to: 1 } })).toThrow('The range must be two times, and was NaN to 1.');
  });
  test('tags that are not there', () => {
    const signals = { ...noSignals(4), tags: ['only'], exitTag: Uint8Array.of(0, 1, 2, 0) };
    expect(() => backtest(input(sound(), signals))).toThrow('BTC/USDT: the exitTag of candle 2 is 2, and there are 1 tags.');
    expect(() => backtest(input(sound(), { ...noSignals(4), enterTag: new Uint8Array(3) }))).toThrow(
      'BTC/USDT: the column enterTag has 3 rows for 4 candles.',
    );
  });
  test('short columns', () => {
    expect(() => backtest(input({ ...sound(), close: new Float64Array(3) }))).toThrow(
      'BTC/USDT: the column close has 3 values for 4 candles',
    );
    expect(() => backtest(input(sound(), noSignals(3)))).toThrow('BTC/USDT: the signal enterLong has 3 rows for 4 candles');
  });
  test('signals that are no numbers', () => {
    const signals = { ...noSignals(4), exitLong: Float64Array.of(0, NaN, 0, 0) as unknown as Uint8Array };
    expect(() => backtest(input(sound(), signals))).toThrow('BTC/USDT: the signal exitLong of candle 1 is NaN');
  });
});
