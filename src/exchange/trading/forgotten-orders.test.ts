import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { dayMs, hourMs, secondMs } from '#engine/market/durations.ts';
import { anOrderRequest } from '#engine/ports/testing/an-order-request.ts';
import type { Trading } from '#engine/ports/trading.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import type { RestFault } from '../../sandbox/wire/faults.ts';
import { RequestBudget } from '../request-budget.ts';
import { control, newTrading } from './testing/sandbox-account.ts';

// Binance knows an order that has ended without a fill for three days; the conditional order that has made it is listed for longer.

const sandbox = await startSandbox({ startTime: Date.UTC(2026, 4, 20, 13, 7, 21), factor: 0, controlPort: 0 });
afterEach(() => sandbox.faults.clear());
afterAll(() => sandbox.close());

const symbol = 'LTC/USDT:USDT';
const path = { orders: /\/fapi\/v1\/order$/u, fills: /\/fapi\/v1\/userTrades$/u } as const;
const setPrices = (bid: number, more = {}) => control(sandbox, 'POST /prices', { pair: 'LTCUSDT', bid, ask: bid + 0.2, ...more });

/** An account whose stop of 2 was triggered when so much could be had. What was not had was sold by another order. */
async function withTriggeredStop(depth: number): Promise<Trading> {
  await setPrices(99.9);
  const trading = await newTrading(sandbox, 'futures', { budget: new RequestBudget(100_000) });
  const order = (clientOrderId: string) => ({ clientOrderId, symbol, amount: 2, expiresAt: sandbox.clock.now() + 5 * secondMs });
  await trading.place(anOrderRequest(order('in')));
  await trading.place(anOrderRequest({ ...order('out'), side: 'sell', type: 'stop', stopPrice: 95, reduceOnly: true }));
  await setPrices(94, { depth });
  await trading.positions();
  await setPrices(94);
  if (depth < 2) await trading.place(anOrderRequest({ ...order('rest'), side: 'sell', amount: 2 - depth, reduceOnly: true }));
  return trading;
}

/** The exchange does not find any order by its id any more. */
const forget = (): void => {
  const fault: RestFault = { kind: 'error', status: 400, code: -2013, message: 'Order does not exist.' };
  sandbox.faults.add({ method: 'GET', path: path.orders, fault });
};
const listedStops = async (trading: Trading) =>
  (await trading.ordersSince(symbol, 1)).filter(({ clientOrderId }) => clientOrderId === 'out');

describe('a stop that was triggered, and whose order the exchange has forgotten', () => {
  test.each([
    ['all of it was had', 2, { state: 'filled', filled: 2 }],
    ['a part was had', 0.5, { state: 'expired', filled: 0.5 }],
    ['nothing was had', 0, { state: 'expired', filled: 0 }],
  ])('has ended as its fills say: %s', async (_name, depth, expected) => {
    const trading = await withTriggeredStop(depth);
    onTestFinished(() => trading.close());
    const known = { clientOrderId: 'out', type: 'stop', requested: 2, ...expected };
    expect(await trading.order(symbol, 'out')).toMatchObject(known);
    forget();
    sandbox.clock.advance(10 * dayMs); // longer than the fills that are listed when no time is named
    expect(await trading.order(symbol, 'out')).toMatchObject(known);
    expect(await listedStops(trading)).toMatchObject([known]);
  });

  test('has not ended while it may only not be there yet', async () => {
    const trading = await withTriggeredStop(0);
    onTestFinished(() => trading.close());
    forget();
    for (const ms of [0, secondMs, 3 * dayMs - hourMs]) {
      sandbox.clock.advance(ms);
      expect(await trading.order(symbol, 'out')).toMatchObject({ state: 'open', filled: 0 });
      expect(await listedStops(trading)).toMatchObject([{ state: 'open', filled: 0 }]);
    }
    sandbox.clock.advance(2 * hourMs);
    expect(await trading.order(symbol, 'out')).toMatchObject({ state: 'expired', filled: 0 });
  });
});

