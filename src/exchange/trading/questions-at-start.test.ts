import { afterAll, afterEach, expect, onTestFinished, test } from 'vitest';
import { hourMs } from '#engine/market/durations.ts';
import { anOrderRequest } from '#engine/ports/testing/an-order-request.ts';
import type { OrderRequest, Trading } from '#engine/ports/trading.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { connect } from '../connect.ts';
import { RequestBudget } from '../request-budget.ts';
import { OrderBudget } from './order-budget.ts';
import { newTrading } from './testing/sandbox-account.ts';

const sandbox = await startSandbox();
afterAll(() => sandbox.close());
afterEach(() => sandbox.faults.clear());
const symbol = 'BTC/USDT:USDT';

/** Places a stop far below the market, and cancels it. */
async function endedStop(trading: Awaited<ReturnType<typeof newTrading>>, clientOrderId: string): Promise<void> {
  const stop = { type: 'stop', side: 'sell', price: null, stopPrice: 1_000, amount: 0.1, reduceOnly: false } as const;
  await trading.place(anOrderRequest({ ...stop, clientOrderId, symbol, expiresAt: sandbox.clock.now() + 5_000 }));
  await trading.cancel(symbol, clientOrderId);
}

test('conditional orders are asked for once with the orders of a symbol, and none is left out later', async () => {
  const trading = await newTrading(sandbox, 'futures');
  onTestFinished(() => trading.close());
  const since = sandbox.clock.now() - 1_000;
  await endedStop(trading, 'first');
  await endedStop(trading, 'second');
  for (let i = 0; i < 2; i++) sandbox.faults.add({ path: '/fapi/v1/allAlgoOrders', times: 1, fault: { kind: 'delay', ms: 1 } });
  const ids = async () => (await trading.ordersSince(symbol, since)).map(({ clientOrderId }) => clientOrderId);
  expect(await ids()).toEqual(['first', 'second']);
  expect(sandbox.faults.list()).toHaveLength(1);
  expect(await ids()).toEqual(['first', 'second']); // though the first has ended and was read before
});

test.each(['spot', 'futures'] as const)('questions of a bot that begins leave room for those of others on %s', async (marketType) => {
  const budget = new RequestBudget(10_000);
  const trading = await newTrading(sandbox, marketType, { budget });
  onTestFinished(() => trading.close());
  budget.correct(7_100);
  const answered: string[] = [];
  void trading.patiently(() => trading.openOrders()).then(() => answered.push('patient'), String);
  await trading.openOrders();
  await trading.balances();
  expect(answered).toEqual([]);
});

test.each([
  ['the leverage', '/fapi/v1/leverage', (trading: Trading): Promise<unknown> => trading.setLeverage(symbol, 5)],
  ['the margin mode', '/fapi/v1/marginType', (trading: Trading): Promise<unknown> => trading.setMarginMode(symbol, 'isolated')],
  ['the question about the settings', '/fapi/v1/symbolConfig', (trading: Trading): Promise<unknown> => trading.marginSettings(symbol)],
])('%s of an entry waits while only room for stops and exits is left, and a stop does not', async (_name, path, ask) => {
  const budget = new RequestBudget(10_000);
  const trading = await newTrading(sandbox, 'futures', { budget });
  onTestFinished(() => trading.close());
  sandbox.faults.add({ path, times: 1, fault: { kind: 'delay', ms: 1 } });
  await ask(trading);
  expect(sandbox.faults.list()).toEqual([]); // that is how it is noticed that it was sent
  budget.correct(8_001);
  sandbox.faults.add({ path, times: 1, fault: { kind: 'delay', ms: 1 } });
  const failed: unknown[] = [];
  void ask(trading).catch((error: unknown) => failed.push(error));
  await endedStop(trading, 'protects');
  expect(sandbox.faults.list()).toHaveLength(1);
  await expect.poll(() => failed).toMatchObject([{ kind: 'temporary' }]);
  expect(sandbox.faults.list()).toHaveLength(1);
});

test('an entry waits while only room for stops and exits is left, and an exit does not', async () => {
  const budget = new RequestBudget(10_000);
  const trading = await newTrading(sandbox, 'futures', { budget });
  onTestFinished(() => trading.close());
  const expiresAt = sandbox.clock.now() + 60_000;
  const place = (given: Partial<OrderRequest> & Pick<OrderRequest, 'clientOrderId'>) =>
    trading.place(anOrderRequest({ symbol, amount: 0.1, expiresAt, ...given }));
  await place({ clientOrderId: 'in', isEntry: true });
  budget.correct(8_001);
  for (let i = 0; i < 2; i++) sandbox.faults.add({ method: 'POST', path: '/fapi/v1/order', times: 1, fault: { kind: 'delay', ms: 1 } });
  const failed: unknown[] = [];
  void place({ clientOrderId: 'more', isEntry: true }).catch((error: unknown) => failed.push(error));
  await place({ clientOrderId: 'out', side: 'sell', reduceOnly: true });
  await expect.poll(() => failed).toMatchObject([{ kind: 'temporary' }]);
  expect(sandbox.faults.list()).toHaveLength(1); // only the exit was sent
});

test.each(['spot', 'futures'] as const)('a lost order is looked for while prices wait for their turn on %s', async (marketType) => {
  const budget = new RequestBudget(10_000);
  const trading = await newTrading(sandbox, marketType, { budget });
  onTestFinished(() => trading.close());
  budget.correct(7_600);
  const answered: string[] = [];
  void trading.openOrders().then(() => answered.push('open orders'), String);
  expect(await trading.order(marketType === 'spot' ? 'BTC/USDT' : symbol, 'lost')).toBeNull();
  expect(answered).toEqual([]);
});

test.each(['spot', 'futures'] as const)(
  'entries leave a fifth of the orders of an account on %s to stops and exits',
  async (marketType) => {
    const orderBudget = new OrderBudget([{ windowMs: hourMs, most: 5, header: 'none' }]);
    const trading = await newTrading(sandbox, marketType, { orderBudget });
    onTestFinished(() => trading.close());
    const of = marketType === 'spot' ? 'BTC/USDT' : symbol;
    const place = (clientOrderId: string, patienceMs: number, given: Partial<OrderRequest>) =>
      trading.place(anOrderRequest({ symbol: of, amount: 0.01, clientOrderId, expiresAt: sandbox.clock.now() + patienceMs, ...given }));
    for (const id of ['1', '2', '3', '4']) await place(id, 60_000, { isEntry: true });
    const path = marketType === 'spot' ? '/api/v3/order' : '/fapi/v1/order';
    for (let i = 0; i < 2; i++) sandbox.faults.add({ method: 'POST', path, times: 1, fault: { kind: 'delay', ms: 1 } });
    const failed: unknown[] = [];
    void place('5', 1_000, { isEntry: true }).catch((error: unknown) => failed.push(error));
    expect(await place('out', 60_000, { side: 'sell' })).toMatchObject({ state: 'filled' });
    await expect.poll(() => failed).toMatchObject([{ kind: 'temporary' }]);
    expect(sandbox.faults.list()).toHaveLength(1); // only the exit was sent
  },
);

test('the minute of USD-M has room for what Binance allows, and the sandbox for ten times as much', async () => {
  const ratio = async (exchangeId: string) => {
    const { client, budget } = connect({ exchangeId, marketType: 'futures', sandboxUrl: sandbox.url });
    const before = budget.usedRatio();
    await budget.take(24);
    await client.close();
    return budget.usedRatio() - before;
  };
  expect(await ratio('binance')).toBeCloseTo(0.01, 12);
  expect(await ratio('sandbox')).toBeCloseTo(0.001, 12);
});
