import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { untilWaiting } from '../../../test/support/lock-waits.ts';
import { patienceMs } from '../../../test/support/patience.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { openDatabase } from '../database.ts';
import { askToAdopt } from '../differences/adopted-holdings.ts';
import type { StepWrites } from '../bots/running-bots.ts';
import { listClaimedBots, readBot, writeStep } from '../bots/running-bots.ts';
import { Changed, claimBots, renewLease } from '../bots/runners.ts';
import { aStep } from '../testing/a-step.ts';
import { anOrderRow, aTradeRow } from '../testing/trade-rows.ts';
import { writeTrades } from '../trades/trade-writes.ts';
import { shareTradingLock, waitForEntries } from './trading-lock.ts';
import type { TradingTarget } from './trading-states.ts';
import { affectedBy, listSwitches, lockSwitch, readTradingState, setSwitch } from './trading-states.ts';

const { db, url } = await freshDatabase();
const runnerId = randomUUID();
await renewLease(db, { id: runnerId, host: 'test', exchanges: ['sandbox'] }, 3_600_000, true);
let botId = '';
let userId = '';
let owner = '';
let holder = { id: '', epoch: '', runnerId, updatedAt: new Date(0) };

beforeEach(async () => {
  owner = `${randomUUID()}@example.com`;
  botId = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'stepping', owner });
  const claimed = (await claimBots(db, runnerId, 100)).find(({ id }) => id === botId);
  const bot = await db.selectFrom('bots').select(['updatedAt', 'userId']).where('id', '=', botId).executeTakeFirstOrThrow();
  userId = bot.userId;
  holder = { id: botId, epoch: claimed?.epoch ?? '', runnerId, updatedAt: bot.updatedAt };
});
afterEach(async () => void (await sql`delete from trading_states`.execute(db)));

const press = (target: TradingTarget, state: 'active' | 'reducing' | 'halted', on = db): Promise<void> =>
  on.transaction().execute(async (trx) => {
    await lockSwitch(trx, target);
    await setSwitch(trx, target, { state, setBy: null, isImposed: false });
  });
const anEntry = (given: Partial<StepWrites> = {}, of = botId): StepWrites => {
  const trade = aTradeRow(of);
  return aStep({ trades: [{ trade, orders: [anOrderRow(trade)], fills: [] }], entersTrades: true, ...given });
};
const entries = async (): Promise<number> =>
  (await db.selectFrom('orders as o').innerJoin('bots as b', 'b.id', 'o.botId').select('o.id').where('b.userId', '=', userId).execute())
    .length;

test('the strictest of the switches of the bot, its owner and the server holds, and no other concerns it', async () => {
  const other = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'other', owner: 'another@example.com' });
  const itsOwner = await db.selectFrom('bots').select('userId').where('id', '=', other).executeTakeFirstOrThrow();
  await press({ level: 'bot', id: other }, 'halted');
  await press({ level: 'user', id: itsOwner.userId }, 'halted');
  expect(await readTradingState(db, botId)).toBe('active');
  await press({ level: 'user', id: userId }, 'reducing');
  expect(await readTradingState(db, botId)).toBe('reducing');
  await press({ level: 'server' }, 'halted');
  expect(await readTradingState(db, botId)).toBe('halted');
  await press({ level: 'server' }, 'active');
  await press({ level: 'user', id: userId }, 'active');
  await press({ level: 'bot', id: botId }, 'reducing');
  expect(await readTradingState(db, botId)).toBe('reducing');
  expect((await readBot(db, botId))?.tradingState).toBe('reducing');
  expect((await listClaimedBots(db, runnerId)).find(({ id }) => id === botId)?.tradingState).toBe('reducing');
});

