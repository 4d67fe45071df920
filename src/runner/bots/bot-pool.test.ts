import type { MarketData } from '#engine/ports/market-data.ts';
import { CandleWindows } from '#feeds/candle-windows.ts';
import { FundingFeed } from '#feeds/funding-feed.ts';
import { setBotStatus } from '#storage/bots/bots.ts';
import { renewLease } from '#storage/bots/runners.ts';
import { askHeldElsewhere } from '#storage/differences/held-elsewhere.ts';
import { askToClose } from '#storage/trades/close-asked.ts';
import { askByHand } from '#storage/trades/manual-actions.ts';
import { writeTrades } from '#storage/trades/trade-writes.ts';
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { goLive } from '../../../test/support/go-live.ts';
import { untilWaiting } from '../../../test/support/lock-waits.ts';
import { startMarket } from '../../../test/support/market.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { aFillRow, anOrderRow, aTradeRow } from '../../storage/testing/trade-rows.ts';
import { BotPool } from './bot-pool.ts';
import { databaseSteps } from './step-writer.ts';
import { DecisionLog } from './decision-log.ts';
import { OrderAccounts } from '../orders/order-accounts.ts';
import { noProcesses } from '#strategy-process/testing/no-processes.ts';
import { SignalFeed } from './signal-feed.ts';

const { db } = await freshDatabase();
const market = await startMarket(60);

/** What ends the pools of a test. They still write while they work: the tables are emptied after that. */
const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  await sql`update bots set status = 'paused', runner_id = null, given_up_by = null`.execute(db);
  await empty();
  await sql`delete from runners where host = 'other'`.execute(db);
});

/** Removes all bots. A start that was under way when its pool stopped may still read, and PostgreSQL ends one of the two: then it is tried again. */
async function empty(): Promise<void> {
  for (;;) {
    try {
      await sql`truncate bots cascade`.execute(db);
      return;
    } catch (error) {
      if ((error as { code?: unknown }).code !== '40P01') throw error;
    }
  }
}

/** What there is after another scan. The start that a scan begins is not waited for, and while it lasts there is no other. */
async function scanned<T>(pool: BotPool, read: () => T): Promise<Awaited<T>> {
  await pool.scan();
  return await read();
}

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
  const silence = Promise.withResolvers<void>(); // of an exchange that does not answer
  const opened = { count: 0 };
  const away = { isAway: false, silent: '' };
  const slow: { history: Promise<void> | null; asked: number; answered: number } = { history: null, asked: 0, answered: 0 };
  const fail = (error: unknown): void => void logs.push(String(error));
  const decisions = new DecisionLog(db, fail);
  const signals = new SignalFeed(windows, fail);
  const listen = signals.listen.bind(signals);
  signals.listen = async (...given) => {
    slow.asked += 1;
    await slow.history;
    const end = await listen(...given);
    slow.answered += 1;
    return end;
  };
  const pool = new BotPool(
    {
      db,
      runnerId: () => runnerId,
      signals,
      funding: new FundingFeed(markets, market.now),
      processes: noProcesses(),
      decisions,
      steps: databaseSteps(db),
      accounts: new OrderAccounts(
        { db },
        async () => await Promise.reject(new Error('none')),
        market.now,
        () => undefined,
      ),
      async market(exchangeId, marketType): Promise<MarketData> {
        opened.count += 1;
        if (exchangeId === away.silent) await silence.promise;
        await gate.promise;
        if (away.isAway) throw new Error('The market is away');
        return markets.market(exchangeId, marketType);
      },
      now,
      log: (message, details) => void logs.push(`${message} ${JSON.stringify(details)}`),
    },
    fail,
  );
  ends.push(async () => {
    gate.open();
    silence.resolve();
    await pool.stop();
    await decisions.close();
    windows.close();
    await sql`delete from runners where id = ${runnerId}`.execute(db);
  });
  return { pool, opened, away, slow, gate, shut, logs };
}

