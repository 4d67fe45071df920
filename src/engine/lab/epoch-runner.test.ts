import { describe, expect, test } from 'vitest';
import { backtestStrategy } from '../backtest/backtest-strategy.ts';
import { ema } from '../indicators/ema.ts';
import { type CandleColumns, candleColumns } from '../market/candle.ts';
import { minuteMs } from '../market/durations.ts';
import { anInstrument } from '../market/testing/an-instrument.ts';
import { requireSettings } from '../settings/normalise-settings.ts';
import { seededRandom } from '../simulation/seeded-random.ts';
import { noSignals, type Strategy } from '../strategy/strategy.ts';
import type { Dimension } from './dimension.ts';
import { dailyProfits, epochFigures } from './epoch-figures.ts';
import { EpochRunner, type EpochSetup } from './epoch-runner.ts';
import { choicesAt, searchSpace } from './search-space.ts';

const step = 5 * minuteMs;
const begin = Date.UTC(2025, 0, 1);

function candlesOf(count: number, missing: readonly number[] = []): CandleColumns {
  const random = seededRandom(9);
  const rows = Array.from({ length: count }, (_, i) => i).filter((i) => !missing.includes(i));
  const candles = candleColumns(rows.length);
  let price = 100;
  rows.forEach((row, i) => {
    const close = Math.round(price * (1 + (random() - 0.5) * 0.02) * 100) / 100;
    candles.openTime[i] = begin + row * step;
    candles.open[i] = price;
    candles.close[i] = close;
    candles.high[i] = Math.max(price, close) + 0.05;
    candles.low[i] = Math.min(price, close) - 0.05;
    candles.volume[i] = 1;
    price = close;
  });
  return candles;
}

const crossing: Strategy<'fast' | 'slow'> = {
  name: 'Crossing',
  title: '',
  description: '',
  losesWhen: '',
  kind: 'trend',
  canShort: false,
  startupCandles: 60,
  defaults: {
    timeframe: '5m',
    stoploss: -0.1,
    minimalRoi: {},
    trailingStop: false,
    trailingStopPositive: null,
    trailingStopPositiveOffset: 0,
    trailingOnlyOffsetIsReached: false,
  },
  parameters: {
    fast: { default: 5, min: 3, max: 10, step: 1, meaning: '' },
    slow: { default: 20, min: 11, max: 40, step: 1, meaning: '' },
  },
  compute({ close }, { fast, slow }) {
    const [a, b] = [ema(close, fast), ema(close, slow)];
    const signals = { ...noSignals(close.length, { a, b }), tags: ['up'], enterTag: new Uint8Array(close.length) };
    for (let i = 1; i < close.length; i++) {
      if (a[i] > b[i] && a[i - 1] <= b[i - 1]) signals.enterLong[i] = signals.enterTag[i] = 1;
      if (a[i] < b[i]) signals.exitLong[i] = 1;
    }
    return signals;
  },
};

const base = {
  strategy: crossing,
  settings: requireSettings({ stakeAmount: 100, maxOpenTrades: 1, stoploss: -0.03, minimalRoi: { 0: 0.02 }, fee: 0.001 }),
  timeframe: '5m' as const,
};
const pairs = [{ instrument: anInstrument({ symbol: 'A/USDT', amountStep: 0.001 }), candles: candlesOf(2_000) }];
const spaceOf = (...spaces: ('buy' | 'stoploss' | 'roi')[]): Dimension[] => searchSpace(base, spaces).dimensions;

function runnerOf(dimensions: readonly Dimension[], more: Partial<EpochSetup> = {}) {
  const computed: string[] = [];
  const runner = new EpochRunner({
    base,
    dimensions,
    loss: 'OnlyProfitHyperOptLoss',
    minTrades: 1,
    pairs,
    others: {},
    detailTimeframe: null,
    range: null,
    quirksOff: [],
    callbacks: {},
    compute(candles, parameters, _symbol, others) {
      computed.push(JSON.stringify(parameters));
      return crossing.compute(candles, parameters, others);
    },
    ...more,
  });
  return { runner, computed };
}

/** The same point as a backtest of its own. */
function alone(
  dimensions: readonly Dimension[],
  point: readonly number[],
  more: { candles?: CandleColumns; range?: EpochSetup['range'] } = {},
) {
  const { parameters, settings } = choicesAt(base, dimensions, point);
  const { candles = pairs[0].candles, range = null } = more;
  const { computed: _, ...result } = backtestStrategy({
    strategy: crossing,
    parameters,
    settings,
    timeframe: '5m',
    pairs: [{ ...pairs[0], candles }],
    range,
  });
  return result;
}

