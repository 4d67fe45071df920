import { createHmac } from 'node:crypto';
import { pro } from 'ccxt';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { hourMs, minuteMs } from '#engine/market/durations.ts';
import { type Sandbox, startSandbox } from './sandbox.ts';
import { type RawAccount, rawAccount } from './testing/raw-account.ts';

type ProExchange = InstanceType<typeof pro.binance>;

const atOneMoment = { seed: 7, startTime: Date.UTC(2026, 4, 20, 13, 7, 21), factor: 0 };
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox(atOneMoment);
});
afterAll(() => sandbox.close());

async function ccxtOf({ apiKey, secret }: RawAccount): Promise<ProExchange> {
  const exchange = new pro.binance({
    apiKey,
    secret,
    enableRateLimit: false,
    urls: { test: sandbox.urls() },
    options: { fetchMarkets: { types: ['spot'] } },
  });
  exchange.setSandboxMode(true);
  exchange.nonce = () => sandbox.clock.now();
  await exchange.loadHttpProxyAgent();
  await exchange.loadMarkets();
  return exchange;
}

const symbol = 'BTC/USDT';
const total = async (account: RawAccount, asset: string): Promise<[free: string, locked: string]> => {
  const { body } = await account.send('GET', '/api/v3/account');
  const found = body.balances.find((balance: { asset: string }) => balance.asset === asset);
  return [found?.free ?? '0.00000000', found?.locked ?? '0.00000000'];
};
const best = async () => {
  const book = await (await fetch(`${sandbox.url}/api/v3/depth?symbol=BTCUSDT&limit=5`)).json();
  return book as { bids: [string, string][]; asks: [string, string][] };
};
const limit = (side: 'BUY' | 'SELL', price: string, quantity: string, more: Record<string, string> = {}) => ({
  symbol: 'BTCUSDT',
  side,
  type: 'LIMIT',
  timeInForce: 'GTC',
  price,
  quantity,
  ...more,
});

