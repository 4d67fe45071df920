import { afterAll, beforeAll, expect, test } from 'vitest';
import { dayMs } from '#engine/market/durations.ts';
import { listPairs } from './market/listings.ts';
import { type Sandbox, startSandbox } from './sandbox.ts';
import { rawAccount } from './testing/raw-account.ts';
import { futuresUserEvent } from './wire/futures-events.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ startTime: Date.UTC(2026, 4, 20, 13, 7, 21), factor: 0 });
});
afterAll(() => sandbox.close());

const order = { symbol: 'ETHUSDT', side: 'BUY', type: 'MARKET', quantity: '1' };

test('a report of an order of USD-M has a commission and its asset when there is one', async () => {
  const account = await rawAccount(sandbox);
  const pairOf = (symbol: string) => listPairs(0).find(({ id, market }) => id === symbol && market === 'futures')!;
  const reported: object[] = [];
  const free: object[] = [];
  const end = sandbox.accounts.watch('futures', account.apiKey, (event) => {
    if (event.kind !== 'order') return;
    reported.push(futuresUserEvent(event, pairOf, 1) ?? {});
    if (event.fill !== null) free.push(futuresUserEvent({ ...event, fill: { ...event.fill, fee: 0n } }, pairOf, 1) ?? {});
  });
  await account.send('POST', '/fapi/v1/order', order);
  end();
  const [made, filled] = reported.map((message) => (message as { o: object }).o);
  expect(made).toMatchObject({ x: 'NEW' });
  expect(filled).toMatchObject({ x: 'TRADE', n: expect.stringMatching(/^[0-9.]*[1-9]/u), N: 'USDT' });
  const [withoutFee] = free.map((message) => (message as { o: object }).o);
  expect(withoutFee).toMatchObject({ x: 'TRADE' });
  for (const each of [made, withoutFee]) for (const name of ['n', 'N']) expect(each).not.toHaveProperty(name);
});

test('fills of USD-M are listed of seven days when neither a time nor an id is named, also those of one order', async () => {
  const account = await rawAccount(sandbox);
  const time = sandbox.clock.now();
  const { orderId } = (await account.send('POST', '/fapi/v1/order', order)).body;
  const listed = async (query: Record<string, number>) =>
    (await account.send('GET', '/fapi/v1/userTrades', { symbol: 'ETHUSDT', ...query })).body.length;
  sandbox.clock.advance(6 * dayMs);
  for (const query of [{}, { orderId }]) expect(await listed(query)).toBeGreaterThan(0);
  sandbox.clock.advance(2 * dayMs);
  for (const query of [{}, { orderId }]) expect(await listed(query)).toBe(0);
  for (const query of [{ startTime: time, endTime: time + dayMs }, { fromId: 1 }, { orderId, startTime: time }])
    expect(await listed(query)).toBeGreaterThan(0);
});

test.each([
  ['read', []],
  ['spot', ['spot']],
  ['futures', ['futures']],
  ['trade', ['spot', 'futures']],
])('a key with the right %s trades where it may, and says where that is', async (right, expected) => {
  const account = await rawAccount(sandbox, right);
  const rights = (await account.send('GET', '/sapi/v1/account/apiRestrictions')).body;
  expect([rights.enableSpotAndMarginTrading, rights.enableFutures]).toEqual(['spot', 'futures'].map((market) => expected.includes(market)));
  for (const [market, path] of [
    ['spot', '/api/v3/order'],
    ['futures', '/fapi/v1/order'],
  ] as const) {
    const { status, body } = await account.send('POST', path, order);
    if (expected.includes(market)) expect(status).toBe(200);
    else expect([status, body.code]).toEqual([401, -2015]);
    expect((await account.send('GET', path.replace('order', 'openOrders'))).status).toBe(200);
  }
});
