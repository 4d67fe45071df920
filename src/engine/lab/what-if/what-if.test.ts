import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { backtestStrategy } from '../../backtest/backtest-strategy.ts';
import { fingerprintOf } from '../../backtest/fingerprint.ts';
import { ema } from '../../indicators/ema.ts';
import { type CandleColumns, candleColumns } from '../../market/candle.ts';
import { minuteMs } from '../../market/durations.ts';
import { anInstrument } from '../../market/testing/an-instrument.ts';
import { requireSettings } from '../../settings/normalise-settings.ts';
import { seededRandom } from '../../simulation/seeded-random.ts';
import { noSignals, type Strategy } from '../../strategy/strategy.ts';
import { roiAtOnce, trailingDistance, type WhatIfChanges, withChanges } from './changes.ts';
import { candlesOf, type WhatIfTerms, withCandles } from './terms.ts';
import { whatIfReport } from './what-if-report.ts';
import { WhatIfRunner } from './what-if-runner.ts';

const step = 5 * minuteMs;
const begin = Date.UTC(2025, 0, 1);

function candlesFrom(count: number, seed: number): CandleColumns {
  const random = seededRandom(seed);
  const candles = candleColumns(count);
  let price = 100;
  for (let i = 0; i < count; i++) {
    const close = Math.round(price * (1 + (random() - 0.5) * 0.02) * 100) / 100;
    candles.openTime[i] = begin + i * step;
    candles.open[i] = price;
    candles.close[i] = close;
    candles.high[i] = Math.max(price, close) + 0.05;
    candles.low[i] = Math.min(price, close) - 0.05;
    candles.volume[i] = 1;
    price = close;
  }
  return candles;
}

let computed = 0;
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
    computed += 1;
    const [a, b] = [ema(close, fast), ema(close, slow)];
    const signals = noSignals(close.length, { a, b });
    for (let i = 1; i < close.length; i++) {
      if (a[i] > b[i] && a[i - 1] <= b[i - 1]) signals.enterLong[i] = 1;
      if (a[i] < b[i] && a[i - 1] >= b[i - 1]) signals.exitLong[i] = 1;
    }
    return signals;
  },
};

const settings = requireSettings({
  stakeAmount: 100,
  maxOpenTrades: 2,
  startingBalance: 200,
  tradableBalanceRatio: 1,
  amendLastStakeAmount: true,
  stoploss: -0.02,
  minimalRoi: { 0: 0.03, 60: 0.01 },
  trailingStop: true,
  trailingStopPositive: 0.01,
  trailingStopPositiveOffset: 0.02,
  trailingOnlyOffsetIsReached: true,
});
const real = { settings, parameters: { fast: 5, slow: 20 }, capital: 'stake-times-slots' } as const;
const pairs = ['BTC/USDT', 'ETH/USDT'].map((symbol, i) => ({ instrument: anInstrument({ symbol }), candles: candlesFrom(3_000, 9 + i) }));
const range = { from: begin + 100 * step, to: begin + 2_999 * step };

function aRunner(fingerprinted: number | null = null): WhatIfRunner {
  return new WhatIfRunner({
    real,
    strategy: crossing,
    compute: (candles, parameters) => crossing.compute(candles, parameters),
    timeframe: '5m',
    detailTimeframe: null,
    pairs,
    others: {},
    range,
    currency: 'USDT',
    fingerprinted,
  });
}

/** What the backtest of the same settings comes to. */
function backtestOf(changes: WhatIfChanges) {
  const changed = withChanges({ ...real, declared: crossing.parameters }, changes);
  if (!changed.ok) throw new Error(changed.reasons.join(' '));
  return backtestStrategy({
    strategy: crossing,
    parameters: changed.parameters,
    settings: changed.settings,
    timeframe: '5m',
    pairs,
    range,
  });
}

function reportOf(runner: WhatIfRunner, changes: WhatIfChanges) {
  const replayed = runner.replay(changes);
  if (!replayed.ok) throw new Error(replayed.reasons.join(' '));
  return replayed.report;
}

