import { pro } from 'ccxt';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { hourMs, minuteMs } from '#engine/market/durations.ts';
import { type Sandbox, startSandbox } from './sandbox.ts';
import { type RawAccount, rawAccount } from './testing/raw-account.ts';

type ProExchange = InstanceType<typeof pro.binanceusdm>;

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ seed: 7, startTime: Date.UTC(2026, 4, 20, 13, 7, 21), factor: 0 });
});
afterAll(() => sandbox.close());

const symbol = 'ETH/USDT:USDT';

async function ccxtOf({ apiKey, secret }: RawAccount): Promise<ProExchange> {
  const exchange = new pro.binanceusdm({
    apiKey,
    secret,
    enableRateLimit: false,
    urls: { test: sandbox.urls() },
    options: { fetchMarkets: { types: ['linear'] }, fetchOpenOrders: { warnWithoutSymbol: false } },
  });
  exchange.setSandboxMode(true);
  exchange.nonce = () => sandbox.clock.now();
  await exchange.loadHttpProxyAgent();
  await exchange.loadMarkets();
  return exchange;
}

const best = async (): Promise<{ bid: number; ask: number }> => {
  const book = (await (await fetch(`${sandbox.url}/fapi/v1/depth?symbol=ETHUSDT&limit=5`)).json()) as {
    bids: string[][];
    asks: string[][];
  };
  return { bid: Number(book.bids[0][0]), ask: Number(book.asks[0][0]) };
};
const order = (side: string, quantity: string, more: Record<string, string | boolean> = {}) => ({
  symbol: 'ETHUSDT',
  side,
  type: 'MARKET',
  quantity,
  newOrderRespType: 'RESULT',
  ...more,
});
const wallet = async (account: RawAccount) => {
  const { body } = await account.send('GET', '/fapi/v3/account');
  return body.assets.find(({ asset }: { asset: string }) => asset === 'USDT');
};
const incomes = async (account: RawAccount): Promise<{ incomeType: string; income: string; time: number }[]> =>
  (await account.send('GET', '/fapi/v1/income', { limit: 1000 })).body;
const units = (text: string): bigint => BigInt(text.replace('.', ''));

/** What was paid and received in all is the change of the wallet, to the last unit. */
async function expectConserved(account: RawAccount): Promise<void> {
  const sum = (await incomes(account)).reduce((total, { income }) => total + units(income), 10_000n * 100_000_000n);
  expect(units((await wallet(account)).walletBalance)).toBe(sum);
}

