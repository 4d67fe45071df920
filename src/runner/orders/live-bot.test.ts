import type { Trading } from '#engine/ports/trading.ts';
import { clientOrderId } from '#engine/bot/state.ts';
import { CandleWindows } from '#feeds/candle-windows.ts';
import { accountOfKey } from '#sandbox/testing/raw-account.ts';
import { minus, toDecimal, toNumber } from '#engine/market/decimal.ts';
import { askToAdopt, holdingsToAdopt } from '#storage/differences/adopted-holdings.ts';
import { askToClose } from '#storage/trades/close-asked.ts';
import { setBotStatus } from '#storage/bots/bots.ts';
import { endFound, listDifferences, lockDifference } from '#storage/differences/found-differences.ts';
import { askHeldElsewhere } from '#storage/differences/held-elsewhere.ts';
import { orderSequence } from '#storage/order-sequence.ts';
import { sql } from 'kysely';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { liveBots } from '../../../test/support/live-bots.ts';
import { patiently } from '../../../test/support/patiently.ts';
import { startMarket } from '../../../test/support/market.ts';
import type { TestBot } from '../../../test/support/test-bot.ts';
import { patienceMs } from '../../../test/support/patience.ts';
import type { Runner } from '../runner.ts';
import { startRunner } from '../runner.ts';
import { AccountCheck } from './account-check.ts';

const minuteMs = 60_000;
const { db } = await freshDatabase();
// A candle closes a few seconds after the market has opened; time runs as fast as the machine's.
const market = await startMarket(1, 7, Math.floor(Date.now() / minuteMs) * minuteMs - 6_000);
const patience = { interval: 100 };
const logs: string[] = [];
const bots = liveBots({ sandboxUrl: market.sandbox.url, now: market.now, log: (message) => void logs.push(message) });
const { keys, openTrading } = bots;
let runner: Runner | null = null;

/** A live bot at the sandbox with a key of its own. */
const addLiveBot = (given: Partial<TestBot>) => bots.add(db, { strategy: 'BuyAndHold', orderType: 'market', ...given });

async function run(): Promise<void> {
  const markets = market.connect();
  const windows = new CandleWindows(markets, { now: market.now });
  const times = { scan: 50, heartbeat: 500, lease: patienceMs, vitals: 300 };
  const log = (message: string, details: object) => void logs.push(`${message} ${JSON.stringify(details)}`);
  runner = await startRunner({ db, markets, windows, openTrading, host: 'test', now: market.now, log }, times);
}

afterEach(async () => {
  await runner?.stop();
  runner = null;
});

const tradesOf = (botId: string) => db.selectFrom('trades').selectAll().where('botId', '=', botId).orderBy('openedAt').execute();

const ordersOf = (botId: string) =>
  db.selectFrom('orders').selectAll().where('botId', '=', botId).orderBy(orderSequence('orders')).execute();

/** What fills say that a spot account has gained of a currency, as an exact decimal. */
async function gainedByFills(botId: string, currency: string): Promise<number> {
  const { rows } = await sql<{ gained: string }>`
    select coalesce(sum(
      case when split_part(t.symbol, '/', 1) = ${currency} then f.amount * case o.side when 'buy' then 1 else -1 end
           when ${currency} = 'USDT' then f.amount * f.price * case o.side when 'buy' then -1 else 1 end
           else 0 end
      - case when f.fee_currency = ${currency} then f.fee else 0 end), 0)::text as gained
    from fills f join orders o on o.id = f.order_id join trades t on t.id = o.trade_id where t.bot_id = ${botId}`.execute(db);
  return Number(rows[0]?.gained);
}

const balancesOf = async (trading: Trading): Promise<Map<string, number>> =>
  new Map((await trading.balances()).map(({ currency, free, locked }) => [currency, free + locked]));

