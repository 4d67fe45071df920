import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { minuteMs, secondMs } from '#engine/market/durations.ts';
import type { ExchangeError } from '#engine/ports/exchange-error.ts';
import type { MarketData } from '#engine/ports/market-data.ts';
import type { RestFault } from '../sandbox/wire/faults.ts';
import { type Sandbox, startSandbox } from '../sandbox/sandbox.ts';
import { createMarketData } from './market-data.ts';
import { RequestBudget } from './request-budget.ts';
import { patienceMs } from '../../test/support/patience.ts';

let sandbox: Sandbox;
let data: MarketData;
let hasty: MarketData; // for answers that never come; a good answer may take longer on a slow machine, so nothing else uses it
const from = Date.UTC(2026, 3, 1);
const to = from + 20 * 5 * minuteMs;

beforeAll(async () => {
  sandbox = await startSandbox({ startTime: Date.UTC(2026, 4, 20, 13, 7, 21) });
  const options = {
    exchangeId: 'sandbox',
    marketType: 'spot',
    sandboxUrl: sandbox.url,
    retryMs: 20,
    now: () => sandbox.clock.now(),
  } as const;
  data = createMarketData(options);
  hasty = createMarketData({ ...options, timeoutMs: 600 });
  await data.candles('BTC/USDT', '5m', from, to);
  await vi.waitFor(() => hasty.instruments(), { timeout: patienceMs });
});
afterEach(() => sandbox.faults.clear());
afterAll(async () => {
  await Promise.all([data.close(), hasty.close()]);
  await sandbox.close();
});

const faults: [name: string, fault: RestFault][] = [
  ['no answer', { kind: 'hang' }],
  ['a reset connection', { kind: 'reset' }],
  ['a body cut in half', { kind: 'cut-body' }],
  ['a body that stalls', { kind: 'stall-body' }],
  ['a body that comes byte by byte without an end', { kind: 'drip-body', everyMs: 100 }],
  ['broken JSON with status 200', { kind: 'body', body: '[[1743' }],
  ['an empty body with status 200', { kind: 'body', body: '' }],
  ['an empty object with status 200', { kind: 'body', body: '{}' }],
  ['a JSON text with status 200', { kind: 'body', body: '"maintenance"' }],
  ['an HTML page with status 502', { kind: 'body', status: 502, body: '<html>Bad Gateway</html>', contentType: 'text/html' }],
  ['an internal error', { kind: 'error', status: 500, code: -1001, message: 'Internal error' }],
];

describe.each(faults)('%s', (_name, fault) => {
  const client = () => (['hang', 'stall-body', 'drip-body'].includes(fault.kind) ? hasty : data);

  test('of the order book is a temporary ExchangeError after one request: nobody waits for a second one', async () => {
    sandbox.faults.add({ path: '/depth', fault, times: 2 });
    await expect(client().orderBook('BTC/USDT', 10)).rejects.toMatchObject({ name: 'ExchangeError', kind: 'temporary' });
    expect(sandbox.faults.list()).toHaveLength(1); // it would be used up by a second request
  });

  test('of candles is requested again and leaves nothing out', async () => {
    const expected = await data.candles('BTC/USDT', '5m', from, to);
    sandbox.faults.add({ path: '/klines', fault, times: 1 });
    const candles = await client().candles('BTC/USDT', '5m', from, to);
    expect(candles).toEqual(expected);
    expect(candles).toHaveLength(20);
    expect(sandbox.faults.list()).toHaveLength(0);
  });
});

test('candles that keep failing end in an error after four requests, not in silence', async () => {
  sandbox.faults.add({ path: '/klines', fault: { kind: 'body', body: '{}' }, times: 4 });
  await expect(data.candles('BTC/USDT', '5m', from, to)).rejects.toThrow(/sandbox failed to give candles of BTC\/USDT 5m/);
  expect(sandbox.faults.list()).toHaveLength(0);
  sandbox.faults.add({ path: '/klines', fault: { kind: 'body', body: '{}' }, times: 3 });
  expect(await data.candles('BTC/USDT', '5m', from, to)).toHaveLength(20);
});

test('candles that the exchange rejects are not requested again', async () => {
  const fault = { kind: 'error', status: 400, code: -1121, message: 'Invalid symbol.' } as const;
  sandbox.faults.add({ path: '/klines', fault, times: 2 });
  await expect(data.candles('BTC/USDT', '5m', from, to)).rejects.toMatchObject({ kind: 'rejected' });
  expect(sandbox.faults.list()).toHaveLength(1);
});

test('after 429 nothing is sent until the time is over that the exchange asks for', async () => {
  const budget = new RequestBudget(1200);
  const own = createMarketData({ exchangeId: 'sandbox', marketType: 'spot', sandboxUrl: sandbox.url, budget });
  await own.instruments();
  expect(budget.closedForMs()).toBe(0);
  sandbox.faults.add({ path: '/depth', times: 1, fault: { kind: 'limit', status: 429, retryAfterSeconds: 1 } });
  const limited = await own.orderBook('BTC/USDT', 5).catch((error: unknown) => error as ExchangeError);
  expect(limited).toMatchObject({ kind: 'temporary' });
  expect((limited as ExchangeError).retryAfterMs).toBeGreaterThan(0);
  expect((limited as ExchangeError).retryAfterMs).toBeLessThanOrEqual(1000);
  await own.orderBook('BTC/USDT', 5);
  expect(budget.closedForMs()).toBe(0); // without the wait almost a second would be left
  await own.close();
});

