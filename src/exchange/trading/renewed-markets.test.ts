import { afterAll, afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { minuteMs } from '#engine/market/durations.ts';
import { NotListed } from '#engine/ports/exchange-error.ts';
import { anOrderRequest } from '#engine/ports/testing/an-order-request.ts';
import type { OrderRequest, Trading } from '#engine/ports/trading.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import type { RestFault } from '../../sandbox/wire/faults.ts';
import { newTrading } from './testing/sandbox-account.ts';

const sandbox = await startSandbox();
afterAll(() => sandbox.close());
vi.useFakeTimers({ toFake: ['performance'] }); // which gives the age of a list
afterAll(() => void vi.useRealTimers());
afterEach(() => sandbox.faults.clear());

type MarketType = 'spot' | 'futures';
const markets = ['spot', 'futures'] as const;
const symbolOf = { spot: 'ETH/USDT', futures: 'ETH/USDT:USDT' } as const;
const pathOf = { spot: '/api/v3/exchangeInfo', futures: '/fapi/v1/exchangeInfo' } as const;

interface Listed {
  symbol: string;
  status: string;
  filters: { filterType: string; tickSize?: string }[];
}

/** The list of instruments as the exchange gives it, with what a test makes of it. */
async function listWith(marketType: MarketType, change: (symbols: Listed[]) => Listed[]): Promise<string> {
  const list = (await (await fetch(sandbox.url + pathOf[marketType])).json()) as { symbols: Listed[] };
  return JSON.stringify({ ...list, symbols: change(list.symbols) });
}

const withEth = (change: (listed: Listed) => Listed) => (symbols: Listed[]) =>
  symbols.map((listed) => (listed.symbol === 'ETHUSDT' ? change(listed) : listed));
const halted = withEth((listed) => ({ ...listed, status: 'BREAK' }));
const coarse = withEth((listed) => ({
  ...listed,
  filters: listed.filters.map((filter) => (filter.filterType === 'PRICE_FILTER' ? { ...filter, tickSize: '1' } : filter)),
}));
const delisted = (symbols: Listed[]) => symbols.filter(({ symbol }) => symbol !== 'ETHUSDT');

/** The next list of instruments is another, or none. */
const nextList = (marketType: MarketType, fault: RestFault): void => void sandbox.faults.add({ path: pathOf[marketType], times: 1, fault });

/** The list of instruments becomes too old to decide. */
const grow = (): void => void vi.advanceTimersByTime(minuteMs + 1);

/** An account that has read a list with a change. */
async function anAccount(marketType: MarketType, change: (symbols: Listed[]) => Listed[] = (same) => same): Promise<Trading> {
  grow(); // also that which all accounts share
  nextList(marketType, { kind: 'body', body: await listWith(marketType, change) });
  const trading = await newTrading(sandbox, marketType);
  onTestFinished(() => trading.close());
  expect(sandbox.faults.list()).toHaveLength(0);
  return trading;
}

let made = 0;
const limit = (marketType: MarketType, given: Partial<OrderRequest> = {}): OrderRequest =>
  anOrderRequest({
    clientOrderId: `order-${(made += 1)}`,
    symbol: symbolOf[marketType],
    type: 'limit',
    amount: 0.1,
    price: 1_000.5,
    expiresAt: sandbox.clock.now() + minuteMs,
    ...given,
  });

describe.each(markets)('OP-85 what an old list of instruments refuses is decided by a new one on %s', (marketType) => {
  test.each([
    ['trading that had been interrupted', halted],
    ['a tick that has become finer', coarse],
  ])('%s', async (_name, change) => {
    const trading = await anAccount(marketType, change);
    grow();
    expect(await trading.place(limit(marketType))).toMatchObject({ state: 'open', price: 1_000.5 });
  });

  test('a stop of futures too', async () => {
    const trading = await anAccount(marketType, coarse);
    grow();
    const stop = limit(marketType, { type: 'stop', side: 'buy', price: null, stopPrice: 9_000.5 });
    expect(await trading.place(stop)).toMatchObject({ state: 'open' });
  });

  test('what a new list refuses is refused, and it is not loaded again within a minute', async () => {
    const trading = await anAccount(marketType, halted);
    const refusal = { kind: 'rejected', message: expect.stringContaining('is not traded now') as string };
    nextList(marketType, { kind: 'body', body: await listWith(marketType, halted) });
    await expect(trading.place(limit(marketType))).rejects.toMatchObject(refusal);
    expect(sandbox.faults.list()).toHaveLength(1); // the list was new
    grow();
    for (let i = 0; i < 3; i++) await expect(trading.place(limit(marketType))).rejects.toMatchObject(refusal);
    expect(sandbox.faults.list()).toHaveLength(0); // it was loaded, and once: the next one would have let it pass
  });

  test.each([
    ['is not given', { kind: 'reset' }],
    ['is refused', { kind: 'error', status: 400, code: -1100, message: 'No.' }],
    ['is empty', { kind: 'body', body: '{"symbols":[]}' }],
    ['is broken', { kind: 'body', body: '{}' }],
  ] as const)('while the list %s nothing is refused for good, and it is not asked for again at once', async (_name, fault) => {
    const trading = await anAccount(marketType, halted);
    grow();
    nextList(marketType, fault);
    await expect(trading.place(limit(marketType))).rejects.toMatchObject({ kind: 'temporary', retryAfterMs: 5_000 });
    expect(await trading.place(limit(marketType))).toMatchObject({ state: 'open' });
  });
});

test.each(markets)('OP-85 what was listed is traded on %s while the next list is empty', async (marketType) => {
  const trading = await anAccount(marketType);
  grow();
  nextList(marketType, { kind: 'body', body: '{"symbols":[]}' });
  await expect(trading.openOrders('NONE/USDT')).rejects.toMatchObject({ kind: 'temporary' }); // reads the list
  expect(sandbox.faults.list()).toHaveLength(0);
  expect(await trading.place(limit(marketType))).toMatchObject({ state: 'open' });
});

describe.each(markets)('OP-85 the orders of an instrument that has left the exchange on %s', (marketType) => {
  const symbol = symbolOf[marketType];

  test('are found or certainly not there', async () => {
    const trading = await anAccount(marketType, delisted);
    expect(await trading.order(symbol, 'gone')).toBeNull();
    expect(await trading.openOrders(symbol)).toEqual([]);
    expect(await trading.ordersSince(symbol, 0)).toEqual([]);
    await expect(trading.fillsSince(symbol, null)).rejects.toMatchObject({
      kind: 'rejected',
      message: expect.stringContaining(symbol) as string,
    });
  });

  test('one that the account has open all the same is found', async () => {
    const trading = await anAccount(marketType);
    const { clientOrderId } = await trading.place(limit(marketType));
    grow();
    nextList(marketType, { kind: 'body', body: await listWith(marketType, delisted) });
    await expect(trading.openOrders('NONE/USDT')).resolves.toEqual([]); // reads the list
    expect(sandbox.faults.list()).toHaveLength(0);
    expect(await trading.order(symbol, clientOrderId)).toMatchObject({ clientOrderId, state: 'open' });
  });

  test.each([
    ['a limit order', {}],
    ['a stop', { type: 'stop', side: 'buy', price: null, stopPrice: 9_000 } as const],
  ])('%s that stands all the same is cancelled', async (_name, given) => {
    const trading = await anAccount(marketType);
    const { clientOrderId } = await trading.place(limit(marketType, given));
    grow();
    nextList(marketType, { kind: 'body', body: await listWith(marketType, delisted) });
    await expect(trading.openOrders('NONE/USDT')).resolves.toEqual([]); // reads the list
    expect(await trading.cancel(symbol, clientOrderId)).toMatchObject({ clientOrderId, symbol, state: 'cancelled' });
    expect(await trading.order(symbol, clientOrderId)).toBeNull();
  });

  test('one that does not stand any more is not cancelled', async () => {
    const trading = await anAccount(marketType, delisted);
    await expect(trading.cancel(symbol, 'gone')).rejects.toThrow(NotListed);
  });

  test('a cancelling that the exchange refuses says that the instrument is not listed', async () => {
    const trading = await anAccount(marketType);
    const { clientOrderId } = await trading.place(limit(marketType));
    grow();
    nextList(marketType, { kind: 'body', body: await listWith(marketType, delisted) });
    await expect(trading.openOrders('NONE/USDT')).resolves.toEqual([]); // reads the list
    const path = marketType === 'spot' ? '/api/v3/order' : '/fapi/v1/order';
    sandbox.faults.add({ path, times: 1, fault: { kind: 'error', status: 400, code: -1121, message: 'Invalid symbol.' } });
    await expect(trading.cancel(symbol, clientOrderId)).rejects.toThrow(NotListed);
  });

  test.each([
    ['the instrument is not there', -1121, true],
    ['the question is wrong', -1100, false],
  ])('a question that is refused because %s says so, although the list has the instrument', async (_name, code, isUnlisted) => {
    const trading = await anAccount(marketType);
    const path = marketType === 'spot' ? '/api/v3/allOrders' : '/fapi/v1/allOrders';
    sandbox.faults.add({ path, times: 1, fault: { kind: 'error', status: 400, code, message: 'No.' } });
    const refusal: unknown = await trading.ordersSince(symbol, sandbox.clock.now() - minuteMs).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ kind: 'rejected', message: expect.stringContaining('No.') as string });
    expect(refusal instanceof NotListed).toBe(isUnlisted);
  });

  test.each([
    ['not given', { kind: 'reset' }, 'temporary'],
    ['refused', { kind: 'error', status: 400, code: -1100, message: 'No.' }, 'rejected'],
    ['empty', { kind: 'body', body: '{"symbols":[]}' }, 'temporary'],
    ['broken', { kind: 'body', body: '{}' }, 'temporary'],
  ] as const)('are not taken for gone while the list is %s', async (_name, fault, kind) => {
    const trading = await anAccount(marketType, delisted);
    grow();
    nextList(marketType, fault);
    await expect(trading.order(symbol, 'unsure')).rejects.toMatchObject({ kind });
    expect(await trading.order(symbol, 'unsure')).toBeNull(); // the list has it again, and the order does not exist
  });
});