test('OP-85 live bots buy and sell at the exchange, and count what their accounts have to the last decimal', async () => {
  const symbols = ['BTC/USDT', 'ETH/USDT'];
  const spot = await addLiveBot({ nickname: 'spot', owner: 'a@example.com', symbols, stoploss: -0.05, minimalRoi: { 0: -1 } });
  const futures = await addLiveBot({
    nickname: 'futures',
    owner: 'b@example.com',
    marketType: 'futures',
    leverage: 3,
    symbols: symbols.map((symbol) => `${symbol}:USDT`),
    stoploss: -0.05,
    minimalRoi: { 0: -1 },
  });
  const bnb = await addLiveBot({ nickname: 'bnb', owner: 'c@example.com', symbols: ['SOL/USDT'], stoploss: -0.05, minimalRoi: { 0: -1 } });
  const { key = '', secret = '' } = keys.get(bnb.apiKeyId) ?? {};
  await accountOfKey(market.sandbox, { apiKey: key, secret }).send('POST', '/sapi/v1/bnbBurn', { spotBNBBurn: true });
  const atSpot = await patiently(() => openTrading({ apiKeyId: spot.apiKeyId, exchangeId: 'sandbox', marketType: 'spot' }));
  const atFutures = await patiently(() => openTrading({ apiKeyId: futures.apiKeyId, exchangeId: 'sandbox', marketType: 'futures' }));
  onTestFinished(async () => {
    await atSpot.close();
    await atFutures.close();
  });
  const before = { spot: await balancesOf(atSpot), futures: await balancesOf(atFutures) };
  await run();
  for (const { id } of [spot, futures]) {
    await expect.poll(async () => (await tradesOf(id)).filter(({ status }) => status === 'closed').length, patience).toBeGreaterThan(1);
    await setBotStatus(db, id, 'stopped');
  }
  for (const { id } of [spot, futures]) {
    // On a busy machine the next candle has closed before the bot was stopped, and a third trade is closed by that.
    await expect.poll(async () => (await tradesOf(id)).filter(({ status }) => status !== 'closed'), patience).toEqual([]);
    const trades = await tradesOf(id);
    expect(trades.every(({ mode }) => mode === 'testnet')).toBe(true);
    expect(trades.every(({ latencyMs }) => Number(latencyMs) > 0)).toBe(true);
    const all = await ordersOf(id);
    const stops = all.filter(({ purpose }) => purpose === 'stop');
    expect(stops.length).toBeGreaterThan(1);
    for (const { status, type, refusal } of stops) expect([type, status, refusal]).toEqual(['stop', 'cancelled', null]);
    // A machine that is too busy to send an entry in time withdraws it, and the next price decides on another; a bot that is stopped
    // while it sells cancels that, and sells at market. So orders may have been cancelled, but each trade was bought once and sold once.
    const orders = all.filter(({ purpose }) => purpose !== 'stop');
    for (const { status, refusal } of orders) expect(['filled null', 'cancelled null']).toContain(`${status} ${refusal}`);
    const done = orders.filter(({ filled }) => Number(filled) > 0);
    expect(done.map(({ tradeId, purpose, status }) => `${tradeId} ${purpose} ${status}`).toSorted()).toEqual(
      trades.flatMap(({ id: tradeId }) => [`${tradeId} entry filled`, `${tradeId} exit filled`]).toSorted(),
    );
    expect(done.every(({ exchangeOrderId }) => exchangeOrderId !== null)).toBe(true);
  }
  await expect.poll(async () => (await tradesOf(bnb.id)).some(({ status }) => status === 'closed'), patience).toBe(true);
  await setBotStatus(db, bnb.id, 'stopped');
  await expect.poll(async () => (await tradesOf(bnb.id)).filter(({ status }) => status !== 'closed'), patience).toEqual([]);
  const { rows: fees } = await sql<{ currency: string; isValued: boolean; quote: string }>`
    select f.fee_currency as currency, bool_and(f.fee_quote > 0) as is_valued, trim_scale(sum(f.fee_quote))::text as quote
    from fills f join orders o on o.id = f.order_id where o.bot_id = ${bnb.id} group by 1`.execute(db);
  expect(fees).toMatchObject([{ currency: 'BNB', isValued: true }]);
  expect((await tradesOf(bnb.id)).reduce((sum, trade) => sum + Number(trade.fees), 0)).toBeCloseTo(Number(fees[0]?.quote), 12);
  // The states that orders came to are counted as they are in the database.
  const counted = async (): Promise<Record<string, number>> => {
    const { rows } = await sql<{ state: string; n: number }>`
      select state, count(*)::int as n from order_events where state <> 'planned' group by state`.execute(db);
    return Object.fromEntries(rows.map(({ state, n }) => [state, n]));
  };
  // A stop that was cancelled may be written still.
  const reached = () => {
    const { planned: _sentAgain, ...states } = Object.fromEntries(runner?.figures().orderStates ?? []);
    return states;
  };
  await expect
    .poll(async () => [reached(), await counted()], patience)
    .toSatisfy(([here = {}, there = {}]: Record<string, number>[]) => {
      const states = new Set([...Object.keys(here), ...Object.keys(there)]);
      return [...states].every((state) => here[state] === there[state]);
    });
  expect(Object.keys(await counted())).toEqual(expect.arrayContaining(['cancel-pending', 'cancelled', 'filled', 'open', 'sent']));
  const after = { spot: await balancesOf(atSpot), futures: await balancesOf(atFutures) };
  // What the account has received, fees and dust included, is what the fills say.
  for (const currency of ['USDT', 'BTC', 'ETH']) {
    const gained = (after.spot.get(currency) ?? 0) - (before.spot.get(currency) ?? 0);
    expect(gained, currency).toBeCloseTo(await gainedByFills(spot.id, currency), 9);
  }
  const profit = (await tradesOf(futures.id)).reduce((sum, each) => sum + Number(each.profit), 0);
  expect((after.futures.get('USDT') ?? 0) - (before.futures.get('USDT') ?? 0)).toBeCloseTo(profit, 7);
  expect(await atFutures.positions()).toEqual([]);
});

