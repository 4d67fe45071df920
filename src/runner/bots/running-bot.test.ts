import type { MarketData, OrderBook } from '#engine/ports/market-data.ts';
import { emptyMemory } from '#engine/bot/stored-state.ts';
import { setBotMode, setBotStatus } from '#storage/bots/bots.ts';
import type { Database } from '#storage/database.ts';
import { openDatabase } from '#storage/database.ts';
import { readBot, setEngineMemory, writeStep } from '#storage/bots/running-bots.ts';
import { Changed, claimBots, renewLease } from '#storage/bots/runners.ts';
import { sql } from 'kysely';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { startMarket } from '../../../test/support/market.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { patienceMs } from '../../../test/support/patience.ts';
import { strategyOfClass } from '#strategies/built-in.ts';
import { CandleWindows } from '#feeds/candle-windows.ts';
import { Markets } from '#feeds/markets.ts';
import type { Runner } from '../runner.ts';
import { startRunner } from '../runner.ts';

const { db, url } = await freshDatabase();
// A minute of market is two seconds here: a bot decides on a candle before the next one closes, also on a busy machine.
const market = await startMarket(30);
const patience = { interval: 50 };
const busy = { strategy: 'BuyAndHold', minimalRoi: { 0: 10, 2: -1 }, orderType: 'market' as const };
let runner: Runner | null = null;
const bookless = new Set<string>(); // symbols whose order book is empty
const candleless = new Set<string>(); // symbols whose candles cannot be had

/** Runs bots on the market of this file, in which the order books of `bookless` symbols are empty and `candleless` ones have no history. */
async function run(on: Database = db): Promise<void> {
  const real = market.connect();
  const markets = new Markets(real.exchanges, async (exchangeId, marketType) => {
    const data = await real.market(exchangeId, marketType);
    const orderBook = async (symbol: string, limit: number): Promise<OrderBook> => ({
      ...(await data.orderBook(symbol, limit)),
      ...(bookless.has(symbol) ? { bids: [], asks: [] } : {}),
    });
    const candles: MarketData['candles'] = async (symbol, ...rest) => {
      if (candleless.has(symbol)) throw new Error('No candles today');
      return data.candles(symbol, ...rest);
    };
    return { ...data, orderBook, candles };
  });
  const windows = new CandleWindows(markets, { now: market.now });
  const times = { scan: 50, heartbeat: 200, lease: patienceMs, vitals: 300 };
  runner = await startRunner({ db: on, markets, windows, host: 'test', now: market.now, log: () => {} }, times);
}

afterEach(async () => {
  await sql`update bots set status = 'paused', updated_at = now()`.execute(db);
  await runner?.stop();
  runner = null;
  bookless.clear();
  candleless.clear();
});

const count = (botId: string, status: string, symbol: string): Promise<number> =>
  db
    .selectFrom('trades')
    .select('id')
    .where('botId', '=', botId)
    .where('status', '=', status as 'open')
    .where('symbol', '=', symbol)
    .execute()
    .then((rows) => rows.length);

test('OP-86 stopped leaves every trade that can be left, although one symbol has nobody to trade with', async () => {
  const id = await addTestBot(db, { ...busy, nickname: 'stopped', minimalRoi: { 0: 10 }, symbols: ['BTC/USDT', 'ETH/USDT'] });
  await run();
  await expect.poll(() => count(id, 'open', 'BTC/USDT'), patience).toBe(1);
  await expect.poll(() => count(id, 'open', 'ETH/USDT'), patience).toBe(1);
  bookless.add('BTC/USDT');
  await setBotStatus(db, id, 'stopped');
  await expect.poll(() => count(id, 'open', 'ETH/USDT'), patience).toBe(0);
  expect(await count(id, 'open', 'BTC/USDT')).toBe(1);
  bookless.clear();
  await expect.poll(() => count(id, 'open', 'BTC/USDT'), patience).toBe(0);
});