describe('unmodified ccxt trades perpetuals', () => {
  test('leverage and margin mode are set and read back; a position is opened, read and closed with its profit', async () => {
    const account = await rawAccount(sandbox);
    const exchange = await ccxtOf(account);
    expect(await exchange.setLeverage(5, symbol)).toMatchObject({ leverage: 5 });
    await exchange.setMarginMode('isolated', symbol);
    await expect(exchange.setMarginMode('isolated', symbol)).rejects.toThrow('-4046');
    expect(await exchange.fetchLeverage(symbol)).toMatchObject({ marginMode: 'isolated', longLeverage: 5 });
    const opened = await exchange.createOrder(symbol, 'market', 'buy', 2, undefined, { clientOrderId: 'f-1' });
    expect(opened).toMatchObject({ status: 'closed', filled: 2, clientOrderId: 'f-1', reduceOnly: false });
    const [position] = await exchange.fetchPositions([symbol]);
    expect(position).toMatchObject({ symbol, side: 'long', contracts: 2, marginMode: 'isolated' });
    expect(position.entryPrice).toBeCloseTo(opened.average!, 2);
    expect(position.liquidationPrice!).toBeGreaterThan(position.entryPrice! * 0.79);
    expect(position.liquidationPrice!).toBeLessThan(position.entryPrice! * 0.82);
    sandbox.clock.advance(5 * minuteMs);
    const closed = await exchange.createOrder(symbol, 'market', 'sell', 2, undefined, { reduceOnly: true });
    expect(closed).toMatchObject({ status: 'closed', filled: 2, reduceOnly: true });
    expect(await exchange.fetchPositions([symbol])).toEqual([]);
    const trades = await exchange.fetchMyTrades(symbol);
    const profit = trades.reduce((sum, { info }) => sum + Number(info.realizedPnl), 0);
    expect(profit).toBeCloseTo((closed.average! - opened.average!) * 2, 2);
    await expect(exchange.createOrder(symbol, 'market', 'sell', 1, undefined, { reduceOnly: true })).rejects.toThrow('-2022');
    await expectConserved(account);
    await exchange.close();
  });

  test('post only, fill or kill, too little margin, a doubled id', async () => {
    const account = await rawAccount(sandbox);
    const exchange = await ccxtOf(account);
    const { bid, ask } = await best();
    await expect(exchange.createOrder(symbol, 'limit', 'buy', 1, ask * 1.001, { postOnly: true })).rejects.toThrow('-5022');
    await expect(exchange.createOrder(symbol, 'limit', 'buy', 1, bid * 0.9, { timeInForce: 'FOK' })).rejects.toThrow('-5021');
    await expect(exchange.createOrder(symbol, 'market', 'buy', 500)).rejects.toThrow('-2019');
    await expect(exchange.createOrder(symbol, 'market', 'buy', 0.001)).rejects.toThrow('-4164');
    const resting = await exchange.createOrder(symbol, 'limit', 'buy', 1, bid * 0.9, { clientOrderId: 'f-2', postOnly: true });
    expect(resting).toMatchObject({ status: 'open', postOnly: true });
    await expect(exchange.createOrder(symbol, 'limit', 'buy', 1, bid * 0.9, { clientOrderId: 'f-2' })).rejects.toThrow('-4116');
    expect((await wallet(account)).openOrderInitialMargin).not.toBe('0.00000000');
    expect((await exchange.fetchOpenOrders(symbol)).map(({ clientOrderId }) => clientOrderId)).toEqual(['f-2']);
    expect(await exchange.cancelOrder(resting.id!, symbol)).toMatchObject({ status: 'canceled' });
    expect((await exchange.fetchBalance())['USDT']).toMatchObject({ free: 10_000, total: 10_000 });
    await exchange.close();
  });

  test('at market no order is taken that is larger than the market filter says, also none that leaves a position; at a limit it is', async () => {
    const account = await rawAccount(sandbox);
    const exchange = await ccxtOf(account);
    const { filters } = exchange.market(symbol).info as { filters: { filterType: string; maxQty: string }[] };
    const largest = Number(filters.find(({ filterType }) => filterType === 'MARKET_LOT_SIZE')?.maxQty);
    const larger = largest + 0.001;
    await exchange.createOrder(symbol, 'market', 'buy', 1);
    await expect(exchange.createOrder(symbol, 'market', 'sell', larger, undefined, { reduceOnly: true })).rejects.toThrow('-4005');
    expect(await exchange.fetchPositions([symbol])).toMatchObject([{ contracts: 1 }]);
    const { ask } = await best();
    expect(await exchange.createOrder(symbol, 'limit', 'sell', larger, ask * 1.1, { reduceOnly: true })).toMatchObject({ status: 'open' });
    await exchange.createOrder(symbol, 'market', 'sell', largest, undefined, { reduceOnly: true });
    expect(await exchange.fetchPositions([symbol])).toEqual([]);
    await exchange.close();
  });

  test('the margin mode is not changed while a stop stands, or a position is open', async () => {
    const account = await rawAccount(sandbox);
    const exchange = await ccxtOf(account);
    const { bid } = await best();
    const triggerPrice = bid * 0.9;
    const stop = await exchange.createOrder(symbol, 'STOP_MARKET', 'sell', 1, undefined, { triggerPrice, clientOrderId: 'stop-1' });
    await expect(exchange.setMarginMode('isolated', symbol)).rejects.toThrow('-4047');
    await exchange.cancelOrder(stop.id!, symbol, { trigger: true });
    await exchange.createOrder(symbol, 'market', 'buy', 1);
    await expect(exchange.setMarginMode('isolated', symbol)).rejects.toThrow('-4048');
    await exchange.createOrder(symbol, 'market', 'sell', 1, undefined, { reduceOnly: true });
    expect(await exchange.setMarginMode('isolated', symbol)).toMatchObject({ code: 200 });
    await exchange.close();
  });

  test('a position has no more leverage than is allowed for its value', async () => {
    const account = await rawAccount(sandbox);
    const exchange = await ccxtOf(account);
    const { ask } = await best();
    await exchange.setLeverage(20, symbol);
    await exchange.createOrder(symbol, 'market', 'buy', Math.ceil(60_000 / ask));
    await expect(exchange.setLeverage(125, symbol)).rejects.toThrow('-2027'); // for 50,000 at most
    expect(await exchange.fetchLeverage(symbol)).toMatchObject({ longLeverage: 20 });
    expect(await exchange.setLeverage(100, symbol)).toMatchObject({ leverage: 100 });
    await exchange.close();
  });

  test('a stop waits as conditional order, closes the position, and names the order it has made', async () => {
    const account = await rawAccount(sandbox);
    const exchange = await ccxtOf(account);
    await exchange.createOrder(symbol, 'market', 'buy', 1);
    const { bid } = await best();
    await expect(
      exchange.createOrder(symbol, 'STOP_MARKET', 'sell', 1, undefined, { triggerPrice: bid * 1.01, closePosition: true }),
    ).rejects.toThrow('-2021');
    const stop = await exchange.createOrder(symbol, 'STOP_MARKET', 'sell', 1, undefined, {
      triggerPrice: bid * 0.995,
      closePosition: true,
      clientOrderId: 'stop-1',
    });
    expect(stop).toMatchObject({ status: 'open', clientOrderId: 'stop-1' });
    expect((await exchange.fetchOpenOrders(symbol, undefined, undefined, { trigger: true })).map(({ id }) => id)).toEqual([stop.id]);
    let algo = stop;
    for (let hours = 0; hours < 96 && algo.status === 'open'; hours++) {
      sandbox.clock.advance(hourMs);
      algo = await exchange.fetchOrder(stop.id!, symbol, { trigger: true });
    }
    expect(algo.info.algoStatus).toBe('FINISHED');
    const made = await exchange.fetchOrder(algo.info.actualOrderId, symbol);
    expect(made).toMatchObject({ status: 'closed', filled: 1, side: 'sell', reduceOnly: true });
    expect(made.average!).toBeLessThan(bid * 0.996);
    expect(await exchange.fetchPositions([symbol])).toEqual([]);
    await expectConserved(account);
    await exchange.close();
  });

  test.each(['sell', 'buy', 'sell', 'buy', 'sell', 'buy'])(
    'a trailing stop follows the price and closes at its distance (%s)',
    async (side) => {
      const account = await rawAccount(sandbox);
      const exchange = await ccxtOf(account);
      await exchange.createOrder(symbol, 'market', side === 'sell' ? 'buy' : 'sell', 1);
      const trailing = await exchange.createOrder(symbol, 'market', side, 1, undefined, { trailingPercent: 1, reduceOnly: true });
      expect(trailing.info).toMatchObject({ orderType: 'TRAILING_STOP_MARKET', callbackRate: '1.0' });
      const from = sandbox.clock.now();
      let algo = trailing;
      for (let hours = 0; hours < 24 * 14 && algo.info.algoStatus === 'NEW'; hours++) {
        sandbox.clock.advance(hourMs);
        algo = await exchange.fetchOrder(trailing.id!, symbol, { trigger: true });
      }
      const { triggerTime, actualOrderId } = algo.info;
      const rows = (await (
        await fetch(
          `${sandbox.url}/fapi/v1/klines?symbol=ETHUSDT&interval=1m&startTime=${from - minuteMs}&endTime=${triggerTime}&limit=1500`,
        )
      ).json()) as string[][];
      const best = side === 'sell' ? Math.max(...rows.map((row) => Number(row[2]))) : Math.min(...rows.map((row) => Number(row[3])));
      const made = await exchange.fetchOrder(actualOrderId, symbol);
      const distance = Math.abs(made.average! / best - 1);
      expect(distance).toBeGreaterThan(0.0085); // the extreme may have come in the first minute, before the order, or in the last
      expect(distance).toBeLessThan(0.015);
      await exchange.close();
    },
  );

  test('its stream reports orders, account and conditional orders', async () => {
    const account = await rawAccount(sandbox);
    const exchange = await ccxtOf(account);
    const heldPositions = async (): Promise<Awaited<ReturnType<ProExchange['watchPositions']>>> => {
      const positions = await exchange.watchPositions([symbol]); // the first ones are those of before
      return positions.length === 0 ? heldPositions() : positions;
    };
    const watched = Promise.all([exchange.watchOrders(symbol), exchange.watchMyTrades(symbol), exchange.watchBalance(), heldPositions()]);
    watched.catch(() => undefined);
    await expect.poll(() => sandbox.accounts.watched).toBe(1);
    await exchange.createOrder(symbol, 'market', 'sell', 1, undefined, { clientOrderId: 'ws-1' });
    const [orders, trades, balance, positions] = await watched;
    expect(orders[0]).toMatchObject({ symbol, clientOrderId: 'ws-1' });
    expect(trades[0]).toMatchObject({ side: 'sell', takerOrMaker: 'taker' });
    expect(Number(balance['USDT'].total)).toBeLessThan(10_000);
    expect(positions[0]).toMatchObject({ symbol, side: 'short', contracts: 1 });
    await exchange.close();
  });
});

