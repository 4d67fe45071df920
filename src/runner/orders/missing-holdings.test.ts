import { clientOrderId } from '#engine/bot/state.ts';
import { minus, toDecimal, toNumber } from '#engine/market/decimal.ts';
import type { MarketType } from '#engine/market/instrument.ts';
import type { Trading } from '#engine/ports/trading.ts';
import { CandleWindows } from '#feeds/candle-windows.ts';
import { setBotStatus } from '#storage/bots/bots.ts';
import { endFound, listDifferences, lockDifference } from '#storage/differences/found-differences.ts';
import { askHeldElsewhere } from '#storage/differences/held-elsewhere.ts';
import { writeFact } from '#storage/installation/facts.ts';
import { askToClose } from '#storage/trades/close-asked.ts';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { liveBots } from '../../../test/support/live-bots.ts';
import { patiently } from '../../../test/support/patiently.ts';
import { startMarket } from '../../../test/support/market.ts';
import type { Runner } from '../runner.ts';
import { startRunner } from '../runner.ts';
import { patienceMs } from '../../../test/support/patience.ts';

const minuteMs = 60_000;
const { db } = await freshDatabase();
// A candle closes a few seconds after the market has opened; time runs as fast as the machine's.
const market = await startMarket(1, 7, Math.floor(Date.now() / minuteMs) * minuteMs - 6_000);
const patience = { timeout: patienceMs, interval: 100 };
const bots = liveBots({ sandboxUrl: market.sandbox.url, now: market.now });
let runner: Runner | null = null;

async function run(): Promise<void> {
  const markets = market.connect();
  const windows = new CandleWindows(markets, { now: market.now });
  const times = { scan: 50, heartbeat: 500, lease: patienceMs, vitals: 300 };
  const log = () => undefined;
  runner = await startRunner({ db, markets, windows, openTrading: bots.openTrading, host: 'test', now: market.now, log }, times);
}

async function stop(): Promise<void> {
  await runner?.stop();
  runner = null;
}
afterEach(stop);

/** A live bot that buys with the next candle, and its account. */
async function buying(marketType: MarketType) {
  const symbol = marketType === 'spot' ? 'ETH/USDT' : 'ETH/USDT:USDT';
  const given = {
    strategy: 'BuyAndHold',
    orderType: 'market',
    nickname: marketType,
    symbols: [symbol],
    stoploss: -0.5,
    minimalRoi: { 0: 10 },
  } as const;
  const { id, apiKeyId } = await bots.add(db, { ...given, symbols: [symbol], marketType });
  const account = await patiently(() => bots.openTrading({ apiKeyId, exchangeId: 'sandbox', marketType }));
  const stops = () =>
    db.selectFrom('orders').selectAll().where('botId', '=', id).where('purpose', '=', 'stop').where('status', '=', 'open').execute();
  const trade = () => db.selectFrom('trades').selectAll().where('botId', '=', id).executeTakeFirstOrThrow();
  const held = async () => heldOf(account, symbol, marketType);
  /** Somebody buys or sells at the exchange, with an order id of the bot's own where a number is given. */
  const place = async (side: 'buy' | 'sell', amount: number, number?: number) =>
    await account.place({
      clientOrderId: number === undefined ? `hand${Date.now()}` : clientOrderId(id, number),
      symbol,
      side,
      type: 'market',
      amount,
      price: null,
      stopPrice: null,
      reduceOnly: false,
      expiresAt: market.now() + minuteMs,
    });
  const hasStop = async () => (await stops()).length === 1;
  const takeStopAway = async () => await account.cancel(symbol, (await stops())[0]?.clientOrderId ?? '');
  const difference = async () => (await listDifferences(db, null)).open.find(({ botId }) => botId === id);
  /** The bot has had prices since it was started. */
  const ticks = async () => {
    const since = market.now();
    const lastTick = async () =>
      (await db.selectFrom('botVitals').select('lastTickAt').where('botId', '=', id).executeTakeFirst())?.lastTickAt.getTime() ?? 0;
    await expect.poll(lastTick, patience).toBeGreaterThan(since);
  };
  return { id, symbol, account, trade, held, place, hasStop, takeStopAway, difference, ticks };
}

