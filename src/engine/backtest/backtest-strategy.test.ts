import { expect, test } from 'vitest';
import { settingsOf } from '../bot/strategy-settings.ts';
import { signalRowAt } from '../bot/signal-row.ts';
import type { Candle } from '../market/candle.ts';
import { toColumns } from '../market/candle.ts';
import { anInstrument } from '../market/testing/an-instrument.ts';
import type { Strategy } from '../strategy/strategy.ts';
import { noSignals } from '../strategy/strategy.ts';
import { backtestStrategy } from './backtest-strategy.ts';

const minute = 60_000;
const start = Date.UTC(2024, 0, 1);

const instrument = anInstrument();

/** Enters on every rise of at least `rise` and leaves on every fall; notes how many candles it was shown. */
const shown: number[] = [];
const strategy: Strategy<'rise'> = {
  name: 'Rise',
  title: 'Rise',
  description: 'Enters after a rise.',
  losesWhen: 'It loses when rises turn.',
  kind: 'trend',
  canShort: false,
  startupCandles: 3,
  defaults: {
    timeframe: '1m',
    stoploss: -0.2,
    minimalRoi: {},
    trailingStop: false,
    trailingStopPositive: null,
    trailingStopPositiveOffset: 0,
    trailingOnlyOffsetIsReached: false,
  },
  parameters: { rise: { default: 1, min: 0, max: 5, step: 1, meaning: 'How much.' } },
  compute({ close }, { rise }) {
    shown.push(close.length);
    const signals = {
      ...noSignals(close.length),
      tags: ['rose', 'fell'],
      enterTag: new Uint8Array(close.length),
      exitTag: new Uint8Array(close.length),
    };
    for (let i = 1; i < close.length; i++) {
      signals.enterLong[i] = signals.enterTag[i] = close[i] - close[i - 1] >= rise ? 1 : 0;
      signals.exitLong[i] = close[i] < close[i - 1] ? 1 : 0;
      signals.exitTag[i] = signals.exitLong[i] * 2;
    }
    return signals;
  },
};

test('a strategy is given what it reads of each pair it trades: candles of the run, or such as are given besides, of its range', () => {
  const given: string[] = [];
  const reading: Strategy = {
    ...strategy,
    series: [{ symbol: '{base}/BTC' }, { symbol: 'ETH/USDT' }, { timeframe: '5m', startupCandles: 2 }],
    compute({ close, openTime }, _, others = {}) {
      given.push(
        Object.entries(others)
          .map(
            ([name, read]) =>
              `${name} ${read.close[0]} from ${(read.openTime[0] - start) / minute} to ${(read.openTime.at(-1)! - start) / minute}`,
          )
          .join(', '),
      );
      expect(openTime[0]).toBe(start + 25 * minute); // three times five minutes before the range
      return noSignals(close.length);
    },
  };
  const flat = (price: number) =>
    toColumns(
      Array.from({ length: 60 }, (_, i) => ({
        openTime: start + i * minute,
        open: price,
        high: price,
        low: price,
        close: price,
        volume: 1,
      })),
    );
  const settings = settingsOf(reading, { stakeAmount: 100, startingBalance: 1_000, maxOpenTrades: 1 });
  if (!settings.ok) throw new Error(settings.reasons.join(' '));
  const run = (others: Record<string, ReturnType<typeof flat>>) =>
    backtestStrategy({
      strategy: reading,
      parameters: {},
      settings: settings.settings,
      timeframe: '1m',
      pairs: ['ETH/USDT', 'SOL/USDT'].map((symbol, i) => ({ instrument: anInstrument({ symbol }), candles: flat(100 + i) })),
      others,
      range: { from: start + 40 * minute, to: start + 50 * minute },
    });
  const { computed } = run({ 'ETH/BTC': flat(7), 'SOL/BTC': flat(8) });
  expect(given).toEqual([
    '{base}/BTC 7 from 25 to 50, ETH/USDT 100 from 25 to 50',
    '{base}/BTC 8 from 25 to 50, ETH/USDT 100 from 25 to 50',
  ]);
  expect(computed.map(({ others }) => others['{base}/BTC']?.close[0])).toEqual([7, 8]);
  expect(() => run({ 'ETH/BTC': flat(7) })).toThrow('Rise reads SOL/BTC, which must be one of the pairs of the backtest.');
});

test('a strategy is computed on warm-up and range, gaps filled, and its tags are the reasons', () => {
  const closes = [10, 10, 10, 10, 11, 11, 10, 10, 12, 12, 11, 11];
  const candles: Candle[] = closes.map((close, i) => ({
    openTime: start + i * minute,
    open: closes[i - 1] ?? close,
    high: 13,
    low: 9.9,
    close,
    volume: 1,
  }));
  const settings = settingsOf(strategy, { stakeAmount: 100, maxOpenTrades: 1 });
  if (!settings.ok) throw new Error(settings.reasons.join(' '));
  const result = backtestStrategy({
    strategy,
    parameters: { rise: 1 },
    settings: settings.settings,
    timeframe: '1m',
    // Candle 7 is missing: it is filled with the close before.
    pairs: [{ instrument, candles: toColumns(candles.filter((_, i) => i !== 7)) }],
    range: { from: start + 3 * minute, to: start + 11 * minute },
  });
  expect(shown).toEqual([12]);
  expect(
    result.trades.map(({ openTime, closeTime, enterTag, exitReason }) => [
      (openTime - start) / minute,
      ((closeTime ?? 0) - start) / minute,
      enterTag,
      exitReason,
    ]),
  ).toEqual([
    [5, 7, 'rose', 'fell'],
    [9, 11, 'rose', 'fell'],
  ]);
  expect(signalRowAt(result.computed[0].signals, 4)).toMatchObject({ enterLong: true, enterTag: 'rose', exitTag: null, confidence: null });
  expect(() => signalRowAt(result.computed[0].signals, 12)).toThrow('no candle 12');
});

test('the range is cut before gaps are filled: a gap at its beginning stays, and the pair starts later', () => {
  const candles = Array.from({ length: 12 }, (_, i) => ({
    openTime: start + i * minute,
    open: 10,
    high: 13,
    low: 9.9,
    close: 10,
    volume: 1,
  }));
  const settings = settingsOf(strategy, { stakeAmount: 100, maxOpenTrades: 1 });
  if (!settings.ok) throw new Error(settings.reasons.join(' '));
  const { startTime, computed } = backtestStrategy({
    strategy,
    parameters: { rise: 1 },
    settings: settings.settings,
    timeframe: '1m',
    // The warm-up of three candles would begin at candle 2, which is missing with the one after it.
    pairs: [{ instrument, candles: toColumns(candles.filter((_, i) => i !== 2 && i !== 3 && i !== 8)) }],
    range: { from: start + 5 * minute, to: start + 11 * minute },
  });
  expect(Array.from(computed[0].candles.openTime, (time) => (time - start) / minute)).toEqual([4, 5, 6, 7, 8, 9, 10, 11]);
  expect((startTime - start) / minute).toBe(7);
});

test('a bot overrides its strategy', () => {
  const found = settingsOf(strategy, { stakeAmount: 100, maxOpenTrades: 1, stoploss: -0.05, minimalRoi: { 0: 0.1 } });
  expect(found.ok && found.settings).toMatchObject({ stoploss: -0.05, minimalRoi: { minutes: [0], ratios: [0.1] }, trailingStop: false });
  const plain = settingsOf(strategy, { stakeAmount: 100, maxOpenTrades: 1 });
  expect(plain.ok && plain.settings).toMatchObject({ stoploss: -0.2, minimalRoi: { minutes: [], ratios: [] } });
});