describe('what time does to a position', () => {
  test('funding is paid at its times, at the rate and mark price that are public', async () => {
    const account = await rawAccount(sandbox);
    await account.send('POST', '/fapi/v1/order', order('BUY', '1'));
    const from = sandbox.clock.now();
    sandbox.clock.advance(24 * hourMs);
    await account.send('GET', '/fapi/v3/account');
    const paid = (await incomes(account)).filter(({ incomeType }) => incomeType === 'FUNDING_FEE');
    const rates = (await (await fetch(`${sandbox.url}/fapi/v1/fundingRate?symbol=ETHUSDT&startTime=${from}&limit=10`)).json()) as {
      fundingTime: number;
      fundingRate: string;
      markPrice: string;
    }[];
    expect(paid.map(({ time }) => time)).toEqual(rates.map(({ fundingTime }) => fundingTime));
    expect(paid).toHaveLength(3);
    paid.forEach(({ income }, i) => expect(Number(income)).toBeCloseTo(-Number(rates[i].fundingRate) * Number(rates[i].markPrice), 4));
    await expectConserved(account);
  });

  test.each(['ISOLATED', 'CROSSED'])(
    'a position without enough margin is liquidated (%s), and no wallet falls below nothing',
    async (marginType) => {
      const account = await rawAccount(sandbox);
      if (marginType === 'ISOLATED') await account.send('POST', '/fapi/v1/marginType', { symbol: 'ETHUSDT', marginType });
      await account.send('POST', '/fapi/v1/leverage', { symbol: 'ETHUSDT', leverage: marginType === 'ISOLATED' ? 100 : 50 });
      const { ask } = await best();
      const amount = marginType === 'ISOLATED' ? '1' : ((9_000 * 50) / ask / 5).toFixed(0);
      for (let i = 0; i < (marginType === 'ISOLATED' ? 1 : 4); i++)
        expect((await account.send('POST', '/fapi/v1/order', order('BUY', amount))).status).toBe(200);
      const [position] = (await account.send('GET', '/fapi/v3/positionRisk')).body;
      const opened = Number((await wallet(account)).walletBalance);
      // Orders that are far from every price: of its pair, and of another.
      const far = { type: 'LIMIT', timeInForce: 'GTC' } as const;
      await account.send('POST', '/fapi/v1/order', order('BUY', '0.1', { ...far, price: (ask / 2).toFixed(2) }));
      await account.send('POST', '/fapi/v1/order', order('BUY', '0.02', { ...far, symbol: 'BTCUSDT', price: '10000' }));
      const standing = async () =>
        (await account.send('GET', '/fapi/v1/openOrders')).body.map(({ symbol: of }: { symbol: string }) => of).toSorted();
      expect(await standing()).toEqual(['BTCUSDT', 'ETHUSDT']);
      for (let hours = 0; hours < 24 * 30; hours++) {
        sandbox.clock.advance(hourMs);
        if ((await account.send('GET', '/fapi/v3/positionRisk')).body.length === 0) break;
      }
      expect((await account.send('GET', '/fapi/v3/positionRisk')).body).toEqual([]);
      expect(await standing()).toEqual(['BTCUSDT']);
      const fills = (await account.send('GET', '/fapi/v1/userTrades', { symbol: 'ETHUSDT' })).body;
      const last = fills.at(-1);
      expect(last.side).toBe('SELL');
      const funding = (await incomes(account)).filter(({ incomeType }) => incomeType === 'FUNDING_FEE').length;
      // Funding between opening and end moves the price of liquidation a little.
      expect(Math.abs(Number(last.price) / Number(position.liquidationPrice) - 1)).toBeLessThan(0.003 + funding * 0.0005);
      const { body: orders } = await account.send('GET', '/fapi/v1/allOrders', { symbol: 'ETHUSDT' });
      expect(orders.at(-1).clientOrderId).toMatch(/^autoclose-/u);
      const left = Number((await wallet(account)).walletBalance);
      expect(left).toBeGreaterThanOrEqual(0);
      if (marginType === 'ISOLATED') expect(left).toBeGreaterThanOrEqual(opened - Number(position.isolatedWallet)); // its margin, and nothing else
      await expectConserved(account);
    },
  );

  test('positions that share a margin are liquidated at the same moment, however often the account is looked at', async () => {
    const own = await startSandbox({ seed: 7, startTime: Date.UTC(2026, 4, 20, 13, 7, 21), factor: 0 });
    onTestFinished(() => own.close());
    const [watched, left] = [await rawAccount(own), await rawAccount(own)];
    const prices = (await (await fetch(`${own.url}/fapi/v1/premiumIndex`)).json()) as { symbol: string; markPrice: string }[];
    // Each of them may lose a third of what all may lose before all are looked at again: here no two fall alike.
    for (const [of, decimals] of Object.entries({ BTCUSDT: 2, ETHUSDT: 2, SOLUSDT: 0 }))
      for (const account of [watched, left]) {
        await account.send('POST', '/fapi/v1/leverage', { symbol: of, leverage: 50 });
        const quantity = (150_000 / Number(prices.find(({ symbol: priced }) => priced === of)?.markPrice)).toFixed(decimals);
        expect((await account.send('POST', '/fapi/v1/order', { ...order('BUY', quantity), symbol: of })).status).toBe(200);
      }
    const ends = async (account: RawAccount): Promise<number[]> =>
      (await incomes(account)).filter(({ incomeType }) => incomeType === 'INSURANCE_CLEAR').map(({ time }) => time);
    let seen: number[] = [];
    for (let looks = 0; looks < 32 * 6; looks++) {
      own.clock.advance(10 * minuteMs);
      seen = await ends(watched);
    }
    expect(seen).not.toEqual([]);
    expect(await ends(left)).toEqual(seen);
  });
});