test('a symbol that has nobody to trade with does not keep a bot from trading the others', async () => {
  bookless.add('BTC/USDT');
  const id = await addTestBot(db, { ...busy, nickname: 'half blind', symbols: ['BTC/USDT', 'ETH/USDT'] });
  await run();
  await expect.poll(() => count(id, 'closed', 'ETH/USDT'), patience).toBeGreaterThanOrEqual(2);
  expect(await count(id, 'open', 'BTC/USDT')).toBe(0);
  bookless.clear();
  await expect.poll(() => count(id, 'closed', 'BTC/USDT'), patience).toBeGreaterThanOrEqual(1);
});

test('a symbol whose candles cannot be had does not keep a bot from trading the others, and is tried again by itself', async () => {
  candleless.add('BTC/USDT');
  const id = await addTestBot(db, { ...busy, nickname: 'without candles', symbols: ['BTC/USDT', 'ETH/USDT'] });
  await run();
  await expect.poll(() => count(id, 'closed', 'ETH/USDT'), patience).toBeGreaterThanOrEqual(2);
  const vitals = (): Promise<{ lastError: string | null } | undefined> =>
    db.selectFrom('botVitals').select('lastError').where('botId', '=', id).executeTakeFirst();
  expect(await count(id, 'open', 'BTC/USDT')).toBe(0);
  candleless.clear();
  await expect.poll(() => count(id, 'closed', 'BTC/USDT'), patience).toBeGreaterThanOrEqual(1);
  await expect.poll(async () => (await vitals())?.lastError, patience).toBeNull();
});

test('a step whose acknowledgement is lost counts once', async () => {
  let lost = 0;
  let transactions = 0;
  const lossy = openDatabase(url);
  const begin = lossy.transaction.bind(lossy);
  // Every third transaction is written, but its acknowledgement is lost.
  const beginLossy = () => ({
    async execute<T>(work: (trx: Database) => Promise<T>) {
      const done = await begin().execute(work);
      transactions += 1;
      if (transactions % 3 !== 0) return done;
      lost += 1;
      throw new Error('The connection was lost');
    },
  });
  Object.assign(lossy, { transaction: beginLossy });
  const id = await addTestBot(db, { ...busy, nickname: 'unacknowledged', symbols: ['BTC/USDT', 'ETH/USDT', 'XRP/USDT'] });
  await run(lossy);
  await expect
    .poll(
      async () => (await db.selectFrom('trades').select('id').where('botId', '=', id).where('status', '=', 'closed').execute()).length,
      patience,
    )
    .toBeGreaterThan(8);
  expect(lost).toBeGreaterThan(2);
  await setBotStatus(db, id, 'stopped');
  await expect
    .poll(() => db.selectFrom('trades').select('id').where('botId', '=', id).where('status', '=', 'open').execute(), patience)
    .toEqual([]);
  const { rows } = await sql<Record<string, boolean>>`
    select count(*) = f.trades as counted, sum(t.profit) = f.realized_pnl as summed, sum(t.fees) = f.fees as fees_summed
    from trades t join bot_figures f on f.bot_id = t.bot_id where t.bot_id = ${id} and t.status = 'closed'
    group by f.trades, f.realized_pnl, f.fees`.execute(db);
  expect(rows).toEqual([{ counted: true, summed: true, feesSummed: true }]);
  await runner?.stop();
  runner = null;
  await lossy.destroy();
});

test('a trade is never there without the record of its decision', async () => {
  const symbols = ['BTC/USDT', 'ETH/USDT', 'XRP/USDT', 'SOL/USDT'];
  const id = await addTestBot(db, { ...busy, nickname: 'on the record', minimalRoi: { 0: 10 }, maxOpenTrades: 4, symbols });
  await run();
  const unrecorded: unknown[] = [];
  const countTrades = async (): Promise<number> => {
    const { rows } = await sql<{ trades: number; entries: number }>`
      select (select count(*) from trades where bot_id = ${id})::int as trades,
        (select count(*) from decisions where bot_id = ${id} and action = 'enter')::int as entries`.execute(db);
    unrecorded.push(...rows.filter(({ trades, entries }) => trades !== entries));
    return rows[0]?.trades ?? 0;
  };
  await expect.poll(countTrades, { ...patience, interval: 1 }).toBe(4);
  expect(unrecorded).toEqual([]);
});