async function heldOf(account: Trading, symbol: string, marketType: MarketType): Promise<number> {
  if (marketType === 'futures') return (await account.positions()).find((each) => each.symbol === symbol)?.amount ?? 0;
  const found = (await account.balances()).find(({ currency }) => currency === symbol.split('/')[0]);
  return found === undefined ? 0 : toNumber(minus(toDecimal(found.free), toDecimal(-found.locked)));
}

// Both buy on the same candle, and are run by nobody then.
const spot = await buying('spot');
const futures = await buying('futures');
beforeAll(async () => {
  await run();
  for (const { hasStop } of [spot, futures]) await vi.waitUntil(hasStop, patience);
  await stop();
});
afterAll(async () => {
  for (const { account } of [spot, futures]) await account.close();
});

test('what an order without a record has sold is not sold again out of the coins of the owner, paused, stopped or closed by a person', async () => {
  const { id, symbol, account, trade, held, place, takeStopAway, difference, ticks } = spot;
  const amount = Number((await trade()).amount);
  await takeStopAway();
  await place('sell', amount, 900);
  const sale = (await account.fillsSince(symbol, null)).at(-1);
  await place('buy', 1); // the owner's
  const owned = await held();
  await setBotStatus(db, id, 'paused');
  await writeFact(db, 'restored_at', new Date().toISOString());
  await run();
  await expect.poll(async () => (await difference())?.actual, patience).toBe(0);
  await ticks();
  await askToClose(db, (await trade()).id, new Date());
  await ticks();
  await setBotStatus(db, id, 'stopped');
  await ticks();
  expect([await held(), await account.openOrders()]).toEqual([owned, []]);
  // Decided, it ends; what the owner has stays.
  const found = await difference();
  expect(found?.expected).toBe(amount);
  await db.transaction().execute(async (trx) => {
    const locked = await lockDifference(trx, found?.id ?? '');
    if (locked === null) throw new Error('no difference was found');
    expect(await askHeldElsewhere(trx, (await trade()).id, amount, new Date())).toBe(true);
    await endFound(trx, locked, 'adopted');
  });
  await expect.poll(async () => (await trade()).status, patience).toBe('closed');
  expect([await held(), (await trade()).exitReason, symbol]).toEqual([owned, 'sold_on_exchange', 'ETH/USDT']);
  // At the price and with the fee that the account was paid, not at what the coin is worth when somebody decides.
  const booked = await db.selectFrom('fills').selectAll().where('exchangeFillId', 'like', 'outside-%').executeTakeFirstOrThrow();
  expect([sale?.side, Number(booked.price), Number(booked.fee), booked.feeCurrency]).toEqual(['sell', sale?.price, sale?.fee, 'USDT']);
  expect(sale?.fee).toBeGreaterThan(0);
});

test('of a position that somebody has made smaller, the stop and the exit are for what is left', async () => {
  const { id, account, trade, held, place, difference, symbol } = futures;
  const amount = Number((await trade()).amount);
  const sold = Math.round(amount * 500) / 1000;
  await place('sell', sold, 900);
  const left = await held();
  expect(left).toBeCloseTo(amount - sold, 9);
  await run();
  await expect.poll(async () => (await difference())?.actual, patience).toBe(left);
  await expect
    .poll(async () => (await account.openOrders(symbol)).map(({ type, requested }) => [type, requested]), patience)
    .toEqual([['stop', left]]);
  await askToClose(db, (await trade()).id, new Date());
  await expect.poll(held, patience).toBe(0);
  await expect.poll(async () => Number((await trade()).amount), patience).toBeCloseTo(sold, 9);
  const exits = await db.selectFrom('orders').selectAll().where('botId', '=', id).where('purpose', '=', 'exit').execute();
  expect(exits.map(({ requested, filled, status }) => [Number(requested), Number(filled), status])).toEqual([[left, left, 'filled']]);
  expect((await trade()).status).toBe('open');
  expect(await difference()).toMatchObject({ actual: 0 });
});