test('a ban of many minutes fails quotes instead of letting them wait', async () => {
  const own = createMarketData({ exchangeId: 'sandbox', marketType: 'spot', sandboxUrl: sandbox.url, budget: new RequestBudget(1200) });
  await own.instruments();
  sandbox.faults.add({ path: '/depth', times: 1, fault: { kind: 'limit', status: 418, retryAfterSeconds: 300 } });
  await expect(own.orderBook('BTC/USDT', 5)).rejects.toMatchObject({ kind: 'temporary' });
  await expect(own.quote('BTC/USDT')).rejects.toThrow(/asked to send nothing for another \d{3} s/);
  await own.close();
});

test.each([
  [429, 10],
  [418, 120],
])('after %d without a time to wait nothing is sent for %d seconds', async (status, seconds) => {
  const budget = new RequestBudget(1200);
  const own = createMarketData({ exchangeId: 'sandbox', marketType: 'spot', sandboxUrl: sandbox.url, budget });
  await own.instruments();
  const pauses = vi.spyOn(budget, 'pause');
  sandbox.faults.add({ path: '/depth', times: 1, fault: { kind: 'error', status, code: -1003, message: 'Too much request weight.' } });
  await expect(own.orderBook('BTC/USDT', 5)).rejects.toMatchObject({ kind: 'temporary' });
  expect(pauses.mock.calls).toEqual([[seconds * secondMs]]);
  await own.close();
});

test.each([
  ['spot', '/api/v3/ticker/24hr', 0.2],
  ['futures', '/fapi/v1/ticker/24hr', 1],
] as const)('what others have sent to %s from the same address counts in the budget', async (marketType, path, unitsPerWeight) => {
  vi.useFakeTimers({ toFake: ['Date'] }); // the exchange counts per minute: none may begin here
  onTestFinished(() => void vi.useRealTimers());
  const budget = new RequestBudget(1_000_000);
  const own = createMarketData({ exchangeId: 'sandbox', marketType, sandboxUrl: sandbox.url, budget });
  const corrections = vi.spyOn(budget, 'correct');
  const other = await fetch(`${sandbox.url}${path}`);
  const usedByOther = Number(other.headers.get('x-mbx-used-weight-1m'));
  await own.instruments();
  const counted = corrections.mock.calls.at(-1)![0] / unitsPerWeight;
  expect(counted).toBeGreaterThan(usedByOther);
  expect(counted).toBeLessThan(usedByOther + 50);
  await own.close();
});

test('an unknown symbol is rejected, an error of the exchange keeps its words', async () => {
  await expect(data.candles('NONE/USDT', '5m', from, to)).rejects.toMatchObject({ kind: 'rejected' });
  sandbox.faults.add({ path: '/depth', times: 1, fault: { kind: 'error', status: 400, code: -1121, message: 'Invalid symbol.' } });
  await expect(data.orderBook('BTC/USDT', 10)).rejects.toMatchObject({
    kind: 'rejected',
    message: expect.stringContaining('Invalid symbol') as string,
  });
});

test('a candle that cannot be right is refused by symbol and time', async () => {
  const row = [from, '100', '90', '80', '95', '1', from + 5 * minuteMs - 1, '1', 1, '1', '1', '0'];
  sandbox.faults.add({ path: '/klines', fault: { kind: 'body', body: JSON.stringify([row]) } });
  await expect(data.candles('BTC/USDT', '5m', from, from + 5 * minuteMs)).rejects.toThrow(
    'sandbox gave a candle of BTC/USDT at 2026-04-01T00:00:00.000Z that cannot be right: high 90 is below open 100 or close 95.',
  );
});

test('an empty list of instruments is an error and is requested again', async () => {
  const own = createMarketData({ exchangeId: 'sandbox', marketType: 'spot', sandboxUrl: sandbox.url, budget: new RequestBudget(1200) });
  sandbox.faults.add({ path: '/exchangeInfo', times: 1, fault: { kind: 'body', body: '{"symbols":[]}' } });
  await expect(own.instruments()).rejects.toMatchObject({ kind: 'temporary' });
  expect((await own.instruments()).length).toBeGreaterThan(20);
  await own.close();
});

test('a crossed or empty book is refused', async () => {
  sandbox.faults.add({ path: '/depth', times: 1, fault: { kind: 'body', body: '{"lastUpdateId":1,"bids":[],"asks":[]}' } });
  await expect(data.orderBook('BTC/USDT', 10)).rejects.toThrow(/a side is empty/);
  sandbox.faults.add({
    path: '/depth',
    times: 1,
    fault: { kind: 'body', body: '{"lastUpdateId":1,"bids":[["101","1"]],"asks":[["100","1"]]}' },
  });
  await expect(data.orderBook('BTC/USDT', 10)).rejects.toThrow(/crossed/);
});
