import { expect, test } from 'vitest';
import { brokenPromises } from './broken-promises.ts';
import { randomBacktest } from './random-backtest.ts';

// npm run torture backtests [HOW MANY] [FIRST SEED]

const count = Number(process.env['TORTURE_SIZE'] ?? 2000);
const first = Number(process.env['TORTURE_SEED'] ?? 1);

test(`no promise is broken by the backtests of the seeds ${first} to ${first + count - 1}`, { timeout: 24 * 3_600_000 }, () => {
  let trades = 0;
  for (let seed = first; seed < first + count; seed++) {
    const found = brokenPromises(randomBacktest(seed));
    trades += found.trades;
    expect(found.faults, `seed ${seed}: npm run torture backtests 1 ${seed}`).toEqual([]);
  }
  expect(trades).toBeGreaterThan(0);
  process.stdout.write(`${count} backtests, ${trades} trades\n`);
});
