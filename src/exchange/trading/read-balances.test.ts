import { afterAll, afterEach, expect, onTestFinished, test } from 'vitest';
import { secondMs } from '#engine/market/durations.ts';
import type { AccountReport } from '#engine/ports/trading.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { readBalances } from './create-trading.ts';
import { newCredentials, newTrading } from './testing/sandbox-account.ts';

const sandbox = await startSandbox({ controlPort: 0 });
afterEach(() => sandbox.faults.clear());
afterAll(() => sandbox.close());

const optionsOf = (marketType: 'spot' | 'futures') => ({
  exchangeId: 'sandbox',
  sandboxUrl: sandbox.url,
  accountId: 'a',
  marketType,
  now: () => sandbox.clock.now(),
});

test.each(['spot', 'futures'] as const)('the balances on %s are read without a user stream of their own', async (marketType) => {
  const credentials = await newCredentials(sandbox);
  sandbox.faults.sockets.refuse(100);
  const logged: string[] = [];
  const found = await readBalances({ ...optionsOf(marketType), credentials, log: (message) => logged.push(message) });
  expect(found.find(({ currency }) => currency === 'USDT')).toEqual({ currency: 'USDT', free: 10_000, locked: 0 });
  expect(logged).toEqual([]);
});

test.each(['spot', 'futures'] as const)('one that is watched on %s meanwhile misses nothing', async (marketType) => {
  const credentials = await newCredentials(sandbox);
  const trading = await newTrading(sandbox, marketType, { credentials });
  onTestFinished(() => trading.close());
  const reports: AccountReport[] = [];
  trading.watch((report) => reports.push(report));
  await readBalances({ ...optionsOf(marketType), credentials });
  await trading.place({
    clientOrderId: 'after',
    symbol: marketType === 'spot' ? 'ETH/USDT' : 'ETH/USDT:USDT',
    side: 'buy',
    type: 'market',
    amount: 0.01,
    price: null,
    stopPrice: null,
    reduceOnly: false,
    expiresAt: sandbox.clock.now() + 5 * secondMs,
  });
  await expect.poll(() => reports.some((report) => report.kind === 'order' && report.fill !== null)).toBe(true);
  expect(reports.filter(({ kind }) => kind === 'gap')).toEqual([]);
});

test('an exchange where live trading was never tried says so', async () => {
  const credentials = await newCredentials(sandbox);
  await expect(readBalances({ ...optionsOf('spot'), exchangeId: 'kraken', credentials })).rejects.toMatchObject({ kind: 'rejected' });
});