test.each(['server', 'user', 'bot'] as const)('OP-27 a step that enters a trade is not written when the %s is stopped', async (level) => {
  await writeStep(db, holder, 'paper', anEntry());
  await press(level === 'server' ? { level } : { level, id: level === 'user' ? userId : botId }, 'reducing');
  await expect(writeStep(db, holder, 'paper', anEntry())).rejects.toThrow(Changed);
  expect(await entries()).toBe(1);
  // Stops and exits are.
  await writeStep(db, holder, 'paper', anEntry({ entersTrades: false, trades: [], consecutiveLosses: 3 }));
  const { consecutiveLosses } = await db.selectFrom('bots').select('consecutiveLosses').where('id', '=', botId).executeTakeFirstOrThrow();
  expect(consecutiveLosses).toBe(3);
});

test('OP-27 a stop is not confirmed while an entry that does not know it may still be committed', async () => {
  const other = openDatabase(url);
  onTestFinished(() => other.destroy());
  const entry = anEntry();
  const row = entry.trades[0]?.trade;
  const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  // Somebody else's uncommitted row of the same trade holds the step between its check and its end.
  const holding = other.transaction().execute(async (trx) => {
    await trx
      .insertInto('trades')
      .values({ ...aTradeRow(botId), id: row?.id ?? '' })
      .execute();
    held.resolve();
    await release.promise;
    throw new Error('rolled back');
  });
  await held.promise;
  const step = writeStep(db, holder, 'paper', entry);
  await untilWaiting(other, 1);
  await press({ level: 'server' }, 'halted');
  let isConfirmed = false;
  const confirmed = waitForEntries(db, patienceMs).then(() => (isConfirmed = true)); // the step is not ended meanwhile
  await untilWaiting(other, 2); // the step, and the stop
  expect(isConfirmed).toBe(false);
  release.resolve();
  await expect(holding).rejects.toThrow('rolled back');
  await step;
  await confirmed;
  expect(await entries()).toBe(1);
  await expect(writeStep(db, holder, 'paper', anEntry())).rejects.toThrow(Changed);
});

test('OP-27 a frozen runner in the middle of an entry does not keep a stop from being confirmed, and its entry is rolled back', async () => {
  const frozen = openDatabase(url, { connections: 1 });
  onTestFinished(() => frozen.destroy());
  const held = Promise.withResolvers<void>();
  const thawed = Promise.withResolvers<void>();
  const trade = aTradeRow(botId);
  const entering = frozen.transaction().execute(async (trx) => {
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(trx);
    await shareTradingLock(trx);
    expect(await readTradingState(trx, botId)).toBe('active');
    await trx.insertInto('trades').values(trade).execute();
    held.resolve();
    await thawed.promise;
    await trx.insertInto('orders').values(anOrderRow(trade)).execute();
  });
  const ended = expect(entering).rejects.toThrow();
  await held.promise;
  await press({ level: 'bot', id: botId }, 'reducing');
  await waitForEntries(db);
  thawed.resolve();
  await ended;
  expect(await entries()).toBe(0);
  expect(await db.selectFrom('trades').select('id').where('botId', '=', botId).execute()).toEqual([]);
});

test('OP-27 steps and stops at random moments: no entry is committed after the answer', async () => {
  const over = new AbortController();
  let written = 0;
  const bots = [holder];
  for (let i = 0; i < 2; i++) {
    const id = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: `beside ${i}`, owner });
    const claimed = (await claimBots(db, runnerId, 100)).find((each) => each.id === id);
    const { updatedAt } = await db.selectFrom('bots').select('updatedAt').where('id', '=', id).executeTakeFirstOrThrow();
    bots.push({ id, epoch: claimed?.epoch ?? '', runnerId, updatedAt });
  }
  const trading = bots.map(async (bot) => {
    while (!over.signal.aborted)
      await writeStep(db, bot, 'paper', anEntry({}, bot.id)).then(
        () => (written += 1),
        // On a machine that is busy enough a step may be ended.
        (error: unknown) => expect(error instanceof Changed || /terminat/u.test(String(error)), String(error)).toBe(true),
      );
  });
  const deadline = Date.now() + patienceMs;
  const isTooFew = () => written <= 100 && Date.now() < deadline;
  for (let i = 0; i < 200 || isTooFew(); i++) {
    await press({ level: 'user', id: userId }, 'halted');
    await waitForEntries(db);
    const atAnswer = await entries();
    await new Promise((resolve) => setTimeout(resolve, i % 7));
    expect(await entries()).toBe(atAnswer);
    await press({ level: 'user', id: userId }, 'active');
    await new Promise((resolve) => setTimeout(resolve, i % 5));
  }
  over.abort();
  await Promise.all(trading);
  expect(written).toBeGreaterThan(100);
});