describe('what if', () => {
  test('a replay without changes is the backtest itself', () => {
    const report = reportOf(aRunner(), {});
    const { trades } = backtestOf({});
    expect(trades.length).toBeGreaterThan(50);
    expect(report.fingerprint).toBe(fingerprintOf(trades));
    expect(report.figures.trades).toBe(trades.length);
    expect(report.figures.netPnl).toBeCloseTo(
      trades.reduce((sum, { profit }) => sum + (profit ?? 0), 0),
      10,
    );
    expect(report.equity.at(-1)?.value).toBeCloseTo(report.figures.netPnl, 10);
    expect(new Set(report.trades.map(({ symbol }) => symbol))).toEqual(new Set(['BTC/USDT', 'ETH/USDT']));
  });

  test('with changes it is the backtest of the changed settings, whatever was replayed before', () => {
    const runner = aRunner();
    fc.assert(
      fc.property(
        fc.record(
          {
            stoploss: fc.integer({ min: 1, max: 100 }).map((thousandths) => -thousandths / 1_000),
            trailingStop: fc.integer({ min: 0, max: 15 }).map((thousandths) => thousandths / 1_000),
            roiAtOnce: fc.integer({ min: 1, max: 100 }).map((thousandths) => thousandths / 1_000),
            stake: fc.integer({ min: 20, max: 500 }),
            maxOpenTrades: fc.integer({ min: 1, max: 3 }),
            fee: fc.integer({ min: 0, max: 20 }).map((steps) => steps / 10_000),
            parameters: fc.record({ fast: fc.integer({ min: 3, max: 10 }), slow: fc.integer({ min: 11, max: 40 }) }, { requiredKeys: [] }),
          },
          { requiredKeys: [] },
        ),
        (changes) => {
          expect(reportOf(runner, changes as WhatIfChanges).fingerprint).toBe(fingerprintOf(backtestOf(changes as WhatIfChanges).trades));
        },
      ),
      { numRuns: 60 },
    );
  });

  test('settings alone never compute signals again', () => {
    const runner = aRunner();
    reportOf(runner, {});
    computed = 0;
    for (const stoploss of [-0.01, -0.03, -0.05]) reportOf(runner, { stoploss });
    expect(computed).toBe(0);
    reportOf(runner, { parameters: { fast: 6 } });
    expect(computed).toBe(2); // once for each pair
    reportOf(runner, { parameters: { fast: 6 }, stoploss: -0.04 });
    expect(computed).toBe(2);
  });

  test('what contradicts itself is refused in sentences, and the next replay is not harmed', () => {
    const runner = aRunner();
    const before = reportOf(runner, {});
    expect(runner.replay({ trailingStop: 0.03 })).toEqual({
      ok: false,
      reasons: ['The trailing offset (0.02) must be above the positive trailing stop (0.03).'],
    });
    expect(runner.replay({ parameters: { fast: 99, other: 1 } })).toEqual({
      ok: false,
      reasons: ['fast goes from 3 to 10 in steps of 1, and was 99.', 'The strategy has no parameter other.'],
    });
    expect(reportOf(runner, {})).toEqual(before);
  });

  test('a fingerprint of the first trades is of those alone', () => {
    const { trades } = backtestOf({});
    expect(reportOf(aRunner(7), {}).fingerprint).toBe(fingerprintOf(trades.slice(0, 7)));
  });

  test('figures are of closed trades: wins, the deepest fall, the longest streak', () => {
    const { figures } = reportOf(aRunner(), { fee: 0.002 });
    const { trades } = backtestOf({ fee: 0.002 });
    const profits = trades.map(({ profit }) => profit ?? 0);
    expect(figures.winRate).toBe(profits.filter((profit) => profit > 0).length / profits.length);
    let [sum, high, deepest, streak, longest] = [0, 0, 0, 0, 0];
    for (const profit of profits) {
      sum += profit;
      high = Math.max(high, sum);
      deepest = Math.max(deepest, high - sum);
      streak = profit > 0 ? 0 : streak + 1;
      longest = Math.max(longest, streak);
    }
    expect(figures.maxDrawdown).toBeCloseTo(deepest, 8);
    expect(figures.losingStreak).toBe(longest);
    expect(figures.fees).toBeGreaterThan(0);
  });

  test('without a trade there is nothing to divide by, and a sentence says why', () => {
    const { figures, noTrades, equity } = reportOf(aRunner(), { stake: 0.001 });
    expect(figures).toMatchObject({ trades: 0, netPnl: 0, winRate: null, maxDrawdown: 0, losingStreak: 0 });
    expect(noTrades).not.toBeNull();
    expect(equity.map(({ value }) => value)).toEqual([0, 0]);
  });
});

