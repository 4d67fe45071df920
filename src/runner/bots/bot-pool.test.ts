import type { MarketData } from '#engine/ports/market-data.ts';
import { CandleWindows } from '#feeds/candle-windows.ts';
import { FundingFeed } from '#feeds/funding-feed.ts';
import { setBotStatus } from '#storage/bots.ts';
import { renewLease } from '#storage/runners.ts';
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { startMarket } from '../../../test/support/market.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { BotPool } from './bot-pool.ts';
import { DecisionLog } from './decision-log.ts';
import { SignalFeed } from './signal-feed.ts';

const { db } = await freshDatabase();
const market = await startMarket(60);

afterEach(async () => {
  await sql`update bots set status = 'paused', runner_id = null, given_up_by = null`.execute(db);
  await sql`truncate bots cascade`.execute(db);
});

/**
 * A pool whose bots wait for their market until the gate opens; `opened` counts the bots that have asked for it. While the
 * market is `away` they fail to start.
 */
async function poolWithGate(now: () => number = market.now) {
  const runnerId = randomUUID();
  await renewLease(db, { id: runnerId, host: 'pool', exchanges: ['sandbox'] }, 600_000, true);
  const gate = { promise: Promise.resolve(), open: (): void => {} };
  const shut = (): void => {
    const { promise, resolve } = Promise.withResolvers<void>();
    gate.promise = promise;
    gate.open = resolve;
  };
  const markets = market.connect();
  const windows = new CandleWindows(markets, { now: market.now });
  const logs: string[] = [];
  const opened = { count: 0 };
  const away = { isAway: false };
  const fail = (error: unknown): void => void logs.push(String(error));
  const decisions = new DecisionLog(db, fail);
  const pool = new BotPool(
    {
      db,
      runnerId: () => runnerId,
      signals: new SignalFeed(windows, fail),
      funding: new FundingFeed(markets, market.now),
      decisions,
      async market(exchangeId, marketType): Promise<MarketData> {
        opened.count += 1;
        await gate.promise;
        if (away.isAway) throw new Error('The market is away');
        return markets.market(exchangeId, marketType);
      },
      now,
      log: (message, details) => void logs.push(`${message} ${JSON.stringify(details)}`),
    },
    fail,
  );
  onTestFinished(async () => {
    gate.open();
    await pool.stop();
    await decisions.close();
    windows.close();
    await sql`delete from runners where id = ${runnerId}`.execute(db);
  });
  return { pool, opened, away, gate, shut, logs };
}
const reached = { timeout: 60_000, interval: 5 };

test('a bot whose start is under way is not started a second time, also when it has been changed meanwhile', async () => {
  const id = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'slow' });
  const { pool, opened, gate, shut, logs } = await poolWithGate();
  shut();
  await pool.scan();
  await expect.poll(() => opened.count, reached).toBe(1);
  await setBotStatus(db, id, 'paused');
  for (let i = 0; i < 3; i++) await pool.scan();
  await new Promise((resolve) => setTimeout(resolve, 200)); // a second start would have asked for the market by now
  expect(opened.count).toBe(1);
  gate.open();
  // What has changed during the start is taken over by a restart after it, once.
  await expect
    .poll(async () => {
      await pool.scan();
      return opened.count;
    }, reached)
    .toBe(2);
  await pool.scan();
  expect(opened.count).toBe(2);
  expect([...pool.bots.keys()]).toEqual([id]);
  expect(logs).toEqual([]);
});

test('bots start fifty at a time: an exchange is not asked for hundreds at once', async () => {
  for (let i = 0; i < 60; i++) await addTestBot(db, { strategy: 'AlwaysFlat', nickname: `one of many ${i}` });
  const { pool, opened, gate, shut } = await poolWithGate();
  shut();
  await pool.scan();
  await expect.poll(() => opened.count, reached).toBe(50);
  await pool.scan();
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(opened.count).toBe(50);
  gate.open();
  await expect
    .poll(async () => {
      await pool.scan();
      return opened.count;
    }, reached)
    .toBe(60);
});

test('a bot that is another runner’s by now is ended without a word to the database', async () => {
  const id = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'taken' });
  const { pool } = await poolWithGate();
  await expect
    .poll(async () => {
      await pool.scan();
      return pool.bots.size;
    }, reached)
    .toBe(1);
  const other = randomUUID();
  await renewLease(db, { id: other, host: 'other', exchanges: ['sandbox'] }, 600_000, true);
  await sql`update bots set runner_id = ${other}, epoch = epoch + 1 where id = ${id}`.execute(db);
  await pool.scan();
  expect(pool.bots.size).toBe(0);
  await sql`delete from runners where id = ${other}`.execute(db);
});

test('OP-86 a bot that rests after failures obeys a person at once, also one that was given up meanwhile', async () => {
  const id = await addTestBot(db, { strategy: 'BuyAndHold', nickname: 'resting', orderType: 'market', minimalRoi: { 0: 10 } });
  const clock: { stoppedAt: number | null; waited: number } = { stoppedAt: null, waited: 0 };
  const { pool, opened, away, logs } = await poolWithGate(() => (clock.stoppedAt ?? market.now()) + clock.waited);
  const openTrades = async (): Promise<number> =>
    (await db.selectFrom('trades').select('id').where('botId', '=', id).where('status', '=', 'open').execute()).length;
  await pool.scan();
  await expect.poll(openTrades, reached).toBe(1);

  clock.stoppedAt = market.now(); // no rest ends by itself any more
  away.isAway = true;
  await setBotStatus(db, id, 'active'); // to start it again
  for (const rest of [1_000, 2_000, 5_000]) {
    clock.waited += rest;
    const before = opened.count;
    const failures = logs.length;
    await pool.scan();
    await expect.poll(() => logs.length, reached).toBe(failures + 1);
    expect(opened.count).toBe(before + 1);
    for (let i = 0; i < 3; i++) await pool.scan(); // it rests
    expect(opened.count).toBe(before + 1);
  }
  const holder = async () => (await db.selectFrom('bots').select('runnerId').where('id', '=', id).executeTakeFirstOrThrow()).runnerId;
  await expect.poll(holder, reached).toBeNull();

  away.isAway = false;
  await setBotStatus(db, id, 'stopped');
  await pool.scan();
  await expect.poll(openTrades, reached).toBe(0);
});
