import { describe, expect, test } from 'vitest';
import { aTrade } from '../account/testing/a-trade.ts';
import { candleColumns, type CandleColumns } from '../market/candle.ts';
import { minuteMs } from '../market/durations.ts';
import { anInstrument } from '../market/testing/an-instrument.ts';
import { requireSettings, type SettingsInput } from '../settings/normalise-settings.ts';
import { seededRandom } from '../simulation/seeded-random.ts';
import { noSignals, type Signals } from '../strategy/strategy.ts';
import { backtest } from './backtest.ts';
import { fingerprintLines } from './fingerprint.ts';
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

  test('a run that is cut and continued from its middle makes the same trades, wherever it is cut', () => {
    const quirksOff = ['priceTickReadFromCandles'] as const; // how many candles it is read from depends on the cut
    for (const settings of [several[0], several[1], { ...several[2], protections: [] }]) {
      const whole = new PreparedBacktest(input).run(settings, { quirksOff, staysOpen: true });
      for (const cut of [60, 137, 251, 388]) {
        const part = (range: { from: number; to: number }) => new PreparedBacktest({ ...input, range });
        const first = part({ from: 20 * timeframeMs, to: (cut - 1) * timeframeMs }).run(settings, { quirksOff, staysOpen: true });
        const rest = part({ from: (cut - 1) * timeframeMs, to: Infinity }).run(settings, {
          quirksOff,
          staysOpen: true,
          start: {
            trades: first.unclosedTrades,
            closed: first.trades,
            closedProfit: first.trades.reduce((sum, { profit }) => sum + profit!, 0),
            locks: [],
          },
        });
        expect(fingerprintLines([...first.trades, ...rest.trades])).toEqual(fingerprintLines(whole.trades));
        expect(fingerprintLines(rest.unclosedTrades)).toEqual(fingerprintLines(whole.unclosedTrades));
        const ids = [...first.trades, ...rest.trades, ...rest.unclosedTrades].map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(first.unclosedTrades.length + rest.trades.length).toBeGreaterThan(0);
      }
    }
  });

  test('what is open at the end stays open where nothing is to be closed, and the last candle may be entered', () => {
    const signals = noSignals(600);
    signals.enterLong[598] = 1;
    const one = { ...input, pairs: [{ ...pairs[0], signals }] };
    expect(new PreparedBacktest(one).run(several[0]).trades).toEqual([]);
    const result = new PreparedBacktest(one).run(several[0], { staysOpen: true });
    expect([result.trades.length, result.unclosedTrades.map(({ isOpen }) => isOpen)]).toEqual([0, [true]]);
  });

  test('a run that begins with a trade of none of its pairs says so', () => {
    const trade = aTrade({ symbol: 'C' });
    const start = { trades: [trade], closed: [], closedProfit: 0, locks: [] };
    expect(() => new PreparedBacktest(input).run(several[0], { start })).toThrow(
      'The run begins with a trade of C, which is none of its pairs.',
    );
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
