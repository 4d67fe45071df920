import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { clientOrderId } from '#engine/bot/state.ts';
import { anOrderRequest } from '#engine/ports/testing/an-order-request.ts';
import type { Trading } from '#engine/ports/trading.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { RequestBudget } from '../request-budget.ts';
import { OrderBudget } from './order-budget.ts';
import { newTrading } from './testing/sandbox-account.ts';

const sandbox = await startSandbox({ startTime: Date.UTC(2026, 4, 20, 13, 7, 21), factor: 0, controlPort: 0 });
const open: Trading[] = [];
afterEach(async () => {
  sandbox.faults.clear();
  for (const trading of open.splice(0)) await trading.close();
});
afterAll(() => sandbox.close());

const own = clientOrderId('bot', 1);
const paths = {
  spot: { open: '/api/v3/openOrders', all: '/api/v3/allOrders', fills: '/api/v3/myTrades', place: '/api/v3/order' },
  futures: { open: '/fapi/v1/openOrders', all: '/fapi/v1/allOrders', fills: '/fapi/v1/userTrades', place: '/fapi/v1/order' },
} as const;
const symbolOf = { spot: 'ETH/USDT', futures: 'ETH/USDT:USDT' } as const;

/** An order as the exchange lists it. */
const row = (changed: object) => ({
  symbol: 'ETHUSDT',
  orderId: 1,
  clientOrderId: own,
  price: '1000',
  origQty: '1',
  executedQty: '0',
  status: 'NEW',
  type: 'LIMIT',
  side: 'BUY',
  stopPrice: '0',
  time: sandbox.clock.now(),
  updateTime: sandbox.clock.now(),
  ...changed,
});
const foreign = { orderId: 2, clientOrderId: 'web_2', status: 'OF_A_NEW_KIND' };

async function start(marketType: 'spot' | 'futures', more = {}): Promise<Trading> {
  const trading = await newTrading(sandbox, marketType, { budget: new RequestBudget(100_000), ...more });
  open.push(trading);
  return trading;
}
const answer = (path: string, rows: unknown): void => {
  sandbox.faults.add({ fault: { kind: 'body', body: JSON.stringify(rows) }, path, method: 'GET', times: 1 });
};

describe.each(['spot', 'futures'] as const)('a list of orders on %s', (marketType) => {
  const symbol = symbolOf[marketType];
  const path = paths[marketType];

  test('leaves out what cannot be read and is not ours', async () => {
    const trading = await start(marketType);
    answer(path.open, [row(foreign), row({})]);
    expect((await trading.openOrders()).map(({ clientOrderId: id }) => id)).toEqual([own]);
    answer(path.all, [row({}), row(foreign)]);
    answer(path.all, [row({}), row(foreign)]);
    expect((await trading.ordersSince(symbol, sandbox.clock.now() - 1_000)).map(({ clientOrderId: id }) => id)).toEqual([own]);
  });

  test.each<[string, object]>([
    ['ours', { status: 'OF_A_NEW_KIND' }],
    ['nobody can say whose it is', { ...foreign, clientOrderId: undefined }],
  ])('fails when what cannot be read is %s', async (_name, changed) => {
    const trading = await start(marketType);
    answer(path.open, [row(changed)]);
    await expect(trading.openOrders()).rejects.toMatchObject({ kind: 'temporary' });
  });

  test("fills of an order that cannot be read and is not ours are listed as somebody else's", async () => {
    const trading = await start(marketType);
    const fill = {
      id: 9,
      orderId: 2,
      price: '1000',
      qty: '1',
      commission: '1',
      commissionAsset: 'USDT',
      isMaker: false,
      maker: false,
      isBuyer: true,
      buyer: true,
    };
    answer(path.fills, [{ ...fill, symbol: 'ETHUSDT', time: sandbox.clock.now() }]);
    answer(path.all, [row(foreign)]);
    expect(await trading.fillsSince(symbol, null)).toMatchObject([{ id: '9', clientOrderId: 'web_2' }]);
  });

  test('a refusal of too many orders holds up the orders of this account, and no other request of this address', async () => {
    const budget = new RequestBudget(100_000);
    const trading = await start(marketType, { budget, orderBudget: OrderBudget.of(marketType) });
    const body = JSON.stringify({ code: -1015, msg: 'Too many new orders.' });
    sandbox.faults.add({ fault: { kind: 'body', status: 429, body }, path: path.place, method: 'POST', times: 1 });
    const order = { clientOrderId: own, symbol, type: 'limit', amount: 0.01, price: 1000 } as const;
    const place = () => trading.place(anOrderRequest({ ...order, expiresAt: sandbox.clock.now() + 5_000 }));
    await expect(place()).rejects.toMatchObject({ kind: 'temporary' });
    expect(budget.closedForMs()).toBe(0);
    await expect(place()).rejects.toMatchObject({ kind: 'temporary', message: expect.stringMatching(/asked to send nothing/u) });
    expect(await trading.openOrders()).toEqual([]);
  });
});

test('a conditional order that cannot be read and is not ours is left out too', async () => {
  const trading = await start('futures');
  const algo = (changed: object) => ({
    algoId: 1,
    clientAlgoId: own,
    symbol: 'ETHUSDT',
    side: 'SELL',
    quantity: '1',
    algoStatus: 'NEW',
    actualOrderId: '',
    triggerPrice: '900',
    price: '0',
    createTime: sandbox.clock.now(),
    ...changed,
  });
  const unreadable = { algoId: 2, clientAlgoId: 'web_2', side: 'BOTH' };
  answer('/fapi/v1/openAlgoOrders', [algo(unreadable), algo({})]);
  expect((await trading.openOrders()).map(({ clientOrderId: id }) => id)).toEqual([own]);
  for (let i = 0; i < 4; i++) answer('/fapi/v1/allAlgoOrders', [algo({}), algo({ ...unreadable, algoStatus: 'OF_A_NEW_KIND' })]);
  expect((await trading.ordersSince(symbolOf.futures, sandbox.clock.now() - 1_000)).map(({ clientOrderId: id }) => id)).toEqual([own]);
  answer('/fapi/v1/openAlgoOrders', [algo({ side: 'BOTH' })]);
  await expect(trading.openOrders()).rejects.toMatchObject({ kind: 'temporary' });
});