test('a bot whose start is under way is not started a second time, also when it has been changed meanwhile', async () => {
  const id = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'slow' });
  const { pool, opened, gate, shut, logs } = await poolWithGate();
  shut();
  await pool.scan();
  await expect.poll(() => opened.count).toBe(1);
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
    })
    .toBe(2);
  await pool.scan();
  expect(opened.count).toBe(2);
  expect([...pool.bots.keys()]).toEqual([id]);
  expect(logs).toEqual([`a bot is started again {"bot":"${id}"}`]);
});

test('a bot whose history takes its time obeys people meanwhile: it trades, and is started again when it was changed', async () => {
  const id = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'long history' });
  const { pool, opened, slow, gate, shut, logs } = await poolWithGate();
  const { promise, resolve } = Promise.withResolvers<void>();
  onTestFinished(() => resolve());
  slow.history = promise;
  await expect.poll(() => scanned(pool, () => pool.bots.get(id)?.vital() ?? null)).not.toBeNull();
  await expect.poll(() => slow.asked).toBe(1);
  /** What the bot that runs is asked to close from now on. */
  const closed = (): string[] => {
    const asked: string[] = [];
    vi.spyOn(pool.bots.get(id)!, 'closeTrades').mockImplementation((ids) => void asked.push(...ids));
    return asked;
  };
  const bot = pool.bots.get(id);
  const first = closed();
  const trade = aTradeRow(id);
  await writeTrades(db, [{ trade, orders: [], fills: [] }]);
  await askToClose(db, trade.id, new Date());
  await pool.scan();
  expect(first).toEqual([trade.id]);
  await sql`update trades set status = 'closed', closed_at = now()`.execute(db); // it could not be read at the next start
  shut();
  await setBotStatus(db, id, 'paused');
  await expect.poll(() => scanned(pool, () => opened.count)).toBe(2);
  const second = closed();
  await sql`update trades set status = 'open', closed_at = null`.execute(db);
  // What the first start waited for comes now, and does not make the second one ready.
  resolve();
  await expect.poll(() => slow.answered).toBe(1);
  await pool.scan();
  expect(second).toEqual([]);
  gate.open();
  await expect.poll(() => scanned(pool, () => new Set(second))).toEqual(new Set([trade.id]));
  expect([pool.bots.get(id) === bot, [...pool.bots.keys()], opened.count]).toEqual([false, [id], 2]);
  expect(logs).toEqual([`a bot is started again {"bot":"${id}"}`]);
});

test('what a person does by hand waits until its bot has begun: only then is it known what was filled before', async () => {
  const id = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'by hand' });
  const { pool, opened, gate, shut } = await poolWithGate();
  shut();
  await expect.poll(() => scanned(pool, () => opened.count)).toBe(1);
  const bot = pool.bots.get(id);
  if (bot === undefined) throw new Error('The bot is not being started');
  const asked: string[] = [];
  vi.spyOn(bot, 'doByHand').mockImplementation((actions) => void asked.push(...actions.map((action) => action.id)));
  const trade = aTradeRow(id);
  await writeTrades(db, [{ trade, orders: [], fills: [] }]);
  const { userId } = await db.selectFrom('bots').select('userId').where('id', '=', id).executeTakeFirstOrThrow();
  const of = { botId: id, mode: 'paper', symbol: trade.symbol, askedBy: userId } as const;
  const action = await askByHand(db, { ...of, kind: 'take-out', tradeId: trade.id, share: 0.5 });
  for (let i = 0; i < 3; i++) await pool.scan();
  expect(asked).toEqual([]);
  gate.open();
  await expect.poll(() => scanned(pool, () => new Set(asked))).toEqual(new Set([action]));
});

