import { afterAll, afterEach, expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { RequestBudget } from '../request-budget.ts';
import { sharedClock } from './shared-clock.ts';
import { newTrading } from './testing/sandbox-account.ts';

const sandbox = await startSandbox();
afterAll(() => sandbox.close());
afterEach(() => sandbox.faults.clear());
const options = { exchangeId: 'sandbox', marketType: 'spot', sandboxUrl: sandbox.url } as const;
const path = '/api/v3/time';

/** The clock of this machine, as a clock of its own for each test. */
const ownClock = () => () => Date.now();

test('the time of an exchange is measured once for all accounts of a market', async () => {
  sandbox.faults.add({ path, times: 3, fault: { kind: 'delay', ms: 30 } });
  sandbox.faults.add({ path, times: 1, fault: { kind: 'reset' } });
  const now = ownClock();
  const accounts = await Promise.all([1, 2, 3].map(() => newTrading(sandbox, 'spot', { now })));
  onTestFinished(async () => void (await Promise.all(accounts.map((account) => account.close()))));
  expect(sandbox.faults.list()).toHaveLength(1); // the fourth question was never asked
});

test('the time is asked for while other questions have used up their share of the requests', async () => {
  const budget = new RequestBudget(100);
  budget.correct(80); // of the exchange's limit, more than questions may use
  await sharedClock({ ...options, budget }, ownClock()).refresh();
  expect(budget.usedRatio()).toBeGreaterThan(0.8);
});

test('another market, sandbox or machine clock has a clock of its own', () => {
  const [now, other] = [ownClock(), ownClock()];
  const clock = sharedClock(options, now);
  expect(sharedClock({ ...options }, now)).toBe(clock);
  expect(sharedClock({ ...options, marketType: 'futures' }, now)).not.toBe(clock);
  expect(sharedClock({ ...options, sandboxUrl: 'http://127.0.0.1:1' }, now)).not.toBe(clock);
  expect(sharedClock(options, other)).not.toBe(clock);
});
