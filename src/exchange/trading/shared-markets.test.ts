import { afterAll, expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { newTrading } from './testing/sandbox-account.ts';

const sandbox = await startSandbox();
afterAll(() => sandbox.close());

test('the instruments are loaded once for all accounts of a market', async () => {
  sandbox.faults.add({ path: '/api/v3/exchangeInfo', times: 1, fault: { kind: 'delay', ms: 50 } });
  sandbox.faults.add({ path: '/api/v3/exchangeInfo', times: 1, fault: { kind: 'reset' } });
  const accounts = await Promise.all([1, 2, 3].map(() => newTrading(sandbox, 'spot')));
  onTestFinished(async () => void (await Promise.all(accounts.map((account) => account.close()))));
  expect(sandbox.faults.list()).toHaveLength(1); // nobody has met the second one
  for (const account of accounts) expect(await account.openOrders('BTC/USDT')).toEqual([]);
});

test('a list that could not be loaded is loaded by the next account', async () => {
  sandbox.faults.clear();
  sandbox.faults.add({ path: '/fapi/v1/exchangeInfo', times: 1, fault: { kind: 'reset' } });
  await expect(newTrading(sandbox, 'futures')).rejects.toMatchObject({ kind: 'temporary' });
  const account = await newTrading(sandbox, 'futures');
  onTestFinished(() => account.close());
  expect(await account.openOrders('BTC/USDT:USDT')).toEqual([]);
});