describe('epochs', () => {
  const all = spaceOf('buy', 'stoploss', 'roi');
  const points = Array.from({ length: 12 }, (_, i) => all.map((_each, at) => (i * 7 + at * 3) % 8));

  test('each is the backtest of its parameters and settings', () => {
    const { runner } = runnerOf(all);
    for (const point of points) expect(runner.run(point)).toEqual(alone(all, point));
    expect(runner.run(points[0]).trades.length).toBeGreaterThan(20);
  });

  test('where candles are missing, and in a part of the time, too', () => {
    const candles = candlesOf(2_000, [500, 501, 502, 1_300]);
    const range = { from: begin + 300 * step, to: begin + 1_500 * step };
    const { runner } = runnerOf(all, { pairs: [{ ...pairs[0], candles }], range });
    for (const point of points.slice(0, 3)) expect(runner.run(point)).toEqual(alone(all, point, { candles, range }));
  });

  test('settings alone never compute signals again; parameters do once each', () => {
    const settings = spaceOf('stoploss', 'roi');
    const { runner, computed } = runnerOf(settings);
    for (let i = 0; i < 30; i++) runner.outcome(settings.map((_, at) => (i + at) % 20));
    expect(computed).toHaveLength(1);
    const both = runnerOf(spaceOf('buy', 'stoploss'));
    for (let i = 0; i < 30; i++) both.runner.outcome([i % 3, 0, i]);
    expect(both.computed).toHaveLength(3);
  });

  test('only so many signals are kept', () => {
    const many = { ...pairs[0], candles: candlesOf(100_000) }; // 12 bytes a row: room for 13
    const buy = spaceOf('buy');
    const { runner, computed } = runnerOf(buy, { pairs: [many], range: { from: begin, to: begin + 99_999 * step } });
    for (let i = 0; i < 14; i++) runner.run([0, i]);
    runner.run([0, 13]);
    expect(computed).toHaveLength(14);
    runner.run([0, 0]); // the one that was used longest ago is gone
    expect(computed).toHaveLength(15);
  });

  test('fees doubled and signals a candle late are what they say', () => {
    const { runner } = runnerOf(all);
    const [point] = points;
    const { parameters, settings } = choicesAt(base, all, point);
    const run = (fee: number, late: boolean) => {
      const strategy: Strategy = {
        ...crossing,
        compute(candles) {
          const signals = crossing.compute(candles, parameters);
          if (!late) return signals;
          const after = (column: Uint8Array) => Uint8Array.from(column, (_, i) => (i === 0 ? 0 : column[i - 1]));
          return {
            ...signals,
            enterLong: after(signals.enterLong),
            exitLong: after(signals.exitLong),
            enterTag: signals.enterTag === null ? null : after(signals.enterTag as Uint8Array),
          };
        },
      };
      const input = { strategy, parameters, settings: { ...settings, fee }, timeframe: '5m', pairs } as const;
      const { computed: _, ...result } = backtestStrategy(input);
      return result;
    };
    expect(runner.run(point, 'doubled-fees')).toEqual(run(0.002, false));
    expect(runner.run(point, 'delayed-signals')).toEqual(run(0.001, true));
    expect(runner.run(point)).toEqual(run(0.001, false));
  });

  test('the fee of the market is doubled where none is configured', () => {
    const free = { ...base, settings: { ...base.settings, fee: null } };
    const { runner } = runnerOf(all, { base: free });
    expect(runner.run(points[0], 'doubled-fees').feeRatio).toBe(2 * runner.run(points[0]).feeRatio);
  });

  test('with too few trades there is no loss, and a profit without a drawdown is a number that can be written down', () => {
    const { runner } = runnerOf(all, { minTrades: 10_000 });
    expect(runner.outcome(points[0]).loss).toBeNull();
    const infinite = runnerOf(all, { loss: 'MaxDrawDownHyperOptLoss' }).runner;
    const result = runnerOf(all).runner.run(points[0]);
    const won = { ...result, trades: result.trades.slice(0, 1).map((trade) => ({ ...trade, profit: 1 })) };
    expect(infinite.outcomeOf(won).loss).toBe(-Number.MAX_VALUE);
    expect(infinite.outcomeOf({ ...won, trades: [] }).loss).toBeNull();
  });

  test('figures and daily profits add up', () => {
    const result = runnerOf(all).runner.run(points[0]);
    const figures = epochFigures(result);
    const days = dailyProfits(result);
    expect(figures.wins + figures.draws + figures.losses).toBe(result.trades.length);
    expect(figures.finalBalance - result.startingBalance).toBeCloseTo(figures.profit, 8);
    expect(days).toHaveLength(7); // the first row after the warm-up is of 1 January, the last candle of 7 January
    expect(days.reduce((sum, each) => sum + each, 0)).toBeCloseTo(figures.profitRatio, 10);
  });
});