test('a bot that ends itself while its history takes its time is started again at once', async () => {
  const id = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'ended' });
  const { pool, slow } = await poolWithGate();
  const { promise, resolve } = Promise.withResolvers<void>();
  onTestFinished(() => resolve());
  slow.history = promise;
  await expect.poll(() => scanned(pool, () => slow.asked)).toBe(1);
  pool.dropAll(); // as when its lease is lost, or people's change has overtaken its step
  await expect.poll(() => scanned(pool, () => slow.asked)).toBe(2);
  expect([...pool.bots.keys()]).toEqual([id]);
});

test('bots whose history takes its time keep their places: an exchange is not asked for the history of hundreds', async () => {
  const ids: string[] = [];
  for (let i = 0; i < 60; i++) ids.push(await addTestBot(db, { strategy: 'AlwaysFlat', nickname: `one of many ${i}` }));
  const { pool, slow } = await poolWithGate();
  const { promise, resolve } = Promise.withResolvers<void>();
  onTestFinished(() => resolve());
  slow.history = promise;
  await expect.poll(() => scanned(pool, () => slow.asked)).toBe(50);
  // Those that start again have their places, whichever of them are changed.
  const before = new Map(pool.bots);
  for (const id of before.keys()) await setBotStatus(db, id, 'paused');
  await expect.poll(() => scanned(pool, () => slow.asked)).toBe(100);
  expect([...pool.bots.keys()].toSorted()).toEqual([...before.keys()].toSorted());
  expect([...before].filter(([id, bot]) => pool.bots.get(id) === bot)).toEqual([]);
  resolve();
  await expect.poll(() => scanned(pool, () => pool.bots.size)).toBe(60);
});

// The request waited meanwhile: the time it writes is that at which it began.
test('a bot starts again when its strategy was changed by a request that began before the bot was changed and ended after it', async () => {
  const id = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'settings' });
  const { pool, opened } = await poolWithGate();
  const starts = async (): Promise<number> => {
    await pool.scan();
    return opened.count;
  };
  await expect.poll(starts).toBe(1);
  await sql`
    update strategies set updated_at = (select updated_at from bots where id = ${id}) - interval '2 seconds'
    where id = (select strategy_id from bots where id = ${id})`.execute(db);
  await expect.poll(starts).toBe(2);
});

test('a bot that is given up while it is being started is not claimed again by the scan that runs meanwhile', async () => {
  const id = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'given up' });
  const { pool, opened, shut } = await poolWithGate();
  shut();
  await pool.scan();
  await expect.poll(() => opened.count).toBe(1);
  await sql`update bots set runner_id = null where id = ${id}`.execute(db);
  await pool.scan();
  expect((await db.selectFrom('bots').select('runnerId').where('id', '=', id).executeTakeFirstOrThrow()).runnerId).toBeNull();
});

test('bots start fifty at a time: an exchange is not asked for hundreds at once', async () => {
  for (let i = 0; i < 60; i++) await addTestBot(db, { strategy: 'AlwaysFlat', nickname: `one of many ${i}` });
  const { pool, opened, gate, shut } = await poolWithGate();
  shut();
  await pool.scan();
  await expect.poll(() => opened.count).toBe(50);
  await pool.scan();
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(opened.count).toBe(50);
  gate.open();
  await expect
    .poll(async () => {
      await pool.scan();
      return opened.count;
    })
    .toBe(60);
});

test('somebody whose bots begin slowly holds up no bot of others; those of many others begin ten at a time, one of each', async () => {
  for (let i = 0; i < 60; i++) await addTestBot(db, { strategy: 'AlwaysFlat', nickname: `slow ${i}`, owner: 'slow@example.com' });
  const { pool, opened, gate, shut } = await poolWithGate();
  shut();
  await pool.scan();
  await expect.poll(() => opened.count).toBe(50);
  for (let i = 0; i < 12; i++) await addTestBot(db, { strategy: 'AlwaysFlat', nickname: `first ${i}`, owner: `${i}@example.com` });
  for (let i = 0; i < 5; i++) await addTestBot(db, { strategy: 'AlwaysFlat', nickname: `more ${i}`, owner: '0@example.com' });
  await pool.scan();
  await expect.poll(() => opened.count).toBe(60);
  await pool.scan();
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(opened.count).toBe(60);
  gate.open();
  await expect
    .poll(async () => {
      await pool.scan();
      return opened.count;
    })
    .toBe(77);
});