test('of two who set a switch for the first time at once, the second sees what the first has set', async () => {
  const target: TradingTarget = { level: 'user', id: userId };
  let second: Promise<unknown> = Promise.resolve();
  await db.transaction().execute(async (trx) => {
    expect(await lockSwitch(trx, target)).toBeUndefined();
    second = db.transaction().execute((other) => lockSwitch(other, target));
    await setSwitch(trx, target, { state: 'halted', setBy: null, isImposed: false });
    await untilWaiting(db, 1);
  });
  expect(await second).toMatchObject({ state: 'halted' });
  expect(await listSwitches(db, userId)).toHaveLength(1);
});

test('what a switch is about: its bots, their open trades, their owners', async () => {
  await writeStep(db, holder, 'paper', anEntry());
  const { email } = await db.selectFrom('users').select('email').where('id', '=', userId).executeTakeFirstOrThrow();
  const all = { bots: 1, openTrades: 1, owners: [{ id: userId, email }] };
  expect(await affectedBy(db, { level: 'bot', id: botId })).toEqual(all);
  expect(await affectedBy(db, { level: 'user', id: userId })).toEqual(all);
  expect((await affectedBy(db, { level: 'server' })).bots).toBeGreaterThan(1);
  // An archived one is about to do nothing, but what it holds is closed.
  const archived = await addTestBot(db, { strategy: 'BuyAndHold', owner: email, nickname: 'put away' });
  await sql`update bots set status = 'stopped', archived_at = now() where id = ${archived}`.execute(db);
  expect(await affectedBy(db, { level: 'user', id: userId })).toEqual(all);
  await writeTrades(db, [{ trade: aTradeRow(archived, { mode: 'live' }), orders: [], fills: [] }]);
  expect(await affectedBy(db, { level: 'user', id: userId })).toEqual({ ...all, bots: 2, openTrades: 2 });
});

test('a bot that is to take over a holding makes no entries until it has, whoever lets it continue', async () => {
  const holding = { direction: 'long', amount: 1, price: 100, fee: 0 } as const;
  const ask = (now: Date) => askToAdopt(db, { botId, symbol: 'BTC/USDT' }, holding, { closes: false, now });
  expect(await ask(new Date())).toBe(true);
  await press({ level: 'bot', id: botId }, 'active');
  expect(await readTradingState(db, botId)).toBe('reducing');
  await press({ level: 'bot', id: botId }, 'halted');
  expect(await readTradingState(db, botId)).toBe('halted');
  await press({ level: 'bot', id: botId }, 'active');
  await sql`update adopted_holdings set done_at = now() where bot_id = ${botId}`.execute(db);
  expect(await readTradingState(db, botId)).toBe('active');
  // After a day a person has to decide again.
  await ask(new Date(Date.now() - 25 * 3_600_000));
  expect(await readTradingState(db, botId)).toBe('active');
});

test('OP-27 a stop is confirmed a second after the last entry was too late: so far may be off what is known of the clock of an exchange', async () => {
  const trade = aTradeRow(botId);
  const order = anOrderRow(trade, { purpose: 'entry', status: 'sent' });
  await writeTrades(db, [{ trade, orders: [order], fills: [] }]);
  await sql`update orders set expires_at = clock_timestamp() + interval '100 ms' where bot_id = ${botId}`.execute(db);
  await waitForEntries(db);
  const { rows } = await sql`
    select clock_timestamp() - expires_at >= interval '1 second' as is_too_late from orders where bot_id = ${botId}`.execute(db);
  expect(rows).toEqual([{ isTooLate: true }]);
});