describe('unmodified ccxt trades on spot', () => {
  test('a market order takes the best offer, and its fee is in the coin', async () => {
    const account = await rawAccount(sandbox);
    const exchange = await ccxtOf(account);
    const { asks } = await best();
    const order = await exchange.createOrder(symbol, 'market', 'buy', 0.01, undefined, { clientOrderId: 'b1-1' });
    expect(order).toMatchObject({ status: 'closed', filled: 0.01, clientOrderId: 'b1-1', type: 'market', side: 'buy' });
    expect(Number(order.average)).toBeCloseTo(Number(asks[0][0]), 0);
    const trades = await exchange.fetchMyTrades(symbol);
    expect(trades).toHaveLength(order.trades.length);
    expect(trades[0]).toMatchObject({ order: order.id, takerOrMaker: 'taker', fee: { currency: 'BTC', cost: 0.00001 } });
    const [usdt] = await total(account, 'USDT');
    expect(Number(usdt)).toBeCloseTo(10_000 - Number(order.cost), 6);
    expect(await total(account, 'BTC')).toEqual(['0.00999000', '0.00000000']);
    expect((await exchange.fetchBalance())['BTC']).toMatchObject({ free: 0.00999, used: 0 });
    await exchange.close();
  });

  test('a limit order rests, is found by both ids, is cancelled, and returns its money', async () => {
    const account = await rawAccount(sandbox);
    const exchange = await ccxtOf(account);
    const price = Math.floor(Number((await best()).bids[0][0]) * 0.9);
    const order = await exchange.createOrder(symbol, 'limit', 'buy', 0.02, price, { clientOrderId: 'rest-1' });
    expect(order).toMatchObject({ status: 'open', filled: 0, remaining: 0.02 });
    expect(await total(account, 'USDT')).toEqual([(10_000 - price * 0.02).toFixed(8), (price * 0.02).toFixed(8)]);
    expect((await exchange.fetchOrder(order.id!, symbol)).clientOrderId).toBe('rest-1');
    expect((await exchange.fetchOrder(undefined as unknown as string, symbol, { clientOrderId: 'rest-1' })).id).toBe(order.id);
    expect((await exchange.fetchOpenOrders(symbol)).map(({ id }) => id)).toEqual([order.id]);
    await expect(exchange.createOrder(symbol, 'limit', 'buy', 0.02, price, { clientOrderId: 'rest-1' })).rejects.toThrow(
      'Duplicate order sent.',
    );
    expect(await exchange.cancelOrder(order.id!, symbol)).toMatchObject({ status: 'canceled' });
    expect(await total(account, 'USDT')).toEqual(['10000.00000000', '0.00000000']);
    await expect(exchange.cancelOrder(order.id!, symbol)).rejects.toThrow('-2011');
    await expect(exchange.fetchOrder('999', symbol)).rejects.toThrow('-2013');
    const again = await exchange.createOrder(symbol, 'limit', 'buy', 0.02, price, { clientOrderId: 'rest-1' });
    expect(again.id).not.toBe(order.id);
    expect((await exchange.fetchOrders(symbol)).map(({ status }) => status)).toEqual(['canceled', 'open']);
    await exchange.close();
  });

  test('orders that cannot rest: post only, fill or kill, immediate or cancel', async () => {
    const account = await rawAccount(sandbox);
    const exchange = await ccxtOf(account);
    const { asks } = await best();
    const ask = Number(asks[0][0]);
    await expect(exchange.createOrder(symbol, 'limit', 'buy', 0.01, ask, { postOnly: true })).rejects.toThrow('immediately match');
    const killed = await exchange.createOrder(symbol, 'limit', 'buy', 0.01, Math.floor(ask * 0.99), { timeInForce: 'FOK' });
    expect(killed).toMatchObject({ status: 'expired', filled: 0 });
    const partly = await exchange.createOrder(symbol, 'limit', 'buy', 0.01, Math.floor(ask * 0.99), { timeInForce: 'IOC' });
    expect(partly).toMatchObject({ status: 'expired', filled: 0 });
    const maker = await exchange.createOrder(symbol, 'limit', 'buy', 0.01, Math.floor(ask * 0.99), { postOnly: true });
    expect(maker).toMatchObject({ status: 'open', postOnly: true });
    await exchange.close();
  });

  test('a cost is spent on whole steps, and never exceeded', async () => {
    const account = await rawAccount(sandbox);
    const exchange = await ccxtOf(account);
    const order = await exchange.createOrder(symbol, 'market', 'buy', 1, undefined, { cost: 100 });
    expect(order.status).toBe('closed');
    expect(Number(order.cost)).toBeLessThanOrEqual(100);
    expect(Number(order.cost)).toBeGreaterThan(98.9);
    await exchange.close();
  });
});