test('orders are listed of the last 90 days where more is wanted: Binance refuses a question that begins before', async () => {
  const trading = await withTriggeredStop(2);
  onTestFinished(() => trading.close());
  const since = sandbox.clock.now() - secondMs;
  const listed = async () => (await trading.ordersSince(symbol, since)).map(({ clientOrderId, state }) => [clientOrderId, state]);
  const ended = [
    ['in', 'filled'],
    ['out', 'filled'],
  ];
  sandbox.clock.advance(80 * dayMs);
  expect(await listed()).toEqual(ended);
  expect(await listed()).toEqual(ended); // what changes no more is asked for again by its time
  sandbox.clock.advance(20 * dayMs);
  await trading.place(anOrderRequest({ clientOrderId: 'later', symbol, amount: 2, expiresAt: sandbox.clock.now() + 5 * secondMs }));
  expect(await listed()).toContainEqual(['later', 'filled']);
});

test('a stop that is triggered while its account is asked for its orders is listed once, and not its order beside it', async () => {
  await setPrices(99.9);
  const trading = await newTrading(sandbox, 'futures', { budget: new RequestBudget(100_000) });
  onTestFinished(() => trading.close());
  const order = (clientOrderId: string) => ({ clientOrderId, symbol, amount: 2, expiresAt: sandbox.clock.now() + 5 * secondMs });
  await trading.place(anOrderRequest(order('in')));
  await trading.place(anOrderRequest({ ...order('out'), side: 'sell', type: 'stop', stopPrice: 95, reduceOnly: true }));
  sandbox.faults.sockets.silence(); // no news of it comes
  onTestFinished(() => void sandbox.faults.sockets.drop());
  sandbox.faults.add({ path: '/fapi/v1/allOrders', fault: { kind: 'delay', ms: 500 }, times: 1 });
  const asked = trading.ordersSince(symbol, sandbox.clock.now() - secondMs);
  await new Promise((resolve) => setTimeout(resolve, 200));
  await setPrices(94);
  expect((await asked).map(({ clientOrderId, state }) => [clientOrderId, state])).toEqual([
    ['in', 'filled'],
    ['out', 'filled'],
  ]);
});

describe('a stop of long ago has not ended because', () => {
  let trading: Trading;
  beforeAll(async () => {
    trading = await withTriggeredStop(0.5);
    sandbox.clock.advance(4 * dayMs);
  });
  afterAll(() => trading.close());

  test.each<[string, RestFault]>([
    ['the server fails', { kind: 'error', status: 502, code: -1001, message: 'Internal error' }],
    ['the server is away', { kind: 'body', status: 503, contentType: 'text/html', body: '<html>Service Unavailable</html>' }],
    ['the exchange was too slow', { kind: 'error', status: 408, code: -1007, message: 'Timeout waiting for response.' }],
    ['the answer is lost', { kind: 'reset' }],
    ['too much was asked', { kind: 'error', status: 400, code: -1003, message: 'Too many requests.' }],
    ['the answer is not a list', { kind: 'body', body: '{}' }],
    ['the answer is cut', { kind: 'cut-body' }],
  ])('what became of it cannot be asked for: %s', async (_name, fault) => {
    sandbox.faults.add({ method: 'GET', path: path.orders, fault });
    await expect(trading.order(symbol, 'out')).rejects.toMatchObject({ kind: 'temporary' });
    sandbox.faults.clear();
    forget();
    sandbox.faults.add({ method: 'GET', path: path.fills, fault });
    await expect(trading.order(symbol, 'out')).rejects.toMatchObject({ kind: 'temporary' });
    sandbox.faults.clear();
    forget();
    expect(await trading.order(symbol, 'out')).toMatchObject({ state: 'expired', filled: 0.5 });
  });
});
