import { binance } from 'ccxt';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { minuteMs, secondMs } from '#engine/market/durations.ts';
import { type Sandbox, startSandbox } from './sandbox.ts';
import { type RawAccount, rawAccount } from './testing/raw-account.ts';
import type { RestFaultRule } from './wire/faults.ts';

let sandbox: Sandbox;
let account: RawAccount;
let exchange: InstanceType<typeof binance>;
beforeAll(async () => {
  sandbox = await startSandbox({ startTime: Date.UTC(2026, 4, 20, 13, 7, 21), controlPort: 0 });
});
beforeEach(async () => {
  account = await rawAccount(sandbox);
  exchange = new binance({
    apiKey: account.apiKey,
    secret: account.secret,
    enableRateLimit: false,
    urls: { test: sandbox.urls() },
    options: { fetchMarkets: { types: ['spot'] } },
  });
  exchange.setSandboxMode(true);
  exchange.nonce = () => sandbox.clock.now();
  await exchange.loadMarkets();
});
afterEach(async () => {
  sandbox.faults.clear();
  await control('POST /accounts', { remembersIds: 'while-open', readDelayMs: 0 });
});
afterAll(() => sandbox.close());

async function control(route: string, body: object): Promise<void> {
  const [method, path] = route.split(' ');
  const answer = await fetch(`http://127.0.0.1:${sandbox.controlPort}${path}`, { method, body: JSON.stringify(body) });
  expect(answer.status).toBe(200);
}

/** What becomes of an order that is sent while a fault is on. */
async function outcome(fault: Omit<RestFaultRule, 'path' | 'method'>, expectedOrders: number): Promise<{ result: string; orders: number }> {
  await control('POST /faults', { ...fault, path: '/api/v3/order', method: 'POST', times: 1 });
  if (['hang', 'delay', 'late-answer'].includes(fault.fault.kind) && !('ms' in fault.fault && fault.fault.ms < 1000))
    exchange.timeout = 1000;
  const result = await exchange.createOrder('BTC/USDT', 'limit', 'buy', 0.001, 50_000, { clientOrderId: 'c-1' }).then(
    ({ status }) => String(status),
    (error: Error) => error.constructor.name,
  );
  const orders = async (): Promise<number> => (await account.send('GET', '/api/v3/allOrders', { symbol: 'BTCUSDT' })).body.length;
  await expect.poll(orders).toBe(expectedOrders); // what is accepted late comes after the caller has given up
  return { result, orders: await orders() };
}

describe('a private call that goes wrong, as unmodified ccxt reports it, and whether the order exists', () => {
  test.each<[string, Omit<RestFaultRule, 'path' | 'method'>, { result: string; orders: number }]>([
    [
      'refused',
      { fault: { kind: 'error', status: 400, code: -2010, message: 'This action is disabled on this account.' } },
      { result: 'AccountSuspended', orders: 0 },
    ],
    ['the answer is lost before it is accepted', { fault: { kind: 'reset' } }, { result: 'NetworkError', orders: 0 }],
    ['the answer is lost after it was accepted', { fault: { kind: 'reset' }, carriedOut: true }, { result: 'NetworkError', orders: 1 }],
    ['no answer, not accepted', { fault: { kind: 'hang' } }, { result: 'RequestTimeout', orders: 0 }],
    ['no answer, and accepted', { fault: { kind: 'hang' }, carriedOut: true }, { result: 'RequestTimeout', orders: 1 }],
    ['accepted late, after nobody waits any more', { fault: { kind: 'delay', ms: 2500 } }, { result: 'RequestTimeout', orders: 1 }],
    ['accepted at once, the answer comes too late', { fault: { kind: 'late-answer', ms: 2500 } }, { result: 'RequestTimeout', orders: 1 }],
    ['slow, in time', { fault: { kind: 'delay', ms: 50 } }, { result: 'open', orders: 1 }],
    ['the body is cut', { fault: { kind: 'cut-body' } }, { result: 'SocketError', orders: 1 }],
    ['garbage with 200, accepted', { fault: { kind: 'body', body: '{"orderId":1' }, carriedOut: true }, { result: 'TypeError', orders: 1 }],
    ['429', { fault: { kind: 'limit', status: 429, retryAfterSeconds: 3 } }, { result: 'DDoSProtection', orders: 0 }],
    [
      '429 does nothing before',
      { fault: { kind: 'limit', status: 429, retryAfterSeconds: 3 }, carriedOut: true },
      { result: 'DDoSProtection', orders: 0 },
    ],
    ['418', { fault: { kind: 'limit', status: 418, retryAfterSeconds: 120 } }, { result: 'DDoSProtection', orders: 0 }],
    [
      'a clock that is off',
      { fault: { kind: 'error', status: 400, code: -1021, message: 'Timestamp for this request is outside of the recvWindow.' } },
      { result: 'InvalidNonce', orders: 0 },
    ],
    [
      'maintenance',
      { fault: { kind: 'body', status: 503, contentType: 'text/html', body: '<html>Service Unavailable</html>' } },
      { result: 'ExchangeNotAvailable', orders: 0 },
    ],
  ])('%s', async (_name, fault, expected) => {
    expect(await outcome(fault, expected.orders)).toEqual(expected);
  });
});

