import { ADX, ATR, BollingerBands, DonchianChannels, EMA, MACD, RSI, SMA, StochasticOscillator, SuperTrend, VWAP } from 'trading-signals';
import { expect, test } from 'vitest';
import { candleAt, type Candle } from '../market/candle.ts';
import { adx } from './adx.ts';
import { anchoredVwap } from './anchored-vwap.ts';
import { atr } from './atr.ts';
import { bollinger } from './bollinger.ts';
import { donchian } from './donchian.ts';
import { ema } from './ema.ts';
import { macd } from './macd.ts';
import { randomWalk } from './testing/random-walk.ts';
import { rsi } from './rsi.ts';
import { sma } from './sma.ts';
import { stochastic } from './stochastic.ts';
import { superTrend } from './super-trend.ts';

// An independent library computes the same series. It seeds some averages otherwise, so the comparison begins when no seed
// weighs anything any more.
const length = 3000;
const settled = 1500;
const candles = randomWalk({ length, seed: 3, stepMs: 300_000 });
const { close } = candles;
const byCandle = Array.from({ length }, (_, i) => candleAt(candles, i));

function expectAgreement(ours: Float64Array, theirs: (candle: Candle) => number | null | undefined): void {
  let compared = 0;
  for (const [i, candle] of byCandle.entries()) {
    const value = theirs(candle);
    if (i < settled) continue;
    expect(Math.abs(ours[i] - (value ?? NaN)), `row ${i}: ours ${ours[i]}, theirs ${value}`).toBeLessThan(1e-8);
    compared++;
  }
  expect(compared).toBe(length - settled);
}

test('SMA agrees with trading-signals', () => {
  const theirs = new SMA(20);
  expectAgreement(sma(close, 20), (candle) => theirs.update(candle.close, false));
});

test('EMA agrees with trading-signals', () => {
  const theirs = new EMA(20);
  expectAgreement(ema(close, 20), (candle) => theirs.update(candle.close, false));
});

test('RSI agrees with trading-signals', () => {
  const theirs = new RSI(14);
  expectAgreement(rsi(close, 14), (candle) => theirs.update(candle.close, false));
});

test('MACD agrees with trading-signals', () => {
  const ours = macd(close, { fast: 12, slow: 26, signal: 9 });
  for (const column of ['macd', 'signal', 'histogram'] as const) {
    const theirs = new MACD(new EMA(12), new EMA(26), new EMA(9));
    expectAgreement(ours[column], (candle) => theirs.update(candle.close, false)?.[column]);
  }
});

test('Bollinger bands agree with trading-signals', () => {
  const ours = bollinger(close, { period: 20, deviations: 2 });
  for (const column of ['upper', 'middle', 'lower'] as const) {
    const theirs = new BollingerBands(20, 2);
    expectAgreement(ours[column], (candle) => theirs.update(candle.close, false)?.[column]);
  }
});

test('ATR agrees with trading-signals', () => {
  const theirs = new ATR(14);
  expectAgreement(atr(candles, 14), (candle) => theirs.update(candle, false));
});

test('ADX agrees with trading-signals', () => {
  const theirs = new ADX(14);
  const ours = adx(candles, 14);
  expectAgreement(ours.adx, (candle) => theirs.update(candle, false));
});

test('Stochastic agrees with trading-signals', () => {
  const ours = stochastic(candles, { k: 14, slowing: 3, d: 3 });
  for (const [column, name] of [
    ['k', 'stochK'],
    ['d', 'stochD'],
  ] as const) {
    const theirs = new StochasticOscillator({ kPeriod: 14, kSlowingPeriod: 3, dPeriod: 3 });
    expectAgreement(ours[column], (candle) => theirs.update(candle, false)?.[name]);
  }
});

test('SuperTrend agrees with trading-signals', () => {
  const ours = superTrend(candles, { period: 10, factor: 3 });
  const line = new SuperTrend({ interval: 10, multiplier: 3 });
  expectAgreement(ours.line, (candle) => line.update(candle, false)?.supertrend);
  const direction = new SuperTrend({ interval: 10, multiplier: 3 });
  expectAgreement(ours.direction, (candle) => (direction.update(candle, false)?.trend === 'BULLISH' ? 1 : -1));
});

test('VWAP anchored at the first candle agrees with trading-signals, which never resets', () => {
  const theirs = new VWAP();
  expectAgreement(anchoredVwap(candles, candles.openTime[0]).vwap, (candle) => theirs.update(candle, false));
});

test('Donchian channels agree with trading-signals', () => {
  const ours = donchian(candles, 20);
  for (const column of ['upper', 'middle', 'lower'] as const) {
    const theirs = new DonchianChannels(20);
    expectAgreement(ours[column], (candle) => theirs.update(candle, false)?.[column]);
  }
});
