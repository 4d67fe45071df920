import { expect, test } from 'vitest';
import { brokenPromises } from './torture/broken-promises.ts';
import { randomBacktest } from './torture/random-backtest.ts';

test('random settings and callbacks break no promise of a backtest (the first seeds of npm run torture)', () => {
  let trades = 0;
  for (let seed = 1; seed <= 60; seed++) {
    const found = brokenPromises(randomBacktest(seed));
    trades += found.trades;
    expect(found.faults, `seed ${seed}: npm run torture backtests 1 ${seed}`).toEqual([]);
  }
  expect(trades).toBeGreaterThan(1000);
});