test('ADD-resolve-difference what is sold by hand is found, adopted, and booked with the right amount; nothing else is sold', async () => {
  const symbol = 'BTC/USDT:USDT';
  const { id, apiKeyId } = await addLiveBot({
    nickname: 'adopting',
    owner: 'c@example.com',
    marketType: 'futures',
    leverage: 3,
    symbols: [symbol],
    stoploss: -0.5,
    minimalRoi: { 0: 10 },
  });
  const account = await patiently(() => openTrading({ apiKeyId, exchangeId: 'sandbox', marketType: 'futures' }));
  onTestFinished(() => account.close());
  await run();
  const open = async () => (await tradesOf(id)).find(({ status }) => status === 'open');
  await expect.poll(async () => Number((await open())?.entryPrice ?? 0), patience).toBeGreaterThan(0);
  const held = async () => (await account.positions()).find((each) => each.symbol === symbol)?.amount ?? 0;
  const bought = await held();
  const check = new AccountCheck(db, account, 'futures', { doubt: () => undefined, isCertainOf: () => true });
  /** Sells by hand, and has the account compared until the difference is noted. */
  const sellByHand = async (amount: number) => {
    const order = { symbol, side: 'sell', type: 'market', amount, price: null, stopPrice: null, reduceOnly: true } as const;
    await account.place({ ...order, clientOrderId: `hand${Date.now()}`, expiresAt: market.now() + minuteMs });
    const find = async () => {
      await check.run();
      return (await listDifferences(db, null)).open.find(({ botId }) => botId === id);
    };
    await expect.poll(async () => (await find())?.actual, patience).toBeCloseTo(bought - amount, 9);
    const found = await find();
    if (found === undefined || found.tradeId === null) throw new Error('no difference was found');
    return { ...found, tradeId: found.tradeId, missing: toNumber(minus(toDecimal(found.expected), toDecimal(found.actual))) };
  };
  const adopt = async ({ tradeId, missing, ...found }: Awaited<ReturnType<typeof sellByHand>>) =>
    await db.transaction().execute(async (trx) => {
      expect(await askHeldElsewhere(trx, tradeId, missing, new Date())).toBe(true);
      await endFound(trx, { ...found, tradeId }, 'adopted');
    });
  const half = Math.ceil((bought / 2) * 1000) / 1000; // more than the step that a difference may be
  await adopt(await sellByHand(half));
  await expect.poll(async () => Number((await open())?.amount), patience).toBeCloseTo(bought - half, 9);
  // The stop follows, and the account agrees.
  const stop = async () => (await ordersOf(id)).findLast(({ purpose, status }) => purpose === 'stop' && status === 'open');
  await expect.poll(async () => Number((await stop())?.requested), patience).toBeCloseTo(bought - half, 9);
  expect(await held()).toBeCloseTo(bought - half, 9);
  await sql`update orders set closed_at = closed_at - interval '1 minute', acknowledged_at = acknowledged_at - interval '1 minute' where bot_id = ${id}`.execute(
    db,
  );
  await sql`update fills f set filled_at = filled_at - interval '1 minute' from orders o where o.id = f.order_id and o.bot_id = ${id}`.execute(
    db,
  );
  expect([await check.run(), await check.run()]).toEqual([[], []]);
  expect((await listDifferences(db, null)).open).toEqual([]);
});

