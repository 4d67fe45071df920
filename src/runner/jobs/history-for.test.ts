import { downloadFailed } from '#storage/backtests/backtests.ts';
import type { BacktestWork } from '#storage/backtests/jobs.ts';
import { NoRoomForCandles } from '#storage/candles/no-room-for-candles.ts';
import { expect, test } from 'vitest';
import type { BacktestDependencies } from './backtest-dependencies.ts';
import { historyFor } from './history-for.ts';

/** Fetches a history of which the first thing that is asked for fails with an error; gives what is thrown and what is logged. */
async function failing(error: Error, isOver = false): Promise<{ thrown: unknown; logged: string[] }> {
  const logged: string[] = [];
  const dependencies = {
    markets: {
      async market() {
        throw error;
      },
    },
    log: (line: string) => void logged.push(line),
  } as unknown as BacktestDependencies;
  const work: BacktestWork = { signal: isOver ? AbortSignal.abort() : new AbortController().signal, progress: async () => {} };
  const series = { exchangeId: 'sandbox', marketType: 'spot', symbol: 'BTC/USDT', timeframe: '1m' } as const;
  let thrown: unknown = null;
  try {
    await historyFor(dependencies, series, { candles: { from: 0, to: 0 }, funding: null }, work);
  } catch (cause) {
    thrown = cause;
  }
  return { thrown, logged };
}

test.each([
  Object.assign(new Error('terminating connection due to administrator command'), { code: '57P01' }),
  Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' }),
  new Error('Connection terminated unexpectedly'),
  new Error('Query read timeout'),
])('a lost database is not a failure of the exchange: %s', async (error) => {
  expect(await failing(error)).toEqual({ thrown: error, logged: [] });
});

test('a full disk is said so, with what is free in the log', async () => {
  const error = new NoRoomForCandles('999 MB are free.');
  expect(await failing(error)).toEqual({ thrown: error, logged: ['a download was refused'] });
});

test('anything else is one sentence, with its cause in the log; the end of a run is neither', async () => {
  const error = new Error('It does not answer.');
  expect(await failing(error)).toEqual({ thrown: new Error(downloadFailed, { cause: error }), logged: ['a download failed'] });
  expect((await failing(error, true)).thrown).toBe(error);
});
