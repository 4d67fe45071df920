import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { afterAll, describe, expect, test } from 'vitest';
import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import { minuteMs } from '#engine/market/durations.ts';
import { requireSettings } from '#engine/settings/normalise-settings.ts';
import { wallsOfSystem } from '#strategy-process/child-command.ts';
import { classText, type ClassParts } from '#strategy-process/python/testing/class-text.ts';
import { needsPython, testPython } from '#strategy-process/python/testing/test-python.ts';
import { WarmParents } from '#strategy-process/python/warm-parents.ts';
import { trialCandles } from '#strategy-process/trial-candles.ts';
import { patienceMs } from '../../../test/support/patience.ts';
import type { BacktestTask } from './backtest-task.ts';
import { inThreads } from './in-thread.ts';

const parents = new WarmParents(wallsOfSystem());
afterAll(() => parents.end());

const candles = trialCandles(900, '5m', 3);
const instrument = anInstrument();
const program = testPython ?? '';

/** A class that says in the tag of its entries which program its process runs. */
const whoRuns: ClassParts = {
  head: 'import os, sys, time',
  methods: `
def custom_exit(self, trade, **words):
    return os.path.basename(sys.argv[0])
`,
};

function taskOf(parts: ClassParts): BacktestTask {
  const [from = 0] = candles.openTime;
  return {
    code: { file: 'Runs.py', files: { 'Runs.py': classText('Runs', parts) }, exportName: 'Runs' },
    python: { program, config: {}, pairs: [instrument.symbol], parameters: {}, series: [], notes: [] },
    strategyClass: 'Runs',
    parameters: {},
    settings: requireSettings({ stakeAmount: 100, maxOpenTrades: 1, startingBalance: 1000, stoploss: -0.5, minimalRoi: { 0: 0.5 } }),
    instrument,
    timeframe: '5m',
    candles,
    funding: null,
    others: {},
    from,
    to: from + candles.openTime.length * 5 * minuteMs,
  };
}

/** Why the trades of a run were left. */
async function exitsOf(task: BacktestTask, from: Pick<WarmParents, 'of'> = parents): Promise<string[]> {
  const work = { signal: new AbortController().signal, progress: async () => undefined };
  const { result } = await inThreads(task, work, from, () => Promise.reject(new Error('It reads nothing besides')));
  return result.trades.map(({ exit_reason }) => exit_reason);
}

describe.skipIf(testPython === null)(needsPython('a backtest in Python'), () => {
  test('is run by a copy of a warm parent, each in one of its own, which ends with it', async () => {
    const first = await exitsOf(taskOf(whoRuns));
    expect(first.length).toBeGreaterThan(5);
    expect(new Set(first)).toEqual(new Set(['parent.py']));
    const kept = `
if hasattr(os, "seen"):
    raise ValueError("somebody else's")
os.seen = True`;
    const keeps = { ...whoRuns, head: `${whoRuns.head}${kept}` };
    expect(await Promise.all([exitsOf(taskOf(keeps)), exitsOf(taskOf(keeps))])).toEqual([first, first]);
    await expect.poll(() => parents.of(program).size).toBe(0);
  });

  test('is run by a Python of its own where there is no parent, with the same trades', async () => {
    const own = await exitsOf(taskOf(whoRuns), { of: () => parents.of('/bin/false') });
    expect(new Set(own)).toEqual(new Set(['main.py']));
    expect(own).toHaveLength((await exitsOf(taskOf(whoRuns))).length);
  });

  test('that kills its process says how that has ended, and one that is cut short leaves none', async () => {
    const killed = { ...whoRuns, populate: 'os.abort()' };
    await expect(exitsOf(taskOf(killed))).rejects.toThrow('The strategy’s process has ended by itself (by SIGABRT).');
    const hanging = taskOf({ ...whoRuns, populate: 'while True: time.sleep(1)' });
    const controller = new AbortController();
    const work = { signal: controller.signal, progress: async () => undefined };
    const run = inThreads(hanging, work, parents, () => Promise.reject(new Error('It reads nothing besides')));
    run.catch(() => undefined);
    await expect.poll(() => parents.of(program).size, { timeout: patienceMs }).toBe(1);
    controller.abort();
    await expect(run).rejects.toThrow();
    await expect.poll(() => parents.of(program).size, { timeout: patienceMs }).toBe(0);
  });

  test('that is cut short while its thread waits for the class ends then, and not when the class has had all its time', async () => {
    const hanging = taskOf({ ...whoRuns, populate: `os.nice(${nicest - 10})\nwhile True: time.sleep(1)` });
    const controller = new AbortController();
    const work = { signal: controller.signal, progress: async () => undefined };
    const run = inThreads(hanging, work, parents, () => Promise.reject(new Error('It reads nothing besides')));
    run.catch(() => undefined);
    await expect.poll(isAnyNicest, { timeout: patienceMs }).toBe(true); // the class is at work
    controller.abort();
    const isOver = run.catch(() => 'over');
    await expect.poll(() => Promise.race([isOver, Promise.resolve('waits')]), { timeout: patienceMs }).toBe('over'); // half of what the class may take
  });
});

const nicest = 17; // no other process here is as nice

function isAnyNicest(): boolean {
  return readdirSync('/proc').some((name) => {
    try {
      return /^\d+$/u.test(name) && getPriority(Number(name)) === nicest;
    } catch {
      return false; // it has ended
    }
  });
}