test('a bot that is stopped before it has taken over what a person has decided does so, and sells it', async () => {
  const symbol = 'ETH/USDT';
  const { id, apiKeyId } = await addLiveBot({
    nickname: 'stopped first',
    owner: 'e@example.com',
    symbols: [symbol],
    minimalRoi: { 0: 10 },
  });
  const account = await patiently(() => openTrading({ apiKeyId, exchangeId: 'sandbox', marketType: 'spot' }));
  onTestFinished(() => account.close());
  const held = async () => (await balancesOf(account)).get('ETH') ?? 0;
  const before = await held();
  const request = { symbol, side: 'buy', amount: 0.05, stopPrice: null, reduceOnly: false, expiresAt: market.now() + minuteMs } as const;
  await account.place({ ...request, clientOrderId: clientOrderId(id, 40), type: 'market', price: null });
  await run();
  const open = async () => (await listDifferences(db, null)).open.find(({ botId }) => botId === id);
  await expect.poll(async () => (await open())?.unrecorded.length, { ...patience, message: logs.slice(-3).join('\n') }).toBe(1);
  await runner?.stop();
  const found = await open();
  const { net = 0, price = 0, fee = 0 } = found?.unrecorded[0] ?? {};
  await db.transaction().execute(async (trx) => {
    if (found === undefined || (await lockDifference(trx, found.id)) === null) throw new Error('no difference was found');
    const holding = { direction: 'long', amount: net, price, fee } as const;
    expect(await askToAdopt(trx, found, holding, { closes: false, now: new Date() })).toBe(true);
    await endFound(trx, found, 'adopted');
  });
  await setBotStatus(db, id, 'stopped');
  await run();
  await expect.poll(async () => (await tradesOf(id)).map(({ status }) => status), patience).toEqual(['closed']);
  expect(await held()).toBeLessThan(before + net / 2);
});

test('ADD-resolve-difference what an order without a record has bought stops the entries, is adopted with a stop, and closed at market', async () => {
  const symbol = 'ETH/USDT';
  const { id, apiKeyId } = await addLiveBot({
    nickname: 'without a record',
    owner: 'd@example.com',
    symbols: [symbol],
    stoploss: -0.3,
    minimalRoi: { 0: 10 },
  });
  const account = await patiently(() => openTrading({ apiKeyId, exchangeId: 'sandbox', marketType: 'spot' }));
  onTestFinished(() => account.close());
  const before = (await balancesOf(account)).get('ETH') ?? 0;
  const request = { symbol, side: 'buy', amount: 0.05, stopPrice: null, reduceOnly: false, expiresAt: market.now() + minuteMs } as const;
  await account.place({ ...request, clientOrderId: clientOrderId(id, 40), type: 'market', price: null });
  await account.place({ ...request, clientOrderId: clientOrderId(id, 41), type: 'limit', price: 100 });
  const bought = ((await balancesOf(account)).get('ETH') ?? 0) - before;
  await run();
  const open = async () => (await listDifferences(db, null)).open.find(({ botId }) => botId === id);
  await expect.poll(async () => (await open())?.actual, { ...patience, message: logs.slice(-3).join('\n') }).toBeCloseTo(bought, 9);
  expect(await account.openOrders()).toEqual([]);
  expect(await tradesOf(id)).toEqual([]);
  const found = await open();
  const { net = 0, price = 0, fee = 0 } = found?.unrecorded[0] ?? {};
  expect(net).toBeCloseTo(bought, 9);
  await db.transaction().execute(async (trx) => {
    if (found === undefined || (await lockDifference(trx, found.id)) === null) throw new Error('no difference was found');
    const holding = { direction: 'long', amount: net, price, fee } as const;
    expect(await askToAdopt(trx, found, holding, { closes: false, now: new Date() })).toBe(true);
    await endFound(trx, found, 'adopted');
  });
  await expect.poll(async () => (await tradesOf(id)).map(({ status }) => status), patience).toEqual(['open']);
  const [trade] = await tradesOf(id);
  expect(Number(trade?.amount)).toBeCloseTo(bought, 3); // in whole steps
  expect(Number(trade?.entryPrice)).toBeCloseTo(price, 2);
  expect(Number(trade?.fees)).toBeCloseTo(fee ?? 0, 9);
  const stop = async () => (await ordersOf(id)).find(({ purpose }) => purpose === 'stop');
  await expect.poll(async () => (await stop())?.status, patience).toBe('open');
  expect((await ordersOf(id)).map((order) => order.clientOrderId)).toEqual([clientOrderId(id, 42), clientOrderId(id, 43)]);
  expect((await account.openOrders()).map((order) => order.clientOrderId)).toEqual([clientOrderId(id, 43)]);
  await askToClose(db, trade?.id ?? '', new Date());
  await expect.poll(async () => (await tradesOf(id)).map(({ status }) => status), patience).toEqual(['closed']);
  expect(((await balancesOf(account)).get('ETH') ?? 0) - before).toBeLessThan(0.001);
  expect(
    (
      await holdingsToAdopt(
        db,
        (await db.selectFrom('bots').select('runnerId').where('id', '=', id).executeTakeFirstOrThrow()).runnerId ?? '',
      )
    ).length,
  ).toBe(0);
});