test('a trade that comes to nothing is not a win: it continues with a losing streak', () => {
  const result = backtestOf({});
  const profits = [5, -1, 0, -2, 3, 0, 1];
  const trades = result.trades.slice(0, profits.length).map((trade, i) => ({ ...trade, profit: profits[i] }));
  const { figures } = whatIfReport({ ...result, trades }, { currency: 'USDT', fingerprinted: null });
  expect(figures).toMatchObject({ losingStreak: 3, winRate: 3 / 7, maxDrawdown: 3, netPnl: 6 });
});

describe('changes', () => {
  const changed = (changes: WhatIfChanges, of: Partial<Parameters<typeof withChanges>[0]> = {}) => {
    const found = withChanges({ ...real, declared: crossing.parameters, ...of }, changes);
    if (!found.ok) throw new Error(found.reasons.join(' '));
    return found.settings;
  };

  test.each<[WhatIfChanges, object]>([
    [{ stoploss: -0.07 }, { stoploss: -0.07 }],
    [{ trailingStop: 0.015 }, { trailingStop: true, trailingStopPositive: 0.015 }],
    [{ trailingOffset: 0.05 }, { trailingStopPositiveOffset: 0.05 }],
    [{ roiAtOnce: 0.09 }, { minimalRoi: { minutes: [0, 60], ratios: [0.09, 0.01] } }],
    [{ stake: 70 }, { stakeAmount: 70, startingBalance: 140 }],
    [{ maxOpenTrades: 5 }, { maxOpenTrades: 5, startingBalance: 500 }],
    [{ fee: 0.0007 }, { fee: 0.0007 }],
    [{}, {}],
  ])('%j changes that and nothing else', (changes, expected) => {
    expect(changed(changes)).toEqual({ ...settings, ...expected });
  });

  test('the capital follows stake and slots, unless it is set by itself', () => {
    expect(changed({ stake: 300 }).startingBalance).toBe(600);
    expect(changed({ maxOpenTrades: 3 }).startingBalance).toBe(300);
    expect(changed({ stake: 300 }, { capital: 'own' }).startingBalance).toBe(200);
    expect(changed({ stoploss: -0.01 }, { settings: { ...settings, startingBalance: 5_000 } }).startingBalance).toBe(5_000);
  });

  test('a trailing stop of 0 is none, and does not wait for an offset', () => {
    expect(changed({ trailingStop: 0 })).toMatchObject({
      trailingStop: false,
      trailingStopPositive: null,
      trailingOnlyOffsetIsReached: false,
    });
    expect(trailingDistance(changed({ trailingStop: 0 }))).toBe(0);
    expect(trailingDistance(settings)).toBe(0.01);
    expect(trailingDistance({ ...settings, trailingStopPositive: null })).toBe(0.02); // at the stop's distance
  });

  test('only the first step of the ROI table is turned; one that has none gets one', () => {
    expect(changed({ roiAtOnce: 0.05 }).minimalRoi).toEqual({ minutes: [0, 60], ratios: [0.05, 0.01] });
    const later = { ...settings, minimalRoi: { minutes: [60], ratios: [0.01] } };
    expect(roiAtOnce(later)).toBeNull();
    expect(changed({ roiAtOnce: 0.05 }, { settings: later }).minimalRoi).toEqual({ minutes: [0, 60], ratios: [0.05, 0.01] });
  });
});

test('candles of all pairs, of what is read beside them and of details are counted together', () => {
  const terms = { timeframe: '1h', detailTimeframe: '5m', from: 0, to: 86_400_000, warmUp: 10, pairs: ['A', 'B'], others: ['C'] };
  expect(candlesOf(terms as unknown as WhatIfTerms)).toBe(3 * 34 + 2 * 288);
  expect(candlesOf({ ...terms, detailTimeframe: null } as unknown as WhatIfTerms)).toBe(3 * 34);
});

test('a pair whose candles end before the range is left out', () => {
  const candles = candlesFrom(10, 1);
  expect(withCandles([{ candles }, { candles: candleColumns(0) }], begin + 9 * step)).toEqual([{ candles }]);
  expect(withCandles([{ candles }], begin + 10 * step)).toEqual([]);
});