describe('an order meets the prices of the market', () => {
  test('a resting order is filled as maker at its price when the price has passed it, also between requests', async () => {
    const account = await rawAccount(sandbox);
    const price = (Math.floor(Number((await best()).bids[0][0]) * 0.998 * 100) / 100).toFixed(2);
    const { body: order } = await account.send('POST', '/api/v3/order', limit('BUY', price, '0.01'));
    expect(order).toMatchObject({ status: 'NEW', fills: [] });
    let hours = 0;
    for (; hours < 72; hours++) {
      sandbox.clock.advance(hourMs);
      const { body } = await account.send('GET', '/api/v3/order', { symbol: 'BTCUSDT', orderId: order.orderId });
      if (body.status === 'FILLED') break;
    }
    const { body: fills } = await account.send('GET', '/api/v3/myTrades', { symbol: 'BTCUSDT' });
    expect(fills.length).toBeGreaterThan(0);
    for (const fill of fills) expect(fill).toMatchObject({ price: `${price}000000`, isMaker: true, isBuyer: true });
    // The candles agree: the price was not reached before the first fill, and was in its minute.
    const minute = Math.floor(fills[0].time / minuteMs) * minuteMs;
    const rows = (await (
      await fetch(`${sandbox.url}/api/v3/klines?symbol=BTCUSDT&interval=1m&startTime=${order.transactTime}&endTime=${minute}&limit=1000`)
    ).json()) as [number, string, string, string][];
    const crossing = rows.at(-1);
    expect(crossing?.[0]).toBe(minute);
    expect(Number(crossing?.[3])).toBeLessThanOrEqual(Number(price));
    for (const row of rows.slice(0, -1)) expect(Number(row[3])).toBeGreaterThan(Number(price));
  });

  test('a stop rests unseen by the book, and becomes a limit order when the price reaches it', async () => {
    const account = await rawAccount(sandbox);
    await account.send('POST', '/api/v3/order', { symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quantity: '0.01' });
    const bid = Number((await best()).bids[0][0]);
    const stop = {
      symbol: 'BTCUSDT',
      side: 'SELL',
      type: 'STOP_LOSS_LIMIT',
      timeInForce: 'GTC',
      quantity: '0.00999',
      stopPrice: (bid * 0.997).toFixed(2),
      price: (bid * 0.99).toFixed(2),
    };
    const above = await account.send('POST', '/api/v3/order', { ...stop, stopPrice: (bid * 1.01).toFixed(2), newOrderRespType: 'FULL' });
    expect(above).toMatchObject({ status: 400, body: { code: -2010, msg: 'Stop price would trigger immediately.' } });
    const { body: placed } = await account.send('POST', '/api/v3/order', { ...stop, newOrderRespType: 'FULL' });
    expect(placed).toMatchObject({ status: 'NEW', workingTime: -1, stopPrice: `${stop.stopPrice}000000` });
    expect(await total(account, 'BTC')).toEqual(['0.00000000', '0.00999000']);
    for (let hours = 0; hours < 96; hours++) {
      sandbox.clock.advance(hourMs);
      const { body } = await account.send('GET', '/api/v3/order', { symbol: 'BTCUSDT', orderId: placed.orderId });
      if (body.status === 'FILLED') break;
    }
    const { body: done } = await account.send('GET', '/api/v3/order', { symbol: 'BTCUSDT', orderId: placed.orderId });
    expect(done).toMatchObject({ status: 'FILLED', isWorking: true, executedQty: '0.00999000' });
    expect(Number(done.cummulativeQuoteQty) / 0.00999).toBeLessThan(Number(stop.stopPrice) * 1.001);
    expect(await total(account, 'BTC')).toEqual(['0.00000000', '0.00000000']);
  });
});

