import { describe, expect, test } from 'vitest';
import { candleColumns, type CandleColumns } from '../market/candle.ts';
import { minuteMs } from '../market/durations.ts';
import { anInstrument } from '../market/testing/an-instrument.ts';
import { requireSettings, type SettingsInput } from '../settings/normalise-settings.ts';
import { seededRandom } from '../simulation/seeded-random.ts';
import { noSignals, type Signals } from '../strategy/strategy.ts';
import { backtest } from './backtest.ts';
import type { BacktestPair } from './input.ts';
import { PreparedBacktest } from './prepared-backtest.ts';

const timeframeMs = 5 * minuteMs;

function candlesOf(seed: number, count: number): CandleColumns {
  const random = seededRandom(seed);
  const candles = candleColumns(count);
  let price = 100;
  for (let i = 0; i < count; i++) {
    const close = Math.round(price * (1 + (random() - 0.5) * 0.02) * 100) / 100;
    candles.openTime[i] = i * timeframeMs;
    candles.open[i] = price;
    candles.close[i] = close;
    candles.high[i] = Math.max(price, close) + 0.05;
    candles.low[i] = Math.min(price, close) - 0.05;
    candles.volume[i] = 1;
    price = close;
  }
  return candles;
}

function signalsOf(seed: number, count: number): Signals {
  const random = seededRandom(seed);
  const signals = noSignals(count);
  for (const name of ['enterLong', 'exitLong', 'enterShort', 'exitShort'] as const)
    for (let i = 0; i < count; i++) signals[name][i] = random() < 0.1 ? 1 : 0;
  return signals;
}

const instrument = (symbol: string) => anInstrument({ symbol, base: symbol, amountStep: 0.001 });
const pairs: BacktestPair[] = ['A', 'B'].map((symbol, i) => ({
  instrument: instrument(symbol),
  candles: candlesOf(i + 1, 600 - i * 100),
  signals: signalsOf(i + 11, 600 - i * 100),
}));
const input = { timeframeMs, startupCandles: 20, pairs };

const settingsOf = (more: Partial<SettingsInput>) =>
  requireSettings({ stakeAmount: 100, maxOpenTrades: 1, stoploss: -0.02, minimalRoi: { 0: 0.02, 30: 0.005 }, fee: 0.001, ...more });
const several = [
  settingsOf({}),
  settingsOf({ stoploss: -0.01, maxOpenTrades: 2, trailingStop: true, trailingStopPositive: 0.005 }),
  settingsOf({ marketType: 'futures', canShort: true, leverage: 3, protections: [{ kind: 'cooldown', stopCandles: 5 }] }),
  settingsOf({ startingBalance: 50, stakeAmount: 'unlimited' }),
];

describe('a prepared backtest', () => {
  test('gives what a backtest of its own gives, whatever ran before it', () => {
    const prepared = new PreparedBacktest(input);
    const sequence = [0, 1, 2, 3, 2, 0, 1];
    for (const i of sequence) expect(prepared.run(several[i])).toEqual(backtest({ ...input, settings: several[i] }));
    expect(prepared.run(several[1]).trades.length).toBeGreaterThan(20);
  });

  test('without its balance everything else is the same', () => {
    const prepared = new PreparedBacktest(input);
    for (const settings of several) {
      const { dailyBalance: _, ...rest } = prepared.run(settings);
      const { dailyBalance, ...lean } = prepared.run(settings, { withoutBalance: true });
      expect(lean).toEqual(rest);
      expect(dailyBalance.days).toEqual([]);
    }
  });

  test('takes other signals on the same candles, and keeps its own', () => {
    const prepared = new PreparedBacktest(input);
    const before = prepared.run(several[0]);
    const others = pairs.map(({ candles }, i) => signalsOf(i + 21, candles.openTime.length));
    const changed = pairs.map((pair, i) => ({ ...pair, signals: others[i] }));
    const result = prepared.withSignals(others).run(several[0]);
    expect(result).toEqual(backtest({ ...input, pairs: changed, settings: several[0] }));
    expect(result.trades).not.toEqual(before.trades);
    expect(prepared.run(several[0])).toEqual(before);
  });

  test('each pair gets its own signals, also where another has no candle in the range', () => {
    const range = { from: 550 * timeframeMs, to: Infinity }; // B ends before
    const prepared = new PreparedBacktest({ ...input, startupCandles: 0, pairs: pairs.toReversed(), range });
    const others = pairs.map(({ candles }, i) => signalsOf(i + 21, candles.openTime.length)).toReversed();
    const changed = pairs.toReversed().map((pair, i) => ({ ...pair, signals: others[i] }));
    expect(prepared.withSignals(others).run(several[0])).toEqual(
      backtest({ timeframeMs, startupCandles: 0, pairs: changed, range, settings: several[0] }),
    );
  });

  test('refuses signals that cannot be trusted', () => {
    const prepared = new PreparedBacktest(input);
    const wrong = pairs.map(({ candles }) => noSignals(candles.openTime.length));
    wrong[1].exitLong[3] = 2;
    expect(() => prepared.withSignals(wrong)).toThrow('B: the signal exitLong of candle 3 is 2 and not 0 or 1.');
    expect(() => prepared.withSignals(wrong.slice(1))).toThrow('There are signals for 1 pairs, and 2 pairs.');
  });
});