test('a bot that runs and is changed waits for none of those that begin, also of the same person', async () => {
  const id = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'runs' });
  const { pool, slow } = await poolWithGate();
  await expect.poll(() => scanned(pool, () => slow.answered)).toBe(1);
  for (let i = 0; i < 60; i++) await addTestBot(db, { strategy: 'AlwaysFlat', nickname: `one of many ${i}` });
  const { promise, resolve } = Promise.withResolvers<void>();
  onTestFinished(() => resolve());
  slow.history = promise;
  await expect.poll(() => scanned(pool, () => slow.asked)).toBe(51);
  const before = pool.bots.get(id);
  await setBotStatus(db, id, 'paused');
  await expect.poll(() => scanned(pool, () => slow.asked)).toBe(52);
  expect(pool.bots.get(id) === before).toBe(false);
});

test('an exchange that does not answer holds up no bot of another, however many it has', async () => {
  const { pool, opened, away } = await poolWithGate();
  await sql`update runners set exchanges = '{sandbox,kraken}' where host = 'pool'`.execute(db);
  for (let i = 0; i < 60; i++) await addTestBot(db, { strategy: 'AlwaysFlat', nickname: `held up ${i}` });
  await sql`update bots set exchange_id = 'kraken'`.execute(db);
  away.silent = 'kraken';
  await pool.scan();
  await expect.poll(() => opened.count).toBe(50);
  const id = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'elsewhere' });
  await pool.scan();
  await expect.poll(() => pool.bots.get(id)?.vital() ?? null).not.toBeNull();
  expect(opened.count).toBe(51);
});

test('a bot that is another runner’s by now is ended without a word to the database', async () => {
  const id = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'taken' });
  const { pool } = await poolWithGate();
  await expect
    .poll(async () => {
      await pool.scan();
      return pool.bots.size;
    })
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
  await expect.poll(openTrades).toBe(1);

  clock.stoppedAt = market.now(); // no rest ends by itself any more
  away.isAway = true;
  const failed = (): number => logs.filter((line) => line.startsWith('a bot could not be started')).length;
  await setBotStatus(db, id, 'active'); // to start it again
  for (const rest of [1_000, 2_000, 5_000]) {
    clock.waited += rest;
    const before = opened.count;
    const failures = failed();
    await expect.poll(() => scanned(pool, failed)).toBe(failures + 1);
    expect(opened.count).toBe(before + 1);
    for (let i = 0; i < 3; i++) await pool.scan(); // it rests
    expect(opened.count).toBe(before + 1);
  }
  const holder = async () => (await db.selectFrom('bots').select('runnerId').where('id', '=', id).executeTakeFirstOrThrow()).runnerId;
  await expect.poll(holder).toBeNull();

  away.isAway = false;
  await setBotStatus(db, id, 'stopped');
  await expect.poll(() => scanned(pool, openTrades)).toBe(0);
});

/** Scans until the pool runs so many bots. */
const runs = async (pool: BotPool, count: number): Promise<void> => {
  await expect.poll(() => scanned(pool, () => pool.bots.size)).toBe(count);
};
const holderOf = async (id: string) =>
  db.selectFrom('bots').select(['runnerId', 'givenUpBy']).where('id', '=', id).executeTakeFirstOrThrow();