test('a request that is late by more than its window is refused, and not carried out', async () => {
  const order = {
    symbol: 'BTCUSDT',
    side: 'BUY',
    type: 'LIMIT',
    timeInForce: 'GTC',
    price: '50000.00',
    quantity: '0.001',
    recvWindow: 1000,
  };
  sandbox.faults.add({ path: '/api/v3/order', method: 'POST', times: 1, fault: { kind: 'delay', ms: 2000 } });
  expect((await account.send('POST', '/api/v3/order', order)).body.code).toBe(-1021);
  expect((await account.send('GET', '/api/v3/openOrders')).body).toEqual([]);
  expect((await account.send('POST', '/api/v3/order', { ...order, recvWindow: 60_001 })).body.code).toBe(-1131);
});

test('the memory of ids and the delay of what is read can be set', async () => {
  const order = { symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quantity: '0.001', newClientOrderId: 'twice' };
  expect((await account.send('POST', '/api/v3/order', order)).status).toBe(200);
  expect((await account.send('POST', '/api/v3/order', order)).status).toBe(200); // filled, so its id may be used again
  await control('POST /accounts', { remembersIds: 'always' });
  expect((await account.send('POST', '/api/v3/order', order)).body).toEqual({ code: -2010, msg: 'Duplicate order sent.' });
  await control('POST /accounts', { readDelayMs: minuteMs });
  const { body } = await account.send('POST', '/api/v3/order', { ...order, newClientOrderId: 'late' });
  const read = () => account.send('GET', '/api/v3/order', { symbol: 'BTCUSDT', orderId: body.orderId });
  expect((await read()).body.code).toBe(-2013);
  sandbox.clock.advance(minuteMs + secondMs);
  expect((await read()).body).toMatchObject({ status: 'FILLED', clientOrderId: 'late' });
});

test('listen keys end on demand', async () => {
  expect((await account.send('POST', '/fapi/v1/listenKey')).status).toBe(200);
  await control('POST /listen-keys/end', {});
  expect((await account.send('PUT', '/fapi/v1/listenKey')).body.code).toBe(-1125);
});

test('private calls are paid from the same budget as public ones, and 429 says when to come again', async () => {
  const small = await startSandbox({ weightLimits: { spot: 50 } });
  onTestFinished(() => small.close());
  const caller = await rawAccount(small);
  const answers = [];
  for (let i = 0; i < 6; i++) answers.push(await caller.send('GET', '/api/v3/account')); // each weighs 20; a minute may end in between
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThanOrEqual(1);
  expect(refused[0].body.code).toBe(-1003);
  expect(Number(refused[0].headers.get('retry-after'))).toBeGreaterThan(0);
  expect(Number(answers[0].headers.get('x-mbx-used-weight-1m'))).toBe(20);
});
