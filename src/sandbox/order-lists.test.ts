import { afterAll, beforeAll, expect, test } from 'vitest';
import { hourMs } from '#engine/market/durations.ts';
import { type Sandbox, startSandbox } from './sandbox.ts';
import { type RawAccount, type RawAnswer, rawAccount } from './testing/raw-account.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ startTime: Date.UTC(2026, 4, 20, 13, 7, 21), factor: 0 });
});
afterAll(() => sandbox.close());

const balance = async (account: RawAccount, asset: string): Promise<[free: number, locked: number]> => {
  const { body } = await account.send('GET', '/api/v3/account');
  const { free, locked } = body.balances.find((row: { asset: string }) => row.asset === asset);
  return [Number(free), Number(locked)];
};
const orders = async (account: RawAccount): Promise<string[]> =>
  (await account.send('GET', '/api/v3/allOrders', { symbol: 'ETHUSDT' })).body
    .filter(({ orderListId }: { orderListId: number }) => orderListId > 0)
    .map(({ type, status }: { type: string; status: string }) => `${type} ${status}`);

/** An account with a pair of orders around the price: the limit order at `limit` times the price, the stop at `stop` times. */
async function withPair(side: 'BUY' | 'SELL', limit: number, stop: number): Promise<{ account: RawAccount; body: RawAnswer['body'] }> {
  const account = await rawAccount(sandbox);
  if (side === 'SELL') await account.send('POST', '/api/v3/order', { symbol: 'ETHUSDT', side: 'BUY', type: 'MARKET', quantity: '1.1' });
  const price = Number(((await (await fetch(`${sandbox.url}/api/v3/ticker/price?symbol=ETHUSDT`)).json()) as { price: string }).price);
  const [limitLeg, stopLeg] = side === 'SELL' ? ['above', 'below'] : ['below', 'above'];
  const { body } = await account.send('POST', '/api/v3/orderList/oco', {
    symbol: 'ETHUSDT',
    side,
    quantity: '1',
    [`${limitLeg}Type`]: 'LIMIT_MAKER',
    [`${limitLeg}Price`]: (price * limit).toFixed(2),
    [`${stopLeg}Type`]: 'STOP_LOSS_LIMIT',
    [`${stopLeg}StopPrice`]: (price * stop).toFixed(2),
    [`${stopLeg}Price`]: (price * (side === 'SELL' ? stop * 0.99 : stop * 1.01)).toFixed(2),
    [`${stopLeg}TimeInForce`]: 'GTC',
  });
  return { account, body };
}

test('both rest, the money is set aside once, and one cancel ends both', async () => {
  const { account, body } = await withPair('SELL', 1.2, 0.8);
  expect(body).toMatchObject({ contingencyType: 'OCO', listOrderStatus: 'EXECUTING', orders: [{ orderId: 2 }, { orderId: 3 }] });
  expect(await balance(account, 'ETH')).toEqual([0.0989, 1]);
  expect((await account.send('GET', '/api/v3/openOrderList')).body).toHaveLength(1);
  await account.send('DELETE', '/api/v3/order', { symbol: 'ETHUSDT', orderId: 3 });
  expect(await orders(account)).toEqual(['LIMIT_MAKER CANCELED', 'STOP_LOSS_LIMIT CANCELED']);
  expect(await balance(account, 'ETH')).toEqual([1.0989, 0]);
  expect((await account.send('GET', '/api/v3/orderList', { orderListId: body.orderListId })).body.listOrderStatus).toBe('ALL_DONE');
  expect((await account.send('DELETE', '/api/v3/orderList', { symbol: 'ETHUSDT', orderListId: body.orderListId })).body.code).toBe(-2011);
});

test.each([
  ['SELL', 1.004, 0.8, 'LIMIT_MAKER'],
  ['SELL', 1.3, 0.996, 'STOP_LOSS_LIMIT'],
  ['BUY', 0.996, 1.3, 'LIMIT_MAKER'],
  ['BUY', 0.7, 1.004, 'STOP_LOSS_LIMIT'],
] as const)('%s: the one the price reaches is filled, the other ends, nothing stays locked (%d, %d)', async (side, limit, stop, winner) => {
  const { account } = await withPair(side, limit, stop);
  for (let hours = 0; hours < 24 * 7 && !(await orders(account)).includes(`${winner} FILLED`); hours++) sandbox.clock.advance(hourMs);
  expect((await orders(account)).sort()).toEqual(
    ['LIMIT_MAKER', 'STOP_LOSS_LIMIT'].map((type) => `${type} ${type === winner ? 'FILLED' : 'EXPIRED'}`),
  );
  expect((await balance(account, 'ETH'))[1]).toBe(0);
  expect((await balance(account, 'USDT'))[1]).toBe(0);
});

test('prices on the wrong side, and too little money: nothing is left of either order', async () => {
  const { account, body } = await withPair('SELL', 0.9, 0.95);
  expect(body.code).toBe(-2010);
  const poor = await withPair('BUY', 0.5, 9);
  expect(poor.body).toEqual({ code: -2010, msg: 'Account has insufficient balance for requested action.' });
  expect((await account.send('GET', '/api/v3/openOrders')).body).toEqual([]);
  expect((await poor.account.send('GET', '/api/v3/openOrders')).body).toEqual([]);
  expect(await balance(poor.account, 'USDT')).toEqual([10_000, 0]);
});
