import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hourMs, minuteMs } from '#engine/market/durations.ts';
import { setBotStatus } from '#storage/bots/bots.ts';
import type { Database } from '#storage/database.ts';
import { openDatabase } from '#storage/database.ts';
import { sql } from 'kysely';
import { afterEach, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import type { TestMarket } from '../../../test/support/market.ts';
import { startMarket } from '../../../test/support/market.ts';
import { patienceMs } from '../../../test/support/patience.ts';
import type { TestBot } from '../../../test/support/test-bot.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { Markets } from '#feeds/markets.ts';
import { CandleWindows } from '#feeds/candle-windows.ts';
import type { Runner, RunnerDependencies, RunnerTimes } from '../runner.ts';
import { startRunner } from '../runner.ts';

const { db, url } = await freshDatabase();
const symbol = 'BTC/USDT:USDT';
const patience = { interval: 50 };
const holder: TestBot = {
  strategy: 'BuyAndHold',
  marketType: 'futures',
  symbols: [symbol],
  leverage: 3,
  stakeAmount: 1000,
  minimalRoi: { 0: 10 },
  stoploss: -0.9,
  orderType: 'market',
};
const payment = Date.UTC(2026, 4, 20, 8);
let runner: Runner | null = null;

async function run(market: TestMarket, times: Partial<RunnerTimes> = {}, over: Partial<RunnerDependencies> = {}): Promise<void> {
  const { markets = market.connect() } = over;
  const windows = new CandleWindows(markets, { now: market.now });
  runner = await startRunner(
    { db, markets, windows, host: 'test', now: market.now, log: () => {}, ...over },
    { scan: 50, heartbeat: 200, lease: patienceMs, vitals: 100, ...times },
  );
}

async function stop(): Promise<void> {
  await runner?.stop();
  runner = null;
}

afterEach(async () => {
  await sql`update bots set status = 'paused', updated_at = now()`.execute(db);
  await stop();
});

async function tradeOf(botId: string) {
  const trade = await db.selectFrom('trades').selectAll().where('botId', '=', botId).orderBy('openedAt').limit(1).executeTakeFirst();
  if (trade === undefined) return null;
  const numbers = { amount: Number(trade.amount), funding: Number(trade.funding), entryPrice: Number(trade.entryPrice) };
  return { ...trade, ...numbers, liquidationPrice: Number(trade.liquidationPrice), profit: Number(trade.profit) };
}
const paid = async (botId: string): Promise<number> => (await tradeOf(botId))?.funding ?? 0;
/** When the position was entered; the trade has opened with its order, a moment before. */
const heldSince = async (botId: string): Promise<number> => {
  const { rows } = await sql<{ at: Date }>`
    select min(f.filled_at) as at from fills f join orders o on o.id = f.order_id where o.bot_id = ${botId}`.execute(db);
  return rows[0]?.at.getTime() ?? 0;
};
const isOpen = async (botId: string): Promise<boolean> => ((await tradeOf(botId))?.entryPrice ?? 0) > 0;

/** What a long position owed: calculated here from the payments the exchange reports. */
async function owed(market: TestMarket, amount: number, from: number, to: number): Promise<number> {
  const events = await (await market.connect().market('sandbox', 'futures')).funding(symbol, from, to);
  expect(events.length).toBeGreaterThan(0);
  // Each payment is cut to eight decimals, as an exchange pays it.
  return -events.reduce((sum, { rate, mark }) => sum + Math.trunc(Number((rate * mark * amount * 1e8).toPrecision(14))) / 1e8, 0);
}

test('OP-84 a running bot pays funding when it is due, once, and across restarts; its profit holds it', async () => {
  // Half an hour is enough for an entry on any machine; the rest of it is skipped.
  const market = await startMarket(60, 7, payment - 30 * minuteMs);
  const id = await addTestBot(db, { ...holder, nickname: 'payer' });
  await run(market);
  await expect.poll(() => isOpen(id), patience).toBe(true);
  market.sandbox.clock.advance(payment - minuteMs - market.now());
  await expect.poll(() => paid(id), patience).not.toBe(0);
  const { amount } = (await tradeOf(id))!;
  expect(await paid(id)).toBeCloseTo(await owed(market, amount, payment - hourMs, payment + hourMs), 10);

  // Nobody runs it while two payments are made.
  await stop();
  market.sandbox.clock.advance(16 * hourMs);
  await run(market);
  const all = await owed(market, amount, payment - hourMs, payment + 17 * hourMs);
  await expect.poll(() => paid(id), patience).toBeCloseTo(all, 10);
  await stop();
  await run(market);
  market.sandbox.clock.advance(hourMs / 2); // another check of the same payments
  await sleep(1_500);
  expect(await paid(id)).toBeCloseTo(all, 10);

  await setBotStatus(db, id, 'stopped');
  await expect.poll(async () => (await tradeOf(id))?.status, patience).toBe('closed');
  const { rows } = await sql<{ fills: string; figures: string }>`
    select sum(case o.side when 'sell' then l.amount * l.price else -l.amount * l.price end) - sum(l.fee) as fills,
      (select realized_pnl from bot_figures where bot_id = ${id}) as figures
    from orders o join fills l on l.order_id = o.id where o.bot_id = ${id}`.execute(db);
  const { profit } = (await tradeOf(id))!;
  expect(profit).toBeCloseTo(Number(rows[0]?.fills) + all, 6);
  expect(Number(rows[0]?.figures)).toBeCloseTo(profit, 8);
});

test('OP-84 a trade that closes before funding was checked has paid it all the same', async () => {
  const market = await startMarket(60, 7, payment - 30 * minuteMs);
  const id = await addTestBot(db, { ...holder, nickname: 'leaver', minimalRoi: { 0: 10, 35: -1 } });
  await run(market, { vitals: hourMs }, { fundingPatienceMs: patienceMs });
  await expect.poll(() => isOpen(id), patience).toBe(true);
  market.sandbox.clock.advance(payment - minuteMs - market.now());
  await expect.poll(async () => (await tradeOf(id))?.status, patience).toBe('closed');
  const trade = (await tradeOf(id))!;
  expect(trade.openedAt.getTime()).toBeLessThan(payment);
  expect(trade.closedAt?.getTime()).toBeGreaterThan(payment);
  expect(trade.funding).toBeCloseTo(await owed(market, trade.amount, payment - hourMs, payment + hourMs), 10);
});

test('an exchange that is silent about funding holds up neither a start nor an exit', async () => {
  const market = await startMarket(60, 7, payment - 30 * minuteMs);
  const id = await addTestBot(db, { ...holder, nickname: 'unanswered', minimalRoi: { 0: 10, 35: -1 } });
  await run(market);
  await expect.poll(() => isOpen(id), patience).toBe(true);
  await stop();
  market.sandbox.clock.advance(payment + minuteMs - market.now());
  const real = market.connect();
  const booksMs: number[] = []; // how long the exchange took for each order book
  const silent = new Markets(real.exchanges, async (exchangeId, marketType) => {
    const data = await real.market(exchangeId, marketType);
    return {
      ...data,
      funding: () => new Promise(() => {}), // no answer ever comes
      async orderBook(...asked) {
        const askedAt = performance.now();
        const book = await data.orderBook(...asked);
        booksMs.push(performance.now() - askedAt);
        return book;
      },
    };
  });
  const silenceMs = 10_000; // longer than a busy machine needs for an exit
  await run(market, {}, { markets: silent, fundingPatienceMs: silenceMs });
  await expect.poll(async () => (await tradeOf(id))?.status, patience).toBe('closed');
  expect((await tradeOf(id))?.funding).toBe(0);
  const { rows } = await sql<{ latency: string }>`
    select extract(epoch from acknowledged_at - sent_at) * 1000 as latency from orders where bot_id = ${id} and purpose = 'exit'`.execute(
    db,
  );
  // That of the order book, not that of the silence, which is waited out.
  expect(Number(rows[0]?.latency)).toBeLessThan(Math.max(...booksMs) + silenceMs / 2);
});

test('a payment is counted once although every write loses its acknowledgement', async () => {
  const market = await startMarket(60, 7, payment - 30 * minuteMs);
  const id = await addTestBot(db, { ...holder, nickname: 'unacknowledged' });
  const lossy = openDatabase(url);
  const begin = lossy.transaction.bind(lossy);
  let lost = 0;
  // What is written of the bot is there, but the acknowledgement is lost.
  const beginLossy = () => ({
    async execute(work: (trx: Database) => Promise<unknown>) {
      const answer = await begin().execute(work);
      if (answer !== undefined) return answer;
      lost += 1;
      throw new Error('The connection was lost');
    },
  });
  Object.assign(lossy, { transaction: beginLossy });
  await run(market, {}, { db: lossy });
  await expect.poll(() => isOpen(id), patience).toBe(true);
  market.sandbox.clock.advance(payment - minuteMs - market.now());
  await expect.poll(() => paid(id), patience).not.toBe(0);
  await expect.poll(market.now, patience).toBeGreaterThan(payment + 5 * minuteMs);
  const { amount } = (await tradeOf(id))!;
  expect(lost).toBeGreaterThan(1);
  expect(await paid(id)).toBeCloseTo(await owed(market, amount, payment - hourMs, payment + hourMs), 10);
  await stop();
  await lossy.destroy();
});

test('a runner killed at any moment around payments loses none and doubles none', async () => {
  const market = await startMarket(120, 7, payment - 3 * minuteMs);
  const id = await addTestBot(db, { ...holder, nickname: 'killed' });
  const script = join(import.meta.dirname, '../../../test/support/runner-process.ts');
  const rounds = 10;
  for (let round = 1; round <= rounds; round++) {
    // A candle lasts long enough to be traded on; once there is a trade, payments are due within the short life of a runner.
    const factor = round === 1 ? 15 : 120;
    market.sandbox.clock.setFactor(factor);
    const clock = [market.now(), Date.now(), factor].map(String);
    const child = spawn(process.execPath, [script, url, market.sandbox.url, ...clock], { stdio: ['ignore', 'pipe', 'ignore'] });
    const ended = once(child, 'exit');
    await Promise.race([once(child.stdout, 'data'), ended]);
    expect(child.exitCode).toBeNull();
    // The first lives to open the trade, the others may not live to pay for it.
    if (round === 1) await expect.poll(() => isOpen(id), patience).toBe(true);
    else await sleep(50 + Math.random() * 700);
    child.kill('SIGKILL');
    await ended;
    await sleep(20); // the database notices that its client is gone
    const trade = await tradeOf(id);
    expect(trade?.status, `after kill ${round}`).toBe('open');
    const until = Number(trade?.engineState['fundedUntil'] ?? 0);
    const reported = until === 0 ? 0 : await owed(market, trade!.amount, await heldSince(id), until + 1);
    expect(trade?.funding, `after kill ${round}`).toBeCloseTo(reported, 10);
    market.sandbox.clock.advance(8 * hourMs - (market.now() % (8 * hourMs)) - minuteMs * (1 + Math.random()));
  }
  await run(market);
  const { amount } = (await tradeOf(id))!;
  const since = await heldSince(id);
  const all = async () => (await paid(id)) - (await owed(market, amount, since, market.now()));
  await expect.poll(all, patience).toBeCloseTo(0, 10);
});

test('a futures trade has a liquidation price, calculated from the margin the exchange publishes', async () => {
  const market = await startMarket(60, 7, payment + hourMs);
  const id = await addTestBot(db, { ...holder, nickname: 'levered' });
  await run(market);
  await expect.poll(() => isOpen(id), patience).toBe(true);
  const { entryPrice, amount, stake, liquidationPrice } = (await tradeOf(id))!;
  // Binance's formula, isolated, 2.5 % maintenance margin, a buffer of 5 % of the way.
  const bare = (Number(stake) - amount * entryPrice) / (amount * 0.025 - amount);
  expect(liquidationPrice).toBeCloseTo(bare + (entryPrice - bare) * 0.05, 0);
  expect(liquidationPrice).toBeLessThan(entryPrice);
});