test('a bot whose step people’s change has overtaken has not failed: it is started again at once', async () => {
  const id = await addTestBot(db, { strategy: 'BuyAndHold', nickname: 'overtaken', orderType: 'market', minimalRoi: { 0: 10 } });
  const time = market.now();
  const { pool } = await poolWithGate(() => time); // a rest would never end
  await runs(pool, 1);
  const trades = async (): Promise<number> => (await db.selectFrom('trades').select('id').where('botId', '=', id).execute()).length;
  await expect.poll(trades).toBe(1);
  await setBotStatus(db, id, 'paused');
  await expect
    .poll(async () => {
      await pool.bots.get(id)?.save(); // the prices seen: they are of the bot as it was
      return pool.bots.size;
    })
    .toBe(0);
  await runs(pool, 1);
  expect(await db.selectFrom('botVitals').select('lastError').where('botId', '=', id).execute()).toEqual([]);
});

test('a bot that cannot be started is given up after its third failure in a row, and its owner reads why', async () => {
  const id = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'broken' });
  let time = market.now();
  const { pool, away, logs } = await poolWithGate(() => time);
  away.isAway = true;
  const lastError = async () =>
    (await db.selectFrom('botVitals').select('lastError').where('botId', '=', id).executeTakeFirst())?.lastError;
  for (let failures = 1; failures <= 3; failures++) {
    await expect.poll(() => scanned(pool, () => logs.length)).toBe(failures);
    await expect.poll(lastError).toBe('The market is away');
    if (failures < 3) expect((await holderOf(id)).runnerId).not.toBeNull();
    time += 60_000;
    expect(pool.bots.size).toBe(0);
  }
  await expect.poll(async () => (await holderOf(id)).runnerId).toBeNull();
  expect((await holderOf(id)).givenUpBy).not.toBeNull();
});

test('when another runner comes, the surplus is released, but not what is being started', async () => {
  for (let i = 0; i < 4; i++) await addTestBot(db, { strategy: 'AlwaysFlat', nickname: `shared ${i}` });
  const { pool, gate, shut } = await poolWithGate();
  await runs(pool, 4);
  const other = randomUUID();
  await renewLease(db, { id: other, host: 'other', exchanges: ['sandbox'] }, 600_000, true);
  await expect
    .poll(async () => {
      await pool.share(); // the last one may still be starting
      return pool.bots.size;
    })
    .toBe(2);
  const free = await db.selectFrom('bots').select('id').where('runnerId', 'is', null).execute();
  expect(free).toHaveLength(2);
  expect(free.some(({ id }) => pool.bots.has(id))).toBe(false);
  for (const { id } of free) expect((await holderOf(id)).givenUpBy).toBeNull(); // it could have run them
  // What is started is released later: it would be started all the same.
  await sql`delete from runners where id = ${other}`.execute(db);
  shut();
  await pool.scan();
  await renewLease(db, { id: other, host: 'other', exchanges: ['sandbox'] }, 600_000, true);
  await sql`update bots set updated_at = now()`.execute(db);
  await pool.scan();
  await pool.share();
  expect(await db.selectFrom('bots').select('id').where('runnerId', 'is', null).execute()).toEqual([]);
  gate.open();
  await sql`delete from runners where id = ${other}`.execute(db);
});

test('a bot whose step cannot be written has failed: it ends, and rests', async () => {
  const id = await addTestBot(db, { strategy: 'BuyAndHold', nickname: 'unwritable', orderType: 'market', minimalRoi: { 0: 10 } });
  const time = market.now();
  const { pool, opened, logs } = await poolWithGate(() => time);
  await sql`alter table trades add constraint none_today check (symbol = 'none') not valid`.execute(db);
  onTestFinished(async () => void (await sql`alter table trades drop constraint none_today`.execute(db)));
  await pool.scan();
  const ended = (): string[] => logs.filter((line) => line.startsWith('a bot has ended itself'));
  await expect.poll(() => ended().length).toBe(1);
  expect(ended()[0]).toMatch(new RegExp(`${id}.*none_today`, 'u'));
  expect(pool.bots.size).toBe(0);
  const before = opened.count;
  for (let i = 0; i < 3; i++) await pool.scan();
  expect(opened.count).toBe(before);
  const lastError = async () =>
    (await db.selectFrom('botVitals').select('lastError').where('botId', '=', id).executeTakeFirst())?.lastError;
  await expect.poll(lastError).toContain('none_today');
});

