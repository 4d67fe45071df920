import { describe, expect, test } from 'vitest';
import { requireSettings } from '../bot/settings.ts';
import type { CandleColumns } from '../market/candle.ts';
import type { Instrument } from '../market/instrument.ts';
import { noSignals } from '../strategy/strategy.ts';
import { backtest } from './backtest.ts';
import type { BacktestInput } from './input.ts';
import { columns, f, hour, start2024, z } from './scenario.ts';

describe('candles and signals that cannot be trusted are refused by symbol and candle', () => {
  const sound = (): CandleColumns => columns([z, f, f, f], start2024, hour);
  const input = (candles: CandleColumns, signals = noSignals(4)): BacktestInput => {
    const settings = requireSettings({ stakeAmount: 10, maxOpenTrades: 1, stoploss: -0.1 });
    const instrument: Instrument = {
      symbol: 'BTC/USDT',
      base: 'BTC',
      quote: 'USDT',
      marketType: 'spot',
      active: true,
      priceTick: 0.01,
      amountStep: 0.001,
      minAmount: 0,
      maxAmount: Infinity,
      minCost: 0,
      maxCost: Infinity,
      contractSize: 1,
      takerFee: 0.001,
      makerFee: 0.001,
      maxLeverage: 1,
      leverageTiers: [],
    };
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
    ['off the boundary', (c: CandleColumns) => void (c.openTime[1] += 1), 'no boundary'],
  ])('%s', (_, spoil, message) => {
    const candles = sound();
    spoil(candles);
    expect(() => backtest(input(candles))).toThrow(message);
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