test('OP-86 what a bot decided before it was changed is not written: stopped stays stopped', async () => {
  const id = await addTestBot(db, { ...busy, nickname: 'overtaken' });
  const runnerId = '55555555-5555-4555-8555-555555555555';
  await renewLease(db, { id: runnerId, host: 'overtaken', exchanges: ['sandbox'] }, 60_000, true);
  const claimed = (await claimBots(db, runnerId, 100)).find((bot) => bot.id === id);
  const read = await readBot(db, id);
  await setBotStatus(db, id, 'stopped');
  const holder = { id, epoch: claimed?.epoch ?? '', runnerId, updatedAt: read?.bot.updatedAt ?? new Date(0) };
  const writing = writeStep(db, holder, 'paper', {
    trades: [],
    closed: [],
    cancelledOrders: [],
    entersTrades: false,
    decisions: [],
    memory: emptyMemory,
    consecutiveLosses: 3,
    snapshot: null,
    paused: { recipient: 'owner@example.com', subject: 'Bot paused', body: '' },
  });
  await expect(writing).rejects.toThrow(Changed);
  const bot = await db.selectFrom('bots').select(['status', 'consecutiveLosses']).where('id', '=', id).executeTakeFirst();
  expect(bot).toEqual({ status: 'stopped', consecutiveLosses: 0 });
  await sql`delete from runners where id = ${runnerId}`.execute(db);
});

test('order numbers continue when a bot changes its mode: no two orders of a bot have the same id', async () => {
  const id = await addTestBot(db, { ...busy, nickname: 'changeable', status: 'paused' });
  await setEngineMemory(db, id, 'paper', { ...emptyMemory, nextTradeId: 8, nextOrderNumber: 15 });
  expect(await setBotMode(db, id, 'live')).toBe(true);
  expect(await readBot(db, id)).toMatchObject({ memory: null, nextOrderNumber: 15 });
});

test.each([
  [
    { ...emptyMemory, version: 99 },
    'The stored memory of the bot is of version 99, and this program reads version 2: start the version of Flotilla that wrote it.',
  ],
  [{ ...emptyMemory, locks: 'none' }, 'The stored memory of the bot cannot be read: "locks" is string, not a list.'],
])('a bot whose stored memory this program cannot use does not run, and says why', async (memory, sentence) => {
  const id = await addTestBot(db, { ...busy, nickname: 'unreadable', status: 'paused' });
  await setEngineMemory(db, id, 'paper', memory);
  await run();
  await setBotStatus(db, id, 'active');
  const lastError = async () =>
    (await db.selectFrom('botVitals').select('lastError').where('botId', '=', id).executeTakeFirst())?.lastError;
  await expect.poll(lastError, patience).toBe(sentence);
  expect(await db.selectFrom('trades').select('id').where('botId', '=', id).execute()).toEqual([]);
});

test('loopStart is called on paper: at each closed candle, and every five seconds in between', async () => {
  const strategy = strategyOfClass('AlwaysFlat');
  const { callbacks } = strategy;
  const times: number[] = [];
  Object.assign(strategy, { callbacks: { loopStart: (time: number) => times.push(time) } });
  onTestFinished(() => void Object.assign(strategy, { callbacks }));
  await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'looping', symbols: ['BTC/USDT', 'ETH/USDT'] });
  await run();
  await expect.poll(() => times.length, patience).toBeGreaterThan(30);
  const gaps = times.slice(1).map((time, i) => time - (times[i] ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThan(0);
  // Of 30 gaps only those that end with the close of a candle may be shorter than a loop.
  const minutes = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 60_000;
  expect(gaps.filter((gap) => gap < 5_000).length).toBeLessThanOrEqual(Math.ceil(minutes) + 1);
});