test('one whose step the database did not answer has not failed: it is started again after a moment, however often, and is not given up', async () => {
  const id = await addTestBot(db, { strategy: 'BuyAndHold', nickname: 'unanswered', orderType: 'market', minimalRoi: { 0: 10 } });
  let time = market.now();
  const { pool, logs } = await poolWithGate(() => time);
  // As when its server shuts down in the middle of a step.
  await sql`create or replace function no_answer() returns trigger language plpgsql as $$
    begin raise exception 'terminating connection due to administrator command' using errcode = '57P01'; end $$`.execute(db);
  await sql`create trigger no_answer before insert on trades for each row execute function no_answer()`.execute(db);
  onTestFinished(async () => void (await sql`drop trigger if exists no_answer on trades`.execute(db)));
  const ended = (): string[] => logs.filter((line) => line.startsWith('a bot has ended itself'));
  for (let failures = 1; failures <= 5; failures++) {
    await expect.poll(() => scanned(pool, () => ended().length)).toBe(failures);
    await pool.scan();
    expect(pool.bots.size).toBe(0);
    time += 1_000;
  }
  expect(await holderOf(id)).toMatchObject({ runnerId: expect.any(String) as string, givenUpBy: null });
  await sql`drop trigger no_answer on trades`.execute(db);
  const trades = async () => (await db.selectFrom('trades').select('id').where('botId', '=', id).execute()).length;
  await expect.poll(() => scanned(pool, trades)).toBe(1);
});

test('a pool that stops ends its bots, and writes what they have seen', async () => {
  const id = await addTestBot(db, { strategy: 'BuyAndHold', nickname: 'stopping', orderType: 'market', minimalRoi: { 0: 10 } });
  const { pool } = await poolWithGate();
  await runs(pool, 1);
  const trade = async () => db.selectFrom('trades').select('engineState').where('botId', '=', id).executeTakeFirst();
  await expect.poll(async () => (await trade()) !== undefined).toBe(true);
  const bot = pool.bots.get(id);
  await pool.stop();
  expect(pool.bots.size).toBe(0);
  const kept = await trade();
  await bot?.save();
  expect(await trade()).toEqual(kept); // nothing was left to write
});

test('once it is stopped a pool starts nothing any more', async () => {
  await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'late' });
  const { pool, opened, logs } = await poolWithGate();
  const scanning = pool.scan();
  const stopping = pool.stop();
  await scanning;
  await stopping;
  await pool.scan();
  await new Promise((resolve) => setTimeout(resolve, 200)); // a start would have asked for the market by now
  expect([pool.bots.size, opened.count, logs]).toEqual([0, 0, []]);
});

test('all bots are ended at once when the lease is lost', async () => {
  for (let i = 0; i < 3; i++) await addTestBot(db, { strategy: 'AlwaysFlat', nickname: `leased ${i}` });
  const { pool } = await poolWithGate();
  await runs(pool, 3);
  const bots = [...pool.bots.values()];
  pool.dropAll();
  expect(pool.bots.size).toBe(0);
  await Promise.all(bots.map((bot) => bot.save())); // writes nothing: it has ended
});

test('one whose start is under way when the lease is lost is not started', async () => {
  await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'half started' });
  const { pool, opened } = await poolWithGate();
  let scanning = Promise.resolve();
  await db.transaction().execute(async (trx) => {
    await sql`lock table bot_figures in access exclusive mode`.execute(trx); // a start reads them, a claim does not
    scanning = pool.scan();
    await untilWaiting(db, 1);
    pool.dropAll();
  });
  await scanning;
  await new Promise((resolve) => setTimeout(resolve, 200)); // it would have asked for the market by now
  expect([pool.bots.size, opened.count]).toEqual([0, 0]);
  await runs(pool, 1); // the next scan starts what it still holds
});

