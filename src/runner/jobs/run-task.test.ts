import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import { candleColumns } from '#engine/market/candle.ts';
import { minuteMs } from '#engine/market/durations.ts';
import { requireSettings } from '#engine/settings/normalise-settings.ts';
import type { Strategy } from '#engine/strategy/strategy.ts';
import { noSignals } from '#engine/strategy/strategy.ts';
import { strategyOfClass } from '#strategies/built-in.ts';
import { expect, test } from 'vitest';
import { runHindsight } from '../hindsight/run-hindsight.ts';
import type { BacktestTask } from './backtest-task.ts';
import { runTask } from './run-task.ts';

const from = Date.UTC(2025, 2, 3);
const count = 600;
const candles = candleColumns(count);
for (let i = 0; i < count; i++) {
  const price = Math.round(10_000 + 500 * Math.sin(i / 9)) / 100;
  candles.openTime[i] = from + i * minuteMs;
  for (const column of ['open', 'high', 'low', 'close'] as const) candles[column][i] = price;
  candles.volume[i] = 1;
}
const instrument = anInstrument();
const task: BacktestTask = {
  code: null,
  python: null,
  strategyClass: 'Test',
  parameters: {},
  settings: requireSettings({ stakeAmount: 100, maxOpenTrades: 1, startingBalance: 1000, stoploss: -0.5, minimalRoi: { 0: 0.01 } }),
  instrument,
  timeframe: '1m',
  candles,
  funding: null,
  others: {},
  from,
  to: from + count * minuteMs,
};

/** Enters where the next close is higher; by the candle before in the honest case, by the candle after in the other. */
function strategy(step: -1 | 1): Strategy {
  return {
    ...strategyOfClass('AlwaysFlat'),
    name: 'Waves',
    startupCandles: 0,
    compute({ close }) {
      const signals = noSignals(close.length);
      for (let i = 0; i < close.length; i++) {
        const other = close[i + step];
        if (other !== undefined) signals.enterLong[i] = Number(other > close[i]);
      }
      return signals;
    },
  };
}

test('a backtest from the screen refuses a strategy that looks ahead, in the words of the command', () => {
  expect(() => runTask(strategy(1), task, () => {})).toThrow(
    /^Waves looks ahead: on \S+ enterLong of the candle of 2025-03-03 \d\d:\d\d \(number \d+\) is 0 when the candles up to .* are known, and 1 when later ones are\.$/u,
  );
});

test('a strategy is computed with the parameters of the task', () => {
  const given: unknown[] = [];
  const parameter = { min: 1, max: 20, step: 1, meaning: 'Candles.' };
  const declared: Strategy<'fast' | 'slow'> = {
    ...strategy(-1),
    parameters: { fast: { ...parameter, default: 3 }, slow: { ...parameter, default: 11 } },
    compute(columns, values) {
      given.push({ ...values });
      return strategy(-1).compute(columns, {});
    },
  };
  const parameters = { fast: 4, slow: 9 };
  runTask(declared, { ...task, parameters }, () => {});
  runHindsight(declared, { ...task, parameters, pairs: [task] });
  expect(given.length).toBeGreaterThan(2);
  for (const values of given) expect(values).toEqual(parameters);
});

test('a backtest reports how far it is, step by step, and gives what the screen draws', () => {
  const steps: [number, string][] = [];
  const outcome = runTask(strategy(-1), task, (progress, step) => steps.push([progress, step]));
  expect(steps[0]).toEqual([0, 'Calculating signals']);
  expect(steps.at(-1)).toEqual([1, 'Preparing the result']);
  const running = steps.slice(1, -1);
  expect(running.length).toBeGreaterThan(10);
  expect(running.every(([, step]) => step === 'Running')).toBe(true);
  expect(running.map(([progress]) => progress)).toEqual(running.map(([progress]) => progress).toSorted((a, b) => a - b));
  expect(outcome.metrics.total_trades).toBeGreaterThan(0);
});