describe('what is refused, in the words of the exchange', () => {
  test.each([
    ['no symbol', { symbol: '' }, -1102, "Mandatory parameter 'symbol' was not sent, was empty/null, or malformed."],
    ['a foreign symbol', { symbol: 'NONEUSDT' }, -1121, 'Invalid symbol.'],
    ['a wrong side', { side: 'HOLD' }, -1117, 'Invalid side.'],
    ['a wrong type', { type: 'WISH' }, -1116, 'Invalid orderType.'],
    ['a wrong time in force', { timeInForce: 'NOW' }, -1115, 'Invalid timeInForce.'],
    ['no price', { price: '' }, -1102, "Mandatory parameter 'price' was not sent, was empty/null, or malformed."],
    [
      'letters',
      { quantity: 'much' },
      -1100,
      "Illegal characters found in parameter 'quantity'; legal range is '^([0-9]{1,20})(\\.[0-9]{1,20})?$'.",
    ],
    ['too many decimals', { quantity: '0.0000000001' }, -1111, "Parameter 'quantity' has too much precision."],
    ['a price between two ticks', { price: '50000.001' }, -1013, 'Filter failure: PRICE_FILTER'],
    ['an amount between two steps', { quantity: '0.000015' }, -1013, 'Filter failure: LOT_SIZE'],
    ['too small a value', { quantity: '0.00001' }, -1013, 'Filter failure: NOTIONAL'],
    ['more than there is', { quantity: '5' }, -2010, 'Account has insufficient balance for requested action.'],
    ['a stop without need', { stopPrice: '40000' }, -1106, "Parameter 'stopPrice' sent when not required."],
    [
      'a client id with a space',
      { newClientOrderId: 'a b' },
      -1100,
      "Illegal characters found in parameter 'newClientOrderId'; legal range is '^[\\.A-Z\\:/a-z0-9_-]{1,36}$'.",
    ],
  ])('%s', async (_name, change, code, msg) => {
    const account = await rawAccount(sandbox);
    const { status, body } = await account.send('POST', '/api/v3/order', limit('BUY', '50000.00', '0.01', change));
    expect({ status, body }).toEqual({ status: 400, body: { code, msg } });
    expect(await total(account, 'USDT')).toEqual(['10000.00000000', '0.00000000']);
  });

  test('more at market than MARKET_LOT_SIZE says, which a limit order may be for', async () => {
    const account = await rawAccount(sandbox);
    const info = (await (await fetch(`${sandbox.url}/api/v3/exchangeInfo?symbol=BTCUSDT`)).json()) as {
      symbols: { filters: { filterType: string; maxQty: string }[] }[];
    };
    const largest = Number(info.symbols[0].filters.find(({ filterType }) => filterType === 'MARKET_LOT_SIZE')?.maxQty);
    const larger = (largest + 0.00001).toFixed(5);
    const answerTo = async (order: Record<string, string>) => (await account.send('POST', '/api/v3/order', order)).body.msg;
    const sale = (quantity: string) => ({ symbol: 'BTCUSDT', side: 'SELL', type: 'MARKET', quantity });
    const lacksCoins = 'Account has insufficient balance for requested action.';
    expect(await answerTo(sale(larger))).toBe('Filter failure: MARKET_LOT_SIZE');
    expect(await answerTo(sale(largest.toFixed(5)))).toBe(lacksCoins);
    expect(await answerTo(limit('SELL', '50000.00', larger))).toBe(lacksCoins);
  });

  test('a key that may only read trades nothing', async () => {
    const account = await rawAccount(sandbox, 'read');
    expect(await account.send('POST', '/api/v3/order', limit('BUY', '50000.00', '0.01'))).toMatchObject({
      status: 401,
      body: { code: -2015 },
    });
    expect((await account.send('GET', '/api/v3/openOrders')).body).toEqual([]);
  });

  test('the hundred and first order within ten seconds', async () => {
    const account = await rawAccount(sandbox);
    vi.useFakeTimers({ toFake: ['Date'] }); // the ten seconds do not end before the orders are there
    onTestFinished(() => void vi.useRealTimers());
    const answers = [];
    for (let i = 0; i < 101; i++) answers.push(await account.send('POST', '/api/v3/order', limit('BUY', '1.00', '0.00001')));
    const refused = answers.pop();
    expect(answers.map(({ headers }) => Number(headers.get('x-mbx-order-count-10s')))).toEqual(answers.map((_, i) => i + 1));
    expect(refused).toMatchObject({ status: 429, body: { code: -1015 } });
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

test('the fee may be paid in BNB, three quarters of it', async () => {
  const account = await rawAccount(sandbox);
  expect((await account.send('POST', '/sapi/v1/bnbBurn', { spotBNBBurn: true })).body.spotBNBBurn).toBe(true);
  const { body: order } = await account.send('POST', '/api/v3/order', { symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quantity: '0.01' });
  const [fill] = order.fills;
  const bnb = (await (await fetch(`${sandbox.url}/api/v3/ticker/price?symbol=BNBUSDT`)).json()) as { price: string };
  expect(fill.commissionAsset).toBe('BNB');
  expect(Number(fill.commission) * Number(bnb.price)).toBeCloseTo(Number(fill.price) * 0.01 * 0.000_75, 4);
  expect(await total(account, 'BTC')).toEqual(['0.01000000', '0.00000000']);
  expect(await total(account, 'BNB')).toEqual([(10 - Number(fill.commission)).toFixed(8), '0.00000000']);
});

describe('the user stream', () => {
  const listen = async (account: RawAccount) => {
    const socket = new WebSocket(`${sandbox.url.replace('http', 'ws')}/ws-api/v3`);
    const frames: any[] = []; // oxlint-disable-line typescript/no-explicit-any -- the wire
    socket.addEventListener('message', ({ data }) => frames.push(JSON.parse(String(data))));
    await new Promise((resolve) => socket.addEventListener('open', resolve));
    const parameters: Record<string, string | number> = { apiKey: account.apiKey, recvWindow: 5000, timestamp: sandbox.clock.now() };
    const text = Object.entries(parameters)
      .map(([name, value]) => `${name}=${value}`)
      .join('&');
    parameters['signature'] = createHmac('sha256', account.secret).update(text).digest('hex');
    socket.send(JSON.stringify({ id: '1', method: 'userDataStream.subscribe.signature', params: parameters }));
    await expect.poll(() => frames.length).toBe(1);
    expect(frames.shift()).toEqual({ id: '1', status: 200, result: { subscriptionId: 0 }, rateLimits: [] });
    return { socket, frames };
  };

  test('ccxt receives orders, fills and balances', async () => {
    const account = await rawAccount(sandbox);
    const exchange = await ccxtOf(account);
    const watched = Promise.all([exchange.watchOrders(symbol), exchange.watchMyTrades(symbol), exchange.watchBalance()]);
    watched.catch(() => undefined);
    await exchange.watchTicker(symbol).catch(() => undefined);
    await expect.poll(() => sandbox.accounts.watched).toBe(1);
    const order = await exchange.createOrder(symbol, 'market', 'buy', 0.01);
    const [orders, trades, balance] = await watched;
    expect(orders[0]).toMatchObject({ id: order.id, symbol, side: 'buy' });
    expect(trades[0]).toMatchObject({ order: order.id, takerOrMaker: 'taker', fee: { currency: 'BTC' } });
    expect(balance['BTC']).toMatchObject({ free: 0.00999 });
    await exchange.close();
  });

  test('each change in its sequence: order, then money; also when an order only reserves it', async () => {
    const account = await rawAccount(sandbox);
    const { socket, frames } = await listen(account);
    const price = Math.floor(Number((await best()).bids[0][0]) * 0.9).toFixed(2);
    await account.send('POST', '/api/v3/order', limit('BUY', price, '0.02', { newClientOrderId: 'one' }));
    await account.send('DELETE', '/api/v3/order', { symbol: 'BTCUSDT', origClientOrderId: 'one' });
    await account.send('POST', '/api/v3/order', { symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quantity: '0.01' });
    await expect.poll(() => frames.length).toBe(7);
    const reserved = (Number(price) * 0.02).toFixed(8);
    const events = frames.map(({ subscriptionId, event }) => {
      expect(subscriptionId).toBe(0);
      return event.e === 'executionReport'
        ? [event.x, event.X, event.c, event.C]
        : event.B.map(({ a, l }: { a: string; l: string }) => `${a} ${l}`);
    });
    expect(events).toEqual([
      ['NEW', 'NEW', 'one', ''],
      [`USDT ${reserved}`],
      ['CANCELED', 'CANCELED', 'cancel1', 'one'],
      ['USDT 0.00000000'],
      ['NEW', 'NEW', expect.any(String), ''],
      ['TRADE', 'FILLED', expect.any(String), ''],
      ['BTC 0.00000000', 'USDT 0.00000000'],
    ]);
    socket.close();
  });

  test('a resting order is reported when the market reaches it, without any request', async () => {
    const account = await rawAccount(sandbox);
    const { socket, frames } = await listen(account);
    const price = Math.floor(Number((await best()).bids[0][0]) * 0.9995).toFixed(2);
    await account.send('POST', '/api/v3/order', limit('BUY', price, '0.001'));
    for (let hours = 0; hours < 48 && frames.length < 3; hours++) {
      sandbox.clock.advance(hourMs);
      await new Promise((resolve) => setTimeout(resolve, 250)); // the sandbox follows the market five times a second
    }
    await expect.poll(() => frames.length).toBeGreaterThan(2);
    expect(frames[2].event).toMatchObject({ e: 'executionReport', x: 'TRADE', m: true, L: `${price}000000` });
    socket.close();
  });

  test('frames lost, doubled and in the wrong sequence on demand', async () => {
    const account = await rawAccount(sandbox);
    const { socket, frames } = await listen(account);
    const place = async (id: string) => {
      const { status } = await account.send('POST', '/api/v3/order', limit('BUY', '1000.00', '0.1', { newClientOrderId: id }));
      expect(status).toBe(200);
    };
    const received = () => frames.map(({ event }) => event.c ?? 'money');
    sandbox.faults.sockets.duplicate(1, '/ws-api');
    await place('a');
    await expect.poll(received).toEqual(['a', 'a', 'money']);
    sandbox.faults.sockets.gap(1, '/ws-api');
    await place('b');
    await expect.poll(received).toEqual(['a', 'a', 'money', 'money']);
    sandbox.faults.sockets.reorder(2, '/ws-api');
    await place('c');
    await expect.poll(received).toEqual(['a', 'a', 'money', 'money', 'money', 'c']);
    expect(sandbox.faults.sockets.drop('/ws-api')).toBe(1);
    await expect.poll(() => socket.readyState).toBe(WebSocket.CLOSED);
    expect(sandbox.accounts.watched).toBe(0);
    await place('d');
    sandbox.faults.clear();
  });

  test('a wrong signature receives nothing', async () => {
    const account = await rawAccount(sandbox);
    await expect(listen({ ...account, secret: 'wrong' })).rejects.toThrow();
  });
});

describe('the signature is over the received text', () => {
  const signed = (account: RawAccount, text: string): string => createHmac('sha256', account.secret).update(text).digest('hex');
  const ask = async (account: RawAccount, url: string, init: RequestInit = {}) => {
    const answer = await fetch(`${sandbox.url}${url}`, { ...init, headers: { 'x-mbx-apikey': account.apiKey } });
    return (await answer.json()) as { code?: number; status?: string };
  };

  test('however it is encoded, and in whatever sequence', async () => {
    const account = await rawAccount(sandbox);
    const text = `timestamp=${sandbox.clock.now()}&symbol=%42TCUSDT&&recvWindow=5000`;
    expect(await ask(account, `/api/v3/openOrders?${text}&signature=${signed(account, text)}`)).toEqual([]);
    const other = text.replace('%42', 'B');
    expect(await ask(account, `/api/v3/openOrders?${other}&signature=${signed(account, text)}`)).toMatchObject({ code: -1022 });
    expect(await ask(account, `/api/v3/openOrders?${text}`)).toMatchObject({ code: -1022 });
    expect(await ask(account, '/api/v3/openOrders?symbol=BTCUSDT')).toMatchObject({ code: -1102 });
  });

  test('also when it is shared between address and body', async () => {
    const account = await rawAccount(sandbox);
    const query = `symbol=BTCUSDT&side=BUY&timestamp=${sandbox.clock.now()}`;
    const body = 'type=LIMIT&timeInForce=GTC&quantity=0.001&price=50000';
    const signature = signed(account, query + body);
    expect(await ask(account, `/api/v3/order?${query}`, { method: 'POST', body: `${body}&signature=${signature}` })).toMatchObject({
      status: 'NEW',
    });
    const changed = body.replace('0.001', '0.002');
    expect(await ask(account, `/api/v3/order?${query}`, { method: 'POST', body: `${changed}&signature=${signature}` })).toMatchObject({
      code: -1022,
    });
  });
});

test('what one order has taken at a moment, the next one does not find', async () => {
  // Its own, at a known moment: an hour later there may be more than the account can pay.
  const still = await startSandbox(atOneMoment);
  onTestFinished(() => still.close());
  const account = await rawAccount(still);
  const all = { symbol: 'DOGEUSDT', side: 'BUY', type: 'LIMIT', timeInForce: 'IOC' };
  const book = (await (await fetch(`${still.url}/api/v3/depth?symbol=DOGEUSDT&limit=5`)).json()) as { asks: [string, string][] };
  const [price, amount] = book.asks[0];
  const half = String(Math.floor(Number(amount) * 0.6));
  const first = (await account.send('POST', '/api/v3/order', { ...all, price, quantity: half })).body;
  const second = (await account.send('POST', '/api/v3/order', { ...all, price, quantity: half })).body;
  expect([first.status, second.status]).toEqual(['FILLED', 'EXPIRED']);
  expect(Number(first.executedQty) + Number(second.executedQty)).toBe(Number(amount));
});