test('a listen key ends after an hour without renewal, says so, and is not taken any more', async () => {
  const account = await rawAccount(sandbox);
  const { listenKey } = (await account.send('POST', '/fapi/v1/listenKey')).body;
  const open = async () => {
    const socket = new WebSocket(`${sandbox.url.replace('http', 'ws')}/private/ws?listenKey=${listenKey}`);
    const frames: { e: string }[] = [];
    socket.addEventListener('message', ({ data }) => frames.push(JSON.parse(String(data)) as { e: string }));
    const state = await new Promise((resolve) => {
      socket.addEventListener('open', () => setTimeout(() => resolve(socket.readyState), 50));
      socket.addEventListener('close', () => resolve('closed'));
    });
    return { socket, frames, state };
  };
  const { socket, frames } = await open();
  sandbox.clock.advance(50 * minuteMs);
  expect((await account.send('PUT', '/fapi/v1/listenKey')).body.listenKey).toBe(listenKey);
  sandbox.clock.advance(50 * minuteMs);
  await account.send('POST', '/fapi/v1/order', order('BUY', '1'));
  await expect.poll(() => frames.map(({ e }) => e)).toEqual(['ORDER_TRADE_UPDATE', 'ACCOUNT_UPDATE', 'ORDER_TRADE_UPDATE']);
  sandbox.clock.advance(61 * minuteMs);
  await expect.poll(() => frames.at(-1)?.e).toBe('listenKeyExpired');
  await account.send('POST', '/fapi/v1/order', order('SELL', '1'));
  expect(frames.at(-1)?.e).toBe('listenKeyExpired');
  expect((await account.send('PUT', '/fapi/v1/listenKey')).body.code).toBe(-1125);
  expect((await open()).state).not.toBe(WebSocket.OPEN);
  socket.close();
});
