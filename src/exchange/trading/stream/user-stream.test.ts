import { afterAll, afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { minuteMs, secondMs } from '#engine/market/durations.ts';
import { anOrderRequest } from '#engine/ports/testing/an-order-request.ts';
import type { AccountReport, OrderRequest, Trading } from '#engine/ports/trading.ts';
import { startSandbox } from '../../../sandbox/sandbox.ts';
import { Backoff } from '../../backoff.ts';
import { AccountClient } from '../account-client.ts';
import { FuturesTrading } from '../futures-trading.ts';
import { SpotTrading } from '../spot-trading.ts';
import { control, newCredentials, newTrading } from '../testing/sandbox-account.ts';
import { UserStream } from './user-stream.ts';

const sandbox = await startSandbox({ controlPort: 0 });
afterEach(() => sandbox.faults.clear());
afterAll(() => sandbox.close());

const symbolOf = { spot: 'ETH/USDT', futures: 'ETH/USDT:USDT' } as const;
type MarketType = keyof typeof symbolOf;

/** An account that is watched, and what was reported. */
async function start(marketType: MarketType) {
  const logged: string[] = [];
  const trading = await newTrading(sandbox, marketType, { log: (message) => logged.push(message) });
  onTestFinished(() => trading.close());
  const reports: AccountReport[] = [];
  trading.watch((report) => reports.push(report));
  let number = 0;
  const place = (given: Partial<OrderRequest> = {}) =>
    trading.place({
      clientOrderId: `order-${(number += 1)}`,
      symbol: symbolOf[marketType],
      side: 'buy',
      type: 'market',
      amount: 0.01,
      price: null,
      stopPrice: null,
      reduceOnly: false,
      expiresAt: sandbox.clock.now() + 5 * secondMs,
      ...given,
    });
  const fillsOf = (id: string) =>
    reports.flatMap((report) => (report.kind === 'order' && report.fill?.clientOrderId === id ? [report.fill] : []));
  const gaps = () => reports.filter(({ kind }) => kind === 'gap').length;
  return { trading, reports, place, fillsOf, gaps, logged, symbol: symbolOf[marketType] };
}

describe.each(['spot', 'futures'] as const)('the user stream of an account on %s', (marketType) => {
  test('reports each fill once, with the id and the fee of the list', async () => {
    const { trading, place, fillsOf, symbol, gaps } = await start(marketType);
    await place();
    await expect.poll(() => fillsOf('order-1').length).toBeGreaterThan(0);
    expect(fillsOf('order-1')).toEqual(await trading.fillsSince(symbol, null));
    expect(gaps()).toBe(0);
  });

  test('a message that comes twice is reported twice, with the same fill: it is counted by its id', async () => {
    const { place, fillsOf } = await start(marketType);
    sandbox.faults.sockets.duplicate(20);
    await place();
    await expect.poll(() => fillsOf('order-1').length).toBe(2);
    expect(new Set(fillsOf('order-1').map(({ id }) => id)).size).toBe(1);
  });

  test('messages in another sequence are reported as they come', async () => {
    const { place, reports } = await start(marketType);
    sandbox.faults.sockets.reorder(3);
    await place();
    const states = () => reports.flatMap((report) => (report.kind === 'order' ? [report.order.state] : []));
    await expect.poll(states).toEqual(['filled', 'open']);
  });

  test('after it was cut it comes back, reports a gap, and what was done meanwhile is found', async () => {
    const { trading, place, fillsOf, gaps, symbol } = await start(marketType);
    sandbox.faults.sockets.refuse(1_000_000);
    expect(sandbox.faults.sockets.drop()).toBeGreaterThan(0);
    await place();
    sandbox.faults.clear();
    await expect.poll(gaps).toBe(1);
    expect(fillsOf('order-1')).toEqual([]);
    expect((await trading.fillsSince(symbol, null)).map(({ clientOrderId }) => clientOrderId)).toEqual(['order-1']);
    await place();
    await expect.poll(() => fillsOf('order-2').length).toBe(1);
  });

  test('a socket that is refused, again and again, ends nothing; it is tried until it is there', async () => {
    const { place, fillsOf, gaps, logged } = await start(marketType);
    sandbox.faults.sockets.refuse(2);
    sandbox.faults.sockets.drop();
    await expect.poll(gaps).toBe(1);
    expect(logged.filter((message) => message.includes('cannot be opened'))).toHaveLength(2);
    await place();
    await expect.poll(() => fillsOf('order-1').length).toBe(1);
  });

  test('an account whose stream cannot be opened trades without it, and a gap is reported when it is there', async () => {
    sandbox.faults.sockets.refuse(4);
    const { place, fillsOf, gaps } = await start(marketType);
    await place();
    await expect.poll(gaps).toBe(1);
    await place();
    await expect.poll(() => fillsOf('order-2').length).toBe(1);
  });

  test('a listener that throws keeps nothing from the others, and each has copies of its own', async () => {
    const { trading, place, fillsOf, logged } = await start(marketType);
    trading.watch((report) => {
      if (report.kind === 'order') report.order.filled = 99;
      throw new Error('I do not care');
    });
    const later: AccountReport[] = [];
    const end = trading.watch((report) => later.push(report));
    await place();
    await expect.poll(() => fillsOf('order-1').length).toBe(1);
    expect(later.flatMap((report) => (report.kind === 'order' ? [report.order.filled] : []))).not.toContain(99);
    expect(logged.some((message) => message.includes('I do not care'))).toBe(true);
    end();
    const before = later.length;
    await place();
    await expect.poll(() => fillsOf('order-2').length).toBe(1);
    expect(later).toHaveLength(before);
  });

  test('one that is closed has no socket any more', async () => {
    const { trading } = await start(marketType);
    const others = sandbox.counts().sockets;
    await trading.close();
    await expect.poll(() => sandbox.counts().sockets).toBeLessThan(others);
  });

  test('no message about it has a secret', async () => {
    const { logged, gaps } = await start(marketType);
    sandbox.faults.sockets.refuse(1);
    sandbox.faults.sockets.drop();
    await expect.poll(gaps).toBe(1);
    expect(logged.length).toBeGreaterThan(0);
    expect(logged.join('\n')).not.toMatch(/signature=[0-9a-f]|listenKey=[0-9a-f]|t[0-9a-f]{62}x/u);
  });
});

describe('the user stream of USD-M', () => {
  test('when its listen key has ended it begins again with another, and reports a gap', async () => {
    const { place, fillsOf, gaps, logged } = await start('futures');
    const { sockets } = sandbox.counts();
    await control(sandbox, 'POST /listen-keys/end');
    await expect.poll(gaps).toBe(1);
    expect(logged).toEqual(['The user stream has ended: the exchange has ended it.']);
    await expect.poll(() => sandbox.counts().sockets).toBe(sockets); // the one that says nothing any more is closed
    await place();
    await expect.poll(() => fillsOf('order-1').length).toBe(1);
  });

  test('a stop whose order has a client id of its own leads to a gap, and the fill is found under that of the stop', async () => {
    const steered = await startSandbox({ factor: 0, startTime: Date.UTC(2026, 4, 20, 13, 7, 21), controlPort: 0 });
    onTestFinished(() => steered.close());
    await control(steered, 'POST /accounts', { madeOrderIds: 'new' });
    const prices = (bid: number) => control(steered, 'POST /prices', { pair: 'LTCUSDT', bid, ask: bid + 0.2 });
    await prices(99.9);
    const trading: Trading = await newTrading(steered, 'futures');
    onTestFinished(() => trading.close());
    await buyWithStop(trading, steered.clock.now() + 5000);
    const kinds: string[] = [];
    trading.watch((report) => kinds.push(report.kind));
    await prices(94);
    await expect.poll(() => kinds).toContain('gap');
    expect((await trading.fillsSince('LTC/USDT:USDT', null)).map(({ clientOrderId }) => clientOrderId)).toEqual(['in', 'out']);
    expect(await trading.order('LTC/USDT:USDT', 'out')).toMatchObject({ state: 'filled', filled: 2 });
  });

  test('a fill without a fee, of which the exchange leaves out fee and currency, is reported as such and not as a gap', async () => {
    const steered = await startSandbox({ factor: 0, startTime: Date.UTC(2026, 4, 20, 13, 7, 21), controlPort: 0 });
    onTestFinished(() => steered.close());
    const prices = (bid: number, ask: number) => control(steered, 'POST /prices', { pair: 'DOGEUSDT', bid, ask });
    await prices(0.2, 0.20001);
    const logged: string[] = [];
    const trading: Trading = await newTrading(steered, 'futures', { log: (message) => logged.push(message) });
    onTestFinished(() => trading.close());
    const order = { symbol: 'DOGE/USDT:USDT', expiresAt: steered.clock.now() + 5 * secondMs };
    await trading.place(anOrderRequest({ ...order, clientOrderId: 'in', amount: 100 }));
    await trading.fillsSince(order.symbol, null);
    const reports: AccountReport[] = [];
    trading.watch((report) => reports.push(report));
    await prices(0.00001, 0.00002);
    // What it is worth has no fee: half of a unit, which is cut off.
    await trading.place(anOrderRequest({ ...order, clientOrderId: 'out', side: 'sell', amount: 1, reduceOnly: true }));
    const fills = () => reports.flatMap((report) => (report.kind === 'order' && report.fill !== null ? [report.fill] : []));
    await expect.poll(() => fills().length + reports.filter(({ kind }) => kind === 'gap').length).toBeGreaterThan(0);
    expect(fills()).toMatchObject([{ clientOrderId: 'out', amount: 1, fee: 0, feeCurrency: 'USDT', feeInQuote: 0 }]);
    expect(fills()).toEqual((await trading.fillsSince(order.symbol, null)).slice(-1));
    expect(reports.filter(({ kind }) => kind === 'gap')).toEqual([]);
    expect(logged).toEqual([]);
  });

  test('a stop that was triggered is reported under its client id, also as a fill', async () => {
    const steered = await startSandbox({ factor: 0, startTime: Date.UTC(2026, 4, 20, 13, 7, 21), controlPort: 0 });
    onTestFinished(() => steered.close());
    const prices = (bid: number) => control(steered, 'POST /prices', { pair: 'LTCUSDT', bid, ask: bid + 0.2 });
    await prices(99.9);
    const trading: Trading = await newTrading(steered, 'futures');
    onTestFinished(() => trading.close());
    const reports: AccountReport[] = [];
    trading.watch((report) => reports.push(report));
    await buyWithStop(trading, steered.clock.now() + 5000);
    await prices(94);
    await expect
      .poll(() => reports.flatMap((each) => (each.kind === 'order' && each.fill !== null ? [each.fill.clientOrderId] : [])))
      .toEqual(['in', 'out']);
    expect((await trading.fillsSince('LTC/USDT:USDT', null)).map(({ clientOrderId }) => clientOrderId)).toEqual(['in', 'out']);
    expect(await trading.order('LTC/USDT:USDT', 'out')).toMatchObject({ state: 'filled', filled: 2, type: 'stop', stopPrice: 95 });
    expect((await trading.ordersSince('LTC/USDT:USDT', 1)).map(({ clientOrderId }) => clientOrderId)).toEqual(['in', 'out']);
    expect(await trading.openOrders()).toEqual([]);
  });
});

test('a stream that is there only after somebody listens reports a gap, also when it is the first', async () => {
  const credentials = await newCredentials(sandbox);
  const account = new AccountClient({ exchangeId: 'sandbox', marketType: 'spot', credentials, sandboxUrl: sandbox.url });
  const opening = Promise.withResolvers<{ end(): void }>();
  const stream = new UserStream({
    client: account.ccxt,
    open: () => opening.promise,
    read: () => ({ reports: [] }),
    log: () => undefined,
  });
  onTestFinished(() => stream.close());
  const started = stream.start();
  const kinds: string[] = [];
  stream.watch(({ kind }) => kinds.push(kind));
  opening.resolve({ end: () => undefined }); // what was done since somebody listens nobody has reported
  await started;
  expect(kinds).toEqual(['gap']);
});

/** A stream whose subscriptions are lost when the test says it, and those that it has opened. */
async function interruptible() {
  const credentials = await newCredentials(sandbox);
  const account = new AccountClient({ exchangeId: 'sandbox', marketType: 'futures', credentials, sandboxUrl: sandbox.url });
  const opened: { lose(): void; isEnded: boolean }[] = [];
  const stream = new UserStream({
    client: account.ccxt,
    async open(lost) {
      const one = { lose: () => lost('its listen key has ended'), isEnded: false };
      opened.push(one);
      return { end: () => void (one.isEnded = true) };
    },
    read: () => ({ reports: [] }),
    log: () => undefined,
  });
  onTestFinished(() => stream.close());
  let gaps = 0;
  stream.watch(({ kind }) => (gaps += kind === 'gap' ? 1 : 0));
  await stream.start();
  return { opened, isOpen: (times: number) => expect.poll(() => gaps).toBe(times) };
}

test('nothing keeps a subscription alive any more once it was lost', async () => {
  const { opened, isOpen } = await interruptible();
  for (const times of [1, 2]) {
    await isOpen(times);
    opened.at(-1)?.lose();
  }
  await isOpen(3);
  expect(opened.map(({ isEnded }) => isEnded)).toEqual([true, true, false]);
});

test('a stream that has lived for a while is away for a moment only, however often it was interrupted before', async () => {
  const pauses = vi.spyOn(Backoff.prototype, 'next');
  onTestFinished(() => pauses.mockRestore());
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { opened, isOpen } = await interruptible();
  for (const times of [1, 2, 3]) {
    await isOpen(times);
    vi.advanceTimersByTime(minuteMs);
    opened.at(-1)?.lose();
  }
  await isOpen(4);
  expect(pauses.mock.results.filter(({ value }) => value > secondMs)).toEqual([]);
  opened.at(-1)?.lose(); // at once: it has not lived
  await expect.poll(() => pauses.mock.results.length).toBe(4);
  expect(pauses.mock.results.at(-1)?.value).toBeGreaterThan(secondMs);
});

test('a stop of USD-M watches the last price, as strategies do, and not the mark price', async () => {
  const credentials = await newCredentials(sandbox);
  const now = () => sandbox.clock.now();
  const account = new AccountClient({ exchangeId: 'sandbox', marketType: 'futures', credentials, sandboxUrl: sandbox.url, now });
  const trading = new FuturesTrading('a', account, () => undefined);
  onTestFinished(() => trading.close());
  await account.prepare();
  const order = { symbol: symbolOf.futures, amount: 10, expiresAt: now() + 5 * secondMs };
  await trading.place(anOrderRequest({ ...order, clientOrderId: 'out', side: 'sell', type: 'stop', stopPrice: 1 }));
  expect(await account.ccxt.fapiPrivateGetAlgoOrder({ clientAlgoId: 'out' })).toMatchObject({ workingType: 'CONTRACT_PRICE' });
});

/** Buys 2 LTC at market, and places the stop at 95 that sells them. */
async function buyWithStop(trading: Trading, expiresAt: number): Promise<void> {
  const order = { symbol: 'LTC/USDT:USDT', amount: 2, expiresAt };
  await trading.place(anOrderRequest({ ...order, clientOrderId: 'in' }));
  await trading.place(anOrderRequest({ ...order, clientOrderId: 'out', side: 'sell', type: 'stop', stopPrice: 95, reduceOnly: true }));
}

test.each(['spot', 'futures'] as const)(
  'a message of the user stream on %s that cannot be read is reported as a gap',
  async (marketType) => {
    const credentials = await newCredentials(sandbox);
    const now = () => sandbox.clock.now();
    const account = new AccountClient({ exchangeId: 'sandbox', marketType, credentials, sandboxUrl: sandbox.url, now });
    const logged: string[] = [];
    const trading = new (marketType === 'spot' ? SpotTrading : FuturesTrading)('a', account, (message) => logged.push(message));
    onTestFinished(() => trading.close());
    // What the exchange says of an order is changed on its way, before anybody has read it.
    const handle = account.ccxt.handleMessage.bind(account.ccxt);
    account.ccxt.handleMessage = (socket, message) => {
      const { event = {}, o = {} } = message as { event?: Record<string, unknown>; o?: Record<string, unknown> };
      for (const order of [event, o]) if ('X' in order) order['X'] = 'SOMETHING_NEW';
      handle(socket, message);
    };
    await account.prepare();
    await trading.start();
    const reports: AccountReport[] = [];
    trading.watch((report) => reports.push(report));
    await trading.place(
      anOrderRequest({ clientOrderId: 'one', symbol: symbolOf[marketType], amount: 0.01, expiresAt: now() + 5 * secondMs }),
    );
    await expect.poll(() => reports.filter(({ kind }) => kind === 'gap').length).toBeGreaterThan(0);
    expect(reports.filter(({ kind }) => kind === 'order')).toEqual([]);
    expect(logged).toContainEqual(expect.stringContaining('makes no sense'));
  },
);
