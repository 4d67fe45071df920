import { candleColumns } from '#engine/market/candle.ts';
import { minuteMs } from '#engine/market/durations.ts';
import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import { requireSettings } from '#engine/settings/normalise-settings.ts';
import { afterAll, expect, test } from 'vitest';
import { patienceMs } from '../../../test/support/patience.ts';
import { CalculatingThread } from './calculating-thread.ts';
import type { HindsightTask } from './hindsight-task.ts';

const from = Date.UTC(2026, 2, 3);
const thread = new CalculatingThread({ longestMs: patienceMs });
afterAll(() => thread.close());

function task(strategyClass: string, count: number): HindsightTask {
  const candles = candleColumns(count);
  for (let i = 0; i < count; i++) {
    candles.openTime[i] = from + i * minuteMs;
    candles.open[i] = candles.close[i] = 100 + Math.round(10 * Math.sin(i / 9)) / 10;
    candles.high[i] = 102;
    candles.low[i] = 98;
    candles.volume[i] = 1;
  }
  const settings = requireSettings({ stakeAmount: 100, maxOpenTrades: 1, startingBalance: 1000, stoploss: -0.5 });
  const pairs = [{ instrument: anInstrument(), candles, funding: null }];
  return { strategyClass, code: null, settings, parameters: {}, timeframe: '1m', pairs, others: {}, from, to: from + count * minuteMs };
}

test('a calculation that fails gives its sentence, and the thread serves the next', async () => {
  expect(await thread.calculate(task('NoSuchStrategy', 10))).toEqual({
    ok: false,
    fault: 'There is no strategy NoSuchStrategy in this version',
  });
  expect(await thread.calculate(task('BuyAndHold', 500))).toMatchObject({ ok: true, figures: { trades: 1, startingBalance: 1000 } });
});

test('a calculation that takes too long ends its thread', async () => {
  const hasty = new CalculatingThread({ longestMs: 1 });
  afterAll(() => hasty.close());
  expect(await hasty.calculate(task('BuyAndHold', 500))).toEqual({
    ok: false,
    fault: 'The calculation takes too long to be made while you type.',
  });
  expect(hasty.isRunning).toBe(false);
});

test('a calculation whose thread is closed fails at once', async () => {
  const closed = new CalculatingThread();
  const calculation = closed.calculate(task('BuyAndHold', 500));
  await Promise.all([closed.close(), expect(calculation).rejects.toThrow('The thread of the calculation has ended')]);
  expect(closed.isRunning).toBe(false);
});

test('a thread without work ends, and the next task starts another', async () => {
  const idle = new CalculatingThread({ idleMs: 5, longestMs: patienceMs });
  expect(await idle.calculate(task('BuyAndHold', 50))).toMatchObject({ ok: true });
  await expect.poll(() => idle.isRunning).toBe(false);
  expect(await idle.calculate(task('BuyAndHold', 50))).toMatchObject({ ok: true });
  await idle.close();
});
