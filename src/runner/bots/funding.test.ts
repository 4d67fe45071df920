import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { aTrade } from '#engine/account/testing/a-trade.ts';
import type { FundingEvent } from '#engine/account/funding.ts';
import { setBotStatus } from '#storage/bots.ts';
import type { Database } from '#storage/database.ts';
import { openDatabase } from '#storage/database.ts';
import { sql } from 'kysely';
import { afterEach, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import type { TestMarket } from '../../../test/support/market.ts';
import { startMarket } from '../../../test/support/market.ts';
import type { TestBot } from '../../../test/support/test-bot.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { CandleWindows } from '#feeds/candle-windows.ts';
import { FundingFeed } from '#feeds/funding-feed.ts';
import type { Runner, RunnerTimes } from '../runner.ts';
import { startRunner } from '../runner.ts';
import { UnpaidFunding } from './unpaid-funding.ts';

const { db, url } = await freshDatabase();
const hour = 3_600_000;
const symbol = 'BTC/USDT:USDT';
const patience = { timeout: 40_000, interval: 50 };
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

async function run(market: TestMarket, times: Partial<RunnerTimes> = {}, on: Database = db): Promise<void> {
  const markets = market.connect();
  const windows = new CandleWindows(markets, { now: market.now });
  runner = await startRunner(
    { db: on, markets, windows, host: 'test', now: market.now, log: () => {} },
    { scan: 50, heartbeat: 200, lease: 2_000, vitals: 100, ...times },
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
const isOpen = async (botId: string): Promise<boolean> => ((await tradeOf(botId))?.entryPrice ?? 0) > 0;

/** What a long position owed: worked out here from what the exchange tells. */
async function owed(market: TestMarket, amount: number, from: number, to: number): Promise<number> {
  const events = await (await market.connect().market('sandbox', 'futures')).funding(symbol, from, to);
  expect(events.length).toBeGreaterThan(0);
  return -events.reduce((sum, { rate, mark }) => sum + rate * mark * amount, 0);
}

test('OP-84 a running bot pays funding when it is due, once, and across restarts; its profit holds it', async () => {
  const market = await startMarket(60, 7, payment - 4 * 60_000);
  const id = await addTestBot(db, { ...holder, nickname: 'payer' });
  await run(market);
  await expect.poll(() => isOpen(id), patience).toBe(true);
  expect(market.now()).toBeLessThan(payment);
  await expect.poll(() => paid(id), patience).not.toBe(0);
  const { amount } = (await tradeOf(id))!;
  expect(await paid(id)).toBeCloseTo(await owed(market, amount, payment - hour, payment + hour), 10);

  // Nobody runs it while two payments are made.
  await stop();
  market.sandbox.clock.advance(16 * hour);
  await run(market);
  const all = await owed(market, amount, payment - hour, payment + 17 * hour);
  await expect.poll(() => paid(id), patience).toBeCloseTo(all, 10);
  await stop();
  await run(market);
  market.sandbox.clock.advance(hour / 2); // another look at the same payments
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

test('OP-84 a trade that closes before anybody has looked at funding has paid it all the same', async () => {
  const market = await startMarket(60, 7, payment - 4 * 60_000);
  const id = await addTestBot(db, { ...holder, nickname: 'leaver', minimalRoi: { 0: 10, 6: -1 } });
  await run(market, { vitals: 3_600_000 });
  await expect.poll(async () => (await tradeOf(id))?.status, patience).toBe('closed');
  const trade = (await tradeOf(id))!;
  expect(trade.openedAt.getTime()).toBeLessThan(payment);
  expect(trade.closedAt?.getTime()).toBeGreaterThan(payment);
  expect(trade.funding).toBeCloseTo(await owed(market, trade.amount, payment - hour, payment + hour), 10);
});

test('an exchange that is silent about funding holds up neither a start nor an exit', async () => {
  const market = await startMarket(60, 7, payment - 4 * 60_000);
  const id = await addTestBot(db, { ...holder, nickname: 'unanswered', minimalRoi: { 0: 10, 6: -1 } });
  await run(market);
  await expect.poll(() => isOpen(id), patience).toBe(true);
  await stop();
  market.sandbox.faults.add({ fault: { kind: 'hang' }, path: /fundingRate/u });
  market.sandbox.clock.advance(4 * 60_000);
  await run(market);
  await expect.poll(async () => (await tradeOf(id))?.status, { timeout: 7_000, interval: 50 }).toBe('closed');
  expect((await tradeOf(id))?.funding).toBe(0);
  const { rows } = await sql<{ latency: string }>`
    select extract(epoch from acknowledged_at - sent_at) * 1000 as latency from orders where bot_id = ${id} and purpose = 'exit'`.execute(
    db,
  );
  expect(Number(rows[0]?.latency)).toBeLessThan(1_500); // that of the order book, not that of the silence
});

test('a payment is counted once although every write loses its acknowledgement', async () => {
  const market = await startMarket(60, 7, payment - 4 * 60_000);
  const id = await addTestBot(db, { ...holder, nickname: 'unheard' });
  const lossy = openDatabase(url);
  const begin = lossy.transaction.bind(lossy);
  let lost = 0;
  // What is written of the bot is there, but nobody is told.
  const beginLossy = () => ({
    async execute(work: (trx: Database) => Promise<unknown>) {
      const answer = await begin().execute(work);
      if (answer !== undefined) return answer;
      lost += 1;
      throw new Error('The connection was lost');
    },
  });
  Object.assign(lossy, { transaction: beginLossy });
  await run(market, {}, lossy);
  await expect.poll(() => paid(id), patience).not.toBe(0);
  await expect.poll(market.now, patience).toBeGreaterThan(payment + 5 * 60_000);
  const { amount } = (await tradeOf(id))!;
  expect(lost).toBeGreaterThan(1);
  expect(await paid(id)).toBeCloseTo(await owed(market, amount, payment - hour, payment + hour), 10);
  await stop();
  await lossy.destroy();
});

test('a runner killed at any moment around payments loses none and doubles none', async () => {
  const factor = 120;
  const market = await startMarket(factor, 7, payment - 3 * 60_000);
  const id = await addTestBot(db, { ...holder, nickname: 'killed' });
  const script = join(import.meta.dirname, '../../../test/support/runner-process.ts');
  const rounds = 10;
  for (let round = 1; round <= rounds; round++) {
    const clock = [market.now(), Date.now(), factor].map(String);
    const child = spawn(process.execPath, [script, url, market.sandbox.url, ...clock], { stdio: ['ignore', 'pipe', 'ignore'] });
    const ended = once(child, 'exit');
    await Promise.race([once(child.stdout, 'data'), ended]);
    expect(child.exitCode).toBeNull();
    // The first ones live to open the trade and to pay, the others may not.
    await sleep(round === 1 ? 2_500 : 50 + Math.random() * 700);
    child.kill('SIGKILL');
    await ended;
    await sleep(20); // the database notices that its client is gone
    const trade = await tradeOf(id);
    expect(trade?.status, `after kill ${round}`).toBe('open');
    const until = Number(trade?.engineState['fundedUntil'] ?? 0);
    const told = until === 0 ? 0 : await owed(market, trade!.amount, trade!.openedAt.getTime(), until + 1);
    expect(trade?.funding, `after kill ${round}`).toBeCloseTo(told, 10);
    market.sandbox.clock.advance(8 * hour - (market.now() % (8 * hour)) - 60_000 * (1 + Math.random()));
  }
  await run(market);
  const { amount, openedAt } = (await tradeOf(id))!;
  const all = async () => (await paid(id)) - (await owed(market, amount, openedAt.getTime(), market.now()));
  await expect.poll(all, patience).toBeCloseTo(0, 10);
});

test('a futures trade has a liquidation price, worked out from the margin the exchange publishes', async () => {
  const market = await startMarket(60, 7, payment + hour);
  const id = await addTestBot(db, { ...holder, nickname: 'levered' });
  await run(market);
  await expect.poll(() => isOpen(id), patience).toBe(true);
  const { entryPrice, amount, stake, liquidationPrice } = (await tradeOf(id))!;
  // Binance's formula, isolated, 2.5 % maintenance margin, a buffer of 5 % of the way.
  const bare = (Number(stake) - amount * entryPrice) / (amount * 0.025 - amount);
  expect(liquidationPrice).toBeCloseTo(bare + (entryPrice - bare) * 0.05, 0);
  expect(liquidationPrice).toBeLessThan(entryPrice);
});

test('many bots of one perpetual ask the exchange once, and again only when a full hour has passed', async () => {
  let now = payment + 10 * hour + 5 * 60_000;
  const asked: [from: number, to: number][] = [];
  const event = (time: number): FundingEvent => ({ time, rate: 0.0001, mark: 100 });
  const payments = Array.from({ length: 40 }, (_, i) => event(payment - 80 * hour + i * 8 * hour));
  const funding = async (_symbol: string, from: number, to: number) => {
    asked.push([from, to]);
    return payments.filter(({ time }) => time >= from && time < to);
  };
  const market = async () => ({ funding }) as never;
  const feed = new FundingFeed({ market }, () => now);
  const times = async (after: number) => (await feed.after('sandbox', symbol, after)).map(({ time }) => (time - payment) / hour);
  const answers = await Promise.all([times(payment - 1), times(payment), times(payment + 3 * hour)]);
  expect(answers).toEqual([[0, 8], [8], [8]]);
  expect(asked).toHaveLength(1);
  expect(await times(payment + 8 * hour)).toEqual([]);
  now += 30_000;
  await times(payment);
  expect(asked).toHaveLength(1); // asked within this minute
  now = payment + 10 * hour + 31 * 60_000;
  await times(payment);
  now += 20 * 60_000;
  await times(payment);
  expect(asked).toHaveLength(2); // nothing was paid in this hour: that is certain by now
  now = payment + 16 * hour + 1_000;
  expect(await times(payment)).toEqual([8, 16]);
  expect(asked.at(-1)?.[0]).toBe(payment + 10 * hour + 1);
});

test('a perpetual whose payments cannot be told keeps no other trade from paying; it is asked for again', async () => {
  let isTold = false;
  const funding = async (asked: string, from: number, to: number): Promise<FundingEvent[]> => {
    if (asked === 'SILENT/USDT:USDT' && !isTold) return await new Promise(() => {});
    if (asked === 'GONE/USDT:USDT' && !isTold) throw new Error(`no instrument ${asked}`);
    return [{ time: payment, rate: 0.0001, mark: 100 }].filter(({ time }) => time >= from && time < to);
  };
  const now = (): number => payment + 2 * 60_000;
  const market = async () => ({ funding }) as never;
  const unpaid = new UnpaidFunding(new FundingFeed({ market }, now), 'sandbox', now);
  const trade = (of: string) => aTrade({ symbol: of, marketType: 'futures', openTime: payment - hour, amount: 1 });
  const symbolsOf = (paidNow: { events: readonly object[] }) => paidNow.events.map((event) => (event as { symbol: string }).symbol);

  const gone = [trade('GONE/USDT:USDT'), trade(symbol)];
  const first = await unpaid.whenDue(gone);
  expect(symbolsOf(first)).toEqual([symbol]);
  expect(String(first.failure)).toContain('GONE/USDT:USDT');
  const late = await unpaid.atOnce([trade('SILENT/USDT:USDT'), ...gone]);
  expect(symbolsOf(late)).toEqual([symbol]);

  isTold = true;
  expect(symbolsOf(await unpaid.whenDue(gone))).toEqual(['GONE/USDT:USDT', symbol]);
  expect(await unpaid.whenDue(gone)).toEqual({ events: [], failure: null });
});

test('a payment that is told some seconds after the full hour is known to who leaves within the same minute', async () => {
  let now = payment + 2_000;
  let asked = 0;
  const funding = async (): Promise<FundingEvent[]> => {
    asked += 1;
    return now < payment + 10_000 ? [] : [{ time: payment, rate: 0.0001, mark: 100 }];
  };
  const feed = new FundingFeed({ market: async () => ({ funding }) as never }, () => now);
  expect(await feed.after('sandbox', symbol, payment - hour)).toEqual([]);
  now = payment + 3_000;
  expect(await feed.after('sandbox', symbol, payment - hour)).toEqual([]);
  expect(asked).toBe(1);
  now = payment + 20_000;
  expect(await feed.after('sandbox', symbol, payment - hour)).toHaveLength(1);
  expect(asked).toBe(2);
});