test('of many bots those with an open trade are started first', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 100; n++) ids.push(await addTestBot(db, { strategy: 'AlwaysFlat', nickname: `many ${n}` }));
  const trading = ids.filter((_, n) => n % 2 === 1);
  for (const id of trading) await writeTrades(db, [{ trade: aTradeRow(id), orders: [], fills: [] }]);
  const { pool, logs } = await poolWithGate();
  await pool.scan();
  // Such a trade cannot be read, so each of them fails, and is named.
  await expect.poll(() => logs.length).toBe(50);
  expect(trading.filter((id) => logs.some((line) => line.includes(id)))).toHaveLength(50);
});

test('a trade that waits to be corrected is closed only when that has been booked', async () => {
  const id = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'sold outside' });
  const { pool } = await poolWithGate();
  await expect.poll(() => scanned(pool, () => pool.bots.get(id)?.vital() ?? null)).not.toBeNull();
  const bot = pool.bots.get(id);
  if (bot === undefined) throw new Error('The bot does not run');
  const asked: Record<'corrected' | 'closed', string[]> = { corrected: [], closed: [] };
  vi.spyOn(bot, 'correctTrades').mockImplementation((wishes) => void (asked.corrected = wishes.map(({ tradeId }) => tradeId)));
  vi.spyOn(bot, 'closeTrades').mockImplementation((ids) => void (asked.closed = [...ids]));
  const [sold, whole] = [aTradeRow(id), aTradeRow(id)];
  const order = anOrderRow(sold, { purpose: 'exit', status: 'filled' });
  await writeTrades(
    db,
    [sold, whole].map((trade) => ({ trade, orders: trade === sold ? [order] : [], fills: [] })),
  );
  for (const trade of [sold, whole]) await askToClose(db, trade.id, new Date());
  expect(await askHeldElsewhere(db, sold.id, 0.4, new Date())).toBe(true);
  await pool.scan();
  expect(asked).toEqual({ corrected: [sold.id], closed: [whole.id] });
  const [wish] = (
    await sql<{ fillId: string }>`select 'outside-' || floor(extract(epoch from held_elsewhere_at) * 1000)::bigint as fill_id
    from trades where id = ${sold.id}`.execute(db)
  ).rows;
  await writeTrades(db, [{ trade: sold, orders: [order], fills: [aFillRow(order, { exchangeFillId: wish?.fillId ?? '', amount: 0.4 })] }]);
  asked.closed = [];
  await pool.scan();
  expect(asked.closed.toSorted()).toEqual([sold.id, whole.id].toSorted());
});

test('what an account lacks of a trade reaches its bot with each scan, and that it lacks nothing any more, too', async () => {
  const id = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'bought back' });
  const { pool } = await poolWithGate();
  await expect.poll(() => scanned(pool, () => pool.bots.get(id)?.vital() ?? null)).not.toBeNull();
  const bot = pool.bots.get(id);
  if (bot === undefined) throw new Error('The bot does not run');
  const seen: { tradeId: string; missing: number }[][] = [];
  vi.spyOn(bot, 'seeMissing').mockImplementation(
    (lacking) => void seen.push(lacking.map(({ tradeId, missing }) => ({ tradeId, missing }))),
  );
  await goLive(db, id);
  const trade = aTradeRow(id, { mode: 'testnet', amount: 2 });
  await writeTrades(db, [{ trade, orders: [], fills: [] }]);
  const newest = (): unknown => seen.at(-1);
  expect(await scanned(pool, newest)).toEqual([]);
  await sql`insert into differences (bot_id, symbol, expected, actual) values (${id}, ${trade.symbol}, 2, 1.5)`.execute(db);
  expect(await scanned(pool, newest)).toEqual([{ tradeId: trade.id, missing: 0.5 }]);
  await sql`update differences set ended_at = now(), outcome = 'gone' where bot_id = ${id}`.execute(db);
  expect(await scanned(pool, newest)).toEqual([]);
  expect(pool.bots.get(id)).toBe(bot); // it was not started again
});
