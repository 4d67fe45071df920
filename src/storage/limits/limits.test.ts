import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import type { TestBot } from '../../../test/support/test-bot.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { openDatabase } from '../database.ts';
import { LimitReached, levelsOf, readLimits } from './limits.ts';
import { setLimit } from './set-limits.ts';
import type { StepWrites } from '../bots/running-bots.ts';
import { writeStep } from '../bots/running-bots.ts';
import { claimBots, renewLease } from '../bots/runners.ts';
import { aStep } from '../testing/a-step.ts';
import { anOrderRow, aTradeRow } from '../testing/trade-rows.ts';
import type { TradeMode } from '../trades/trade-mode.ts';

const { db, url } = await freshDatabase();
const runnerId = randomUUID();
await renewLease(db, { id: runnerId, host: 'test', exchanges: ['sandbox'] }, 3_600_000, true);
const now = new Date(Date.UTC(2026, 2, 1, 12));

interface Held {
  id: string;
  userId: string;
  holder: { id: string; epoch: string; runnerId: string; updatedAt: Date };
  mode: TradeMode;
}

/** A bot that a runner holds: stake 100, three slots, on the sandbox with simulated or real orders. */
async function held(mode: TradeMode = 'paper', given: Partial<TestBot> = {}): Promise<Held> {
  const id = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: randomUUID(), owner: `${randomUUID()}@example.com`, ...given });
  if (mode !== 'paper') await db.updateTable('bots').set({ mode: 'live' }).where('id', '=', id).execute();
  const claimed = (await claimBots(db, runnerId, 1000)).find((bot) => bot.id === id);
  // The runner holds bots on the sandbox alone.
  if (mode === 'live') await sql`update bots set exchange_id = 'binance' where id = ${id}`.execute(db);
  const { updatedAt, userId } = await db.selectFrom('bots').select(['updatedAt', 'userId']).where('id', '=', id).executeTakeFirstOrThrow();
  return { id, userId, holder: { id, epoch: claimed?.epoch ?? '', runnerId, updatedAt }, mode };
}

/** A step that makes one entry order of 1 at a price. */
function anEntry(
  bot: Held,
  price = 100,
  given: Parameters<typeof anOrderRow>[1] & { leverage?: number; mid?: number; stake?: number } = {},
): StepWrites {
  const { leverage = 1, mid = price, stake = 100, ...more } = given;
  const trade = aTradeRow(bot.id, { mode: bot.mode, leverage, stake });
  const order = anOrderRow(trade, { requested: 1, price, plannedAt: now, ...(bot.mode === 'paper' ? {} : { status: 'planned' }), ...more });
  return aStep({
    trades: [{ trade, orders: [order], fills: [] }],
    entersTrades: true,
    entries: [{ clientOrderId: order.clientOrderId, mid }],
    time: now,
  });
}
const enter = (bot: Held, ...entry: Parameters<typeof anEntry> extends [unknown, ...infer More] ? More : never): Promise<void> =>
  writeStep(db, bot.holder, bot.mode, anEntry(bot, ...entry));
async function close(bot: Held, profit: number, closedAt = now): Promise<void> {
  const { startingBalance } = await db.selectFrom('bots').select('startingBalance').where('id', '=', bot.id).executeTakeFirstOrThrow();
  await writeStep(db, bot.holder, bot.mode, {
    ...anEntry(bot),
    trades: [],
    entries: [],
    entersTrades: false,
    closed: [{ botId: bot.id, mode: bot.mode, startingBalance, profit, fees: '0', closedAt }],
  });
}
/** The same bot, which trades in another mode from now on. */
async function turned(bot: Held, mode: TradeMode): Promise<Held> {
  await sql`
    update bots set mode = ${mode === 'paper' ? 'paper' : 'live'}, exchange_id = ${mode === 'live' ? 'binance' : 'sandbox'}
    where id = ${bot.id}`.execute(db);
  return { ...bot, mode };
}
const emailOf = async ({ userId }: Held): Promise<string> =>
  (await db.selectFrom('users').select('email').where('id', '=', userId).executeTakeFirstOrThrow()).email;
const orders = async (bot: Held): Promise<number> =>
  (await db.selectFrom('orders').select('id').where('botId', '=', bot.id).execute()).length;
const set = (
  level: 'bot' | 'user' | 'server',
  bot: Held,
  name: Parameters<typeof limitOf>[2],
  value: number,
  currency = level !== 'bot' && ['order-value', 'position-value', 'daily-loss'].includes(name) ? 'USDT' : '',
) =>
  db
    .insertInto('limits')
    .values({
      level,
      userId: level === 'user' ? bot.userId : null,
      botId: level === 'bot' ? bot.id : null,
      name,
      currency,
      value,
      setBy: null,
    })
    .execute();
async function limitOf(bot: Held, level: 'bot' | 'user' | 'server', name: Awaited<ReturnType<typeof readLimits>>[number]['name']) {
  return (await readLimits(db, { botId: bot.id, mode: bot.mode, now, levels: levelsOf(bot.mode) })).find(
    (each) => each.level === level && each.name === name,
  );
}
const refusal = (reached: Partial<LimitReached['limit']>) =>
  expect.toSatisfy((error) => {
    expect(error).toBeInstanceOf(LimitReached);
    expect((error as LimitReached).limit).toMatchObject(reached);
    expect((error as LimitReached).gate).toBe(`limit-${(error as LimitReached).limit.name}`);
    return true;
  });

beforeEach(async () => {
  for (const table of ['limits', 'trading_states', 'fills', 'orders', 'trades', 'bots'])
    await sql`delete from ${sql.table(table)}`.execute(db);
});

describe('an entry beyond a limit of the bot is not written', () => {
  test.each([
    ['order-value', [301, {}], [300, {}], { use: '301', value: '300' }],
    ['leverage', [100, { leverage: 1.5 }], [100, {}], { use: '1.5', value: '1' }],
    ['price-collar', [100, { mid: 103 }], [100, { mid: 98.04 }], { value: '0.02' }],
  ] as const)('%s, by the default', async (name, refused, allowed, figures) => {
    const bot = await held();
    await expect(enter(bot, refused[0], refused[1])).rejects.toEqual(refusal({ level: 'bot', name, isDefault: true, ...figures }));
    expect(await orders(bot)).toBe(0);
    await enter(bot, allowed[0], allowed[1]);
    expect(await orders(bot)).toBe(1);
  });

  test.each(['buy', 'sell'] as const)('price-collar: a %s is refused above the market as it is below', async (side) => {
    const bot = await held();
    for (const mid of [97, 103])
      await expect(enter(bot, 100, { side, mid }), `at a mid price of ${mid}`).rejects.toEqual(refusal({ name: 'price-collar' }));
    expect(await orders(bot)).toBe(0);
    for (const mid of [98.04, 102.04]) await enter(bot, 100, { side, mid });
    expect(await orders(bot)).toBe(2);
  });

  test('leverage is that of the entry: an open trade from before the limit was lowered refuses none', async () => {
    const bot = await held('paper', { marketType: 'futures', leverage: 3 });
    await enter(bot, 100, { leverage: 3, status: 'filled', filled: 1, averagePrice: 100 });
    await set('bot', bot, 'leverage', 1);
    await expect(enter(bot, 100, { leverage: 1.5 })).rejects.toEqual(refusal({ name: 'leverage', use: '1.5', value: '1' }));
    await enter(bot, 100);
    expect(await orders(bot)).toBe(2);
  });

  test('position-value counts the orders of one position, filled and waiting', async () => {
    const bot = await held();
    await set('bot', bot, 'position-value', 250);
    const first = anEntry(bot, 200);
    await writeStep(db, bot.holder, 'paper', first);
    await enter(bot, 200); // another position
    const trade = first.trades[0]?.trade ?? aTradeRow(bot.id);
    const more = anOrderRow(trade, { requested: 1, price: 60, plannedAt: now });
    const adding = {
      ...first,
      trades: [{ trade, orders: [more], fills: [] }],
      entries: [{ clientOrderId: more.clientOrderId, mid: 60 }],
    };
    await expect(writeStep(db, bot.holder, 'paper', adding)).rejects.toEqual(refusal({ name: 'position-value', use: '260', value: '250' }));
  });

  test('OP-85 position-value counts what was filled of an order that was cancelled, and no more', async () => {
    const bot = await held();
    await set('bot', bot, 'position-value', 250);
    const first = anEntry(bot, 100, { requested: 2, status: 'cancelled', filled: 0.5, averagePrice: 100, stake: 50 });
    await writeStep(db, bot.holder, 'paper', first);
    const trade = first.trades[0]?.trade ?? aTradeRow(bot.id);
    const adding = (price: number): StepWrites => {
      const more = anOrderRow(trade, { requested: 1, price, plannedAt: now });
      const entries = [{ clientOrderId: more.clientOrderId, mid: price }];
      return { ...first, trades: [{ trade, orders: [more], fills: [] }], entries };
    };
    await expect(writeStep(db, bot.holder, 'paper', adding(201))).rejects.toEqual(refusal({ name: 'position-value', use: '251' }));
    await writeStep(db, bot.holder, 'paper', adding(200));
  });

  test('position-value and open-orders count an entry that is being cancelled: it may be filled first', async () => {
    const bot = await held('testnet');
    await set('bot', bot, 'position-value', 250);
    const first = anEntry(bot, 200);
    await writeStep(db, bot.holder, bot.mode, first);
    const trade = first.trades[0]?.trade ?? aTradeRow(bot.id);
    for (const status of ['sent', 'open', 'cancel-pending'] as const)
      await db.updateTable('orders').set({ status }).where('tradeId', '=', trade.id).execute();
    expect((await limitOf(bot, 'bot', 'open-orders'))?.use).toBe('1');
    const more = anOrderRow(trade, { requested: 1, price: 60, plannedAt: now, status: 'planned' });
    const adding = {
      ...first,
      trades: [{ trade, orders: [more], fills: [] }],
      entries: [{ clientOrderId: more.clientOrderId, mid: 60 }],
    };
    await expect(writeStep(db, bot.holder, bot.mode, adding)).rejects.toEqual(
      refusal({ name: 'position-value', use: '260', value: '250' }),
    );
  });

  test('position-value counts what is held: what was taken out of a trade by exits and stops is not counted again', async () => {
    const bot = await held();
    await set('bot', bot, 'position-value', 150);
    const bought = { status: 'filled', requested: 1, filled: 1, averagePrice: 100, purpose: 'entry', stake: 10 } as const; // a tenth is left
    const sold = { side: 'sell', type: 'market', status: 'filled', price: 110, averagePrice: 110 } as const;
    const first = anEntry(bot, 100, bought);
    await writeStep(db, bot.holder, 'paper', first);
    const trade = first.trades[0]?.trade ?? aTradeRow(bot.id);
    const exits = [
      anOrderRow(trade, { ...sold, purpose: 'exit', requested: 0.5, filled: 0.5, plannedAt: now }),
      anOrderRow(trade, { ...sold, purpose: 'stop', requested: 0.5, filled: 0.4, status: 'cancelled', plannedAt: now }),
      anOrderRow(trade, { ...sold, purpose: 'stop', requested: 0.1, filled: 0, status: 'open', plannedAt: now }),
    ];
    const adding = (price: number): StepWrites => {
      const more = anOrderRow(trade, { requested: 1, price, plannedAt: now });
      const entries = [{ clientOrderId: more.clientOrderId, mid: price }];
      return { ...first, trades: [{ trade, orders: [...exits, more], fills: [] }], entries };
    };
    await expect(writeStep(db, bot.holder, 'paper', adding(141))).rejects.toEqual(refusal({ name: 'position-value', use: '151' }));
    await writeStep(db, bot.holder, 'paper', adding(140));
  });

  test('position-value with leverage counts the position, and a waiting entry by what is not filled of it', async () => {
    const bot = await held();
    await set('bot', bot, 'leverage', 3);
    await set('bot', bot, 'position-value', 250);
    const first = anEntry(bot, 100, { requested: 2, filled: 0.5, averagePrice: 100, leverage: 2, stake: 25 });
    await writeStep(db, bot.holder, 'paper', first);
    const trade = first.trades[0]?.trade ?? aTradeRow(bot.id);
    const adding = (price: number): StepWrites => {
      const more = anOrderRow(trade, { requested: 1, price, plannedAt: now });
      return { ...first, trades: [{ trade, orders: [more], fills: [] }], entries: [{ clientOrderId: more.clientOrderId, mid: price }] };
    };
    await expect(writeStep(db, bot.holder, 'paper', adding(51))).rejects.toEqual(refusal({ name: 'position-value', use: '251' }));
    await writeStep(db, bot.holder, 'paper', adding(50));
  });

  test('open-orders counts what is not at its end, of exits too', async () => {
    const bot = await held();
    await set('bot', bot, 'open-orders', 2);
    await writeStep(db, bot.holder, 'paper', { ...anEntry(bot, 100, { purpose: 'exit' }), entries: [], entersTrades: false });
    await enter(bot, 100, { status: 'filled', filled: 1 });
    await enter(bot);
    await expect(enter(bot)).rejects.toEqual(refusal({ name: 'open-orders', use: '3', value: '2', isDefault: false }));
  });

  test.each([
    ['planned', []],
    ['sent', ['sent']],
    ['unknown', ['sent', 'unknown']],
    ['open', ['sent', 'open']],
  ] as const)('open-orders and position-value count an entry that is %s: it may be filled', async (_, states) => {
    const bot = await held('testnet');
    const first = anEntry(bot, 100);
    await writeStep(db, bot.holder, bot.mode, first);
    const trade = first.trades[0]?.trade ?? aTradeRow(bot.id);
    for (const status of states) await db.updateTable('orders').set({ status }).where('tradeId', '=', trade.id).execute();
    expect((await limitOf(bot, 'bot', 'open-orders'))?.use).toBe('1');
    await set('bot', bot, 'position-value', 150);
    const more = anOrderRow(trade, { requested: 1, price: 60, plannedAt: now, status: 'planned' });
    const entries = [{ clientOrderId: more.clientOrderId, mid: 60 }];
    const adding = { ...first, trades: [{ trade, orders: [more], fills: [] }], entries };
    await expect(writeStep(db, bot.holder, bot.mode, adding)).rejects.toEqual(
      refusal({ name: 'position-value', use: '160', value: '150' }),
    );
  });

  test('orders-per-minute counts all orders of the last minute', async () => {
    const bot = await held();
    await set('bot', bot, 'orders-per-minute', 2);
    const filled = { status: 'filled', filled: 1 } as const;
    await enter(bot, 100, { ...filled, plannedAt: new Date(now.getTime() - 60_001) });
    await enter(bot, 100, filled);
    await writeStep(db, bot.holder, 'paper', { ...anEntry(bot, 100, { ...filled, purpose: 'exit' }), entries: [], entersTrades: false });
    await expect(enter(bot, 100, filled)).rejects.toEqual(refusal({ name: 'orders-per-minute', use: '3', value: '2' }));
  });

  test('daily-loss: what a bot has lost today counts for its owner and the server also when it trades in another mode by now', async () => {
    const owner = `${randomUUID()}@example.com`;
    const lost = await held('testnet', { owner });
    const other = await held('testnet', { owner });
    await close(lost, -40);
    await close(lost, -7, new Date(now.getTime() - 86_400_000)); // came late, and is of the day before
    const uses = async () => [
      (await limitOf(other, 'user', 'daily-loss'))?.use,
      (await limitOf(other, 'server', 'daily-loss'))?.use,
      (await limitOf(other, 'bot', 'daily-loss'))?.use,
    ];
    expect(await uses()).toEqual(['40', '40', '0']);
    const standard = (await limitOf(other, 'user', 'daily-loss'))?.value;
    for (const mode of ['paper', 'live'] as const) {
      await turned(lost, mode);
      expect(await uses(), mode).toEqual(['40', '40', '0']);
      // Nor is its owner stopped because it left: what it could lose counts as before, for this day.
      expect((await limitOf(other, 'user', 'daily-loss'))?.value).toBe(standard);
      expect((await limitOf(other, 'user', 'drawdown'))?.use).toBe('0');
    }
    // Nor may more be lost because it has more where it trades now.
    await sql`update bots set starting_balance = 30000, stake_amount = 10000 where id = ${lost.id}`.execute(db);
    expect((await limitOf(other, 'user', 'daily-loss'))?.value).toBe(standard);
    await set('user', other, 'daily-loss', 40);
    await expect(enter(other)).rejects.toEqual(refusal({ name: 'daily-loss', use: '40', value: '40' }));
    // What was lost elsewhere is another matter.
    const real = await held('live', { owner });
    expect((await limitOf(real, 'user', 'daily-loss'))?.use).toBe('0');
    const inEuro = await held('testnet', { owner });
    await sql`update bots set stake_currency = 'EUR' where id = ${inEuro.id}`.execute(db);
    expect((await limitOf(inEuro, 'user', 'daily-loss'))?.use).toBe('0');
    const stranger = await held('testnet');
    expect((await limitOf(stranger, 'user', 'daily-loss'))?.use).toBe('0');
  });

  test('daily-loss and drawdown: what was lost on the day, and since the highest balance', async () => {
    const bot = await held();
    await set('bot', bot, 'drawdown', 0.95);
    await close(bot, -200, new Date(now.getTime() - 86_400_000));
    await close(bot, -50);
    await close(bot, 10);
    expect(await limitOf(bot, 'bot', 'daily-loss')).toMatchObject({ use: '40', value: '150', isDefault: true, isReached: false });
    expect(Number((await limitOf(bot, 'bot', 'drawdown'))?.use)).toBeCloseTo(240 / 300, 12);
    await enter(bot);
    await set('bot', bot, 'daily-loss', 40);
    await expect(enter(bot)).rejects.toEqual(refusal({ name: 'daily-loss', use: '40', value: '40' }));
    await sql`update limits set value = 0.5 where name = 'drawdown'`.execute(db);
    await sql`delete from limits where name = 'daily-loss'`.execute(db);
    await expect(enter(bot)).rejects.toEqual(refusal({ name: 'drawdown', value: '0.5' }));
  });

  test('what an order and a position may be worth by default grows with the leverage of the bot', async () => {
    const bot = await held('paper', { marketType: 'futures', leverage: 5 });
    for (const name of ['order-value', 'position-value'] as const)
      expect(await limitOf(bot, 'bot', name)).toMatchObject({ value: '1500', isDefault: true });
  });

  test('exits, and steps without an entry, are never held back', async () => {
    const bot = await held();
    for (const name of ['order-value', 'position-value', 'open-orders', 'orders-per-minute', 'leverage'] as const)
      await set('bot', bot, name, 0.000001);
    await writeStep(db, bot.holder, 'paper', { ...anEntry(bot, 100, { purpose: 'exit' }), entries: [], entersTrades: false });
    expect(await orders(bot)).toBe(1);
    await expect(enter(bot)).rejects.toThrow(LimitReached);
  });
});

describe('limits of a user and of the server', () => {
  test.each(['user', 'server'] as const)('of the %s: positions of all its bots of the same mode and currency together', async (level) => {
    const first = await held('testnet');
    const email = await emailOf(first);
    const second = await held('testnet', level === 'user' ? { owner: email } : {});
    const paper = await held('paper', { owner: email });
    const inEuro = await held('testnet', { owner: email });
    await sql`update bots set stake_currency = 'EUR' where id = ${inEuro.id}`.execute(db);
    await set(level, first, 'position-value', 250);
    await set(level, first, 'position-value', 1000, 'EUR');
    await enter(first, 150);
    await enter(inEuro, 300);
    await enter(paper, 300);
    await expect(enter(second, 101)).rejects.toEqual(refusal({ level, name: 'position-value', use: '251', value: '250' }));
    await enter(second, 100);
  });

  test('orders of a minute and open ones are counted in all currencies; another user has limits of their own', async () => {
    const first = await held('testnet');
    const email = await emailOf(first);
    const inEuro = await held('testnet', { owner: email });
    await sql`update bots set stake_currency = 'EUR' where id = ${inEuro.id}`.execute(db);
    await set('user', first, 'orders-per-minute', 1);
    await enter(first);
    await expect(enter(inEuro)).rejects.toEqual(refusal({ level: 'user', name: 'orders-per-minute', use: '2' }));
    await enter(await held('testnet'));
  });

  test('that an owner has set hold for the bots of that owner alone', async () => {
    const [strict, other] = [await held('testnet'), await held('testnet')];
    await set('user', strict, 'order-value', 50);
    await set('user', strict, 'daily-loss', 20);
    for (const bot of [strict, other]) await close(bot, -30);
    expect(await limitOf(strict, 'user', 'daily-loss')).toMatchObject({ value: '20', isDefault: false, isReached: true });
    expect(await limitOf(other, 'user', 'daily-loss')).toMatchObject({ value: '180', isDefault: true, isReached: false });
    await expect(enter(strict)).rejects.toEqual(refusal({ level: 'user', name: 'order-value', value: '50' }));
    await enter(other);
    expect([await orders(strict), await orders(other)]).toEqual([0, 1]);
  });

  test('have defaults: one and a half times the capital of their bots, and finite numbers', async () => {
    const bot = await held('live');
    const email = await emailOf(bot);
    await held('testnet', { owner: email, stakeAmount: 1000 }); // another mode
    expect(await limitOf(bot, 'user', 'position-value')).toMatchObject({ value: '450', use: '0', isDefault: true });
    expect(await limitOf(bot, 'server', 'daily-loss')).toMatchObject({ value: '180' });
    expect(await limitOf(bot, 'user', 'orders-per-minute')).toMatchObject({ value: '300' });
    expect(await limitOf(bot, 'server', 'open-orders')).toMatchObject({ value: '2000' });
    expect(await readLimits(db, { levels: ['user'], userId: bot.userId, currency: 'BTC', mode: 'live', now })).toHaveLength(8);
  });

  test('have defaults that stakes do not raise without bound, and that come down with them', async () => {
    const bot = await held('testnet');
    const stake = (amount: number, capital = amount * 3, currency = 'USDT') =>
      sql`update bots set stake_amount = ${amount}, starting_balance = ${capital}, stake_currency = ${currency} where id = ${bot.id}`.execute(
        db,
      );
    const amounts = async (name: 'position-value' | 'daily-loss') =>
      Promise.all((['bot', 'user', 'server'] as const).map(async (level) => (await limitOf(bot, level, name))?.value));
    await stake(1e9);
    expect(await amounts('position-value')).toEqual(['3000000000', '1500000', '15000000']);
    expect(await amounts('daily-loss')).toEqual(['1500000000', '600000', '6000000']);
    await stake(1e9, 3e9, 'BTC');
    expect(await amounts('daily-loss')).toEqual(['1500000000', '6', '60']);
    await stake(1e12, 3e12, 'IDR');
    expect(await amounts('daily-loss')).toEqual(['1500000000000', '6000000000', '60000000000']);
    await stake(100, 3e9); // it was set to more once
    expect(await amounts('daily-loss')).toEqual(['150', '180', '180']);
    expect(await amounts('position-value')).toEqual(['300', '450', '450']);
  });

  test('the lower of the owner’s value and the ceiling above it holds, and counts once', async () => {
    const bot = await held('testnet');
    await set('bot', bot, 'daily-loss', 40);
    await sql`insert into limits (level, bot_id, name, currency, value, is_ceiling) values ('bot', ${bot.id}, 'daily-loss', '', 30, true)`.execute(
      db,
    );
    expect(await limitOf(bot, 'bot', 'daily-loss')).toMatchObject({ value: '30', isDefault: false });
    await sql`update limits set value = 50 where is_ceiling`.execute(db);
    expect(await limitOf(bot, 'bot', 'daily-loss')).toMatchObject({ value: '40' });
    await sql`delete from limits where not is_ceiling`.execute(db);
    expect(await limitOf(bot, 'bot', 'daily-loss')).toMatchObject({ value: '50' });
    expect(await readLimits(db, { botId: bot.id, mode: 'testnet', now, levels: ['bot'] })).toHaveLength(8);
  });

  test.each(['user', 'server'] as const)('two bots that enter at once cannot both pass a limit of the %s', async (level) => {
    const first = await held('testnet');
    const email = await emailOf(first);
    const second = await held('testnet', level === 'user' ? { owner: email } : {});
    await set(level, first, 'position-value', 150);
    const other = openDatabase(url);
    onTestFinished(() => other.destroy());
    const [checked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow = other.transaction().execute(async (trx) => {
      await writeStep(trx, first.holder, 'testnet', anEntry(first, 100));
      checked.resolve();
      await release.promise;
    });
    await checked.promise;
    const late = enter(second, 100);
    const isWaiting = async () =>
      (await sql<{ waits: boolean }>`select count(*) > 0 as waits from pg_locks where locktype = 'advisory' and not granted`.execute(other))
        .rows[0]?.waits;
    const outcome = expect(late).rejects.toEqual(refusal({ level, name: 'position-value', use: '200', value: '150' }));
    await expect.poll(isWaiting).toBe(true);
    release.resolve();
    await slow;
    await outcome;
    expect([await orders(first), await orders(second)]).toEqual([1, 0]);
  });
});

test('what bots have and have lost in one currency does not count in another', async () => {
  const inDollars = await held('testnet');
  const inCoins = await held('testnet', { owner: await emailOf(inDollars) });
  await db.updateTable('bots').set({ stakeCurrency: 'BTC', startingBalance: 3, stakeAmount: 1 }).where('id', '=', inCoins.id).execute();
  await close(inDollars, -60);
  await close(inCoins, -0.5);
  for (const level of ['user', 'server'] as const)
    for (const [bot, value, loss, drawdown] of [
      [inDollars, '450', { use: '60', value: '180' }, 60 / 300],
      [inCoins, '4.5', { use: '0.5', value: '1.8' }, 0.5 / 3],
    ] as const) {
      for (const name of ['order-value', 'position-value'] as const)
        expect(await limitOf(bot, level, name), level).toMatchObject({ name, value, isDefault: true });
      expect(await limitOf(bot, level, 'daily-loss'), level).toMatchObject({ ...loss, isReached: false });
      expect(Number((await limitOf(bot, level, 'drawdown'))?.use), level).toBeCloseTo(drawdown, 12);
    }
  for (const bot of [inDollars, inCoins]) await enter(bot, 1); // neither is stopped by the loss of the other
});

test.each([
  ['paper', 'testnet'],
  ['paper', 'live'],
  ['testnet', 'live'],
  ['live', 'paper'],
] as const)('what bots have made or lost in mode %s does not count in mode %s', async (before, after) => {
  const winner = await held(before);
  const loser = await held(before, { owner: await emailOf(winner) });
  await close(winner, 500);
  await close(loser, -140);
  const [won, lost] = [await turned(winner, after), await turned(loser, after)];
  await close(won, -60);
  expect(await limitOf(lost, 'bot', 'daily-loss')).toMatchObject({ use: '0', isReached: false });
  expect(await limitOf(lost, 'bot', 'drawdown')).toMatchObject({ use: '0', isReached: false });
  for (const level of levelsOf(after)) {
    expect(await limitOf(won, level, 'daily-loss'), level).toMatchObject({ use: '60', isReached: false });
    expect(Number((await limitOf(won, level, 'drawdown'))?.use), level).toBeCloseTo(60 / 300, 12);
  }
  for (const bot of [won, lost]) await enter(bot);
});

describe.each([
  ['user', 'live'],
  ['user', 'testnet'],
  ['server', 'live'],
  ['server', 'testnet'],
] as const)('an amount of the %s that is set in one currency alone, for bots on %s,', (level, mode) => {
  let first: Held;
  const inCurrency = async (currency: string): Promise<Held> => {
    const bot = await held(mode, { owner: await emailOf(first) });
    await sql`update bots set stake_currency = ${currency} where id = ${bot.id}`.execute(db);
    return bot;
  };
  /** What an administrator imposes on the owner, or sets for the server. */
  const impose = (name: Parameters<typeof set>[2], value: string, currency: string) =>
    setLimit(
      db,
      level === 'user' ? { level, id: first.userId } : { level },
      { name, currency, value, isCeiling: level === 'user' },
      first.userId,
    );
  const valueOf = async (bot: Held, name: Parameters<typeof set>[2] = 'order-value') => (await limitOf(bot, level, name))?.value;
  beforeEach(async () => {
    first = await held(mode);
  });

  test('holds for other dollars as it is, and for other currencies for what it is roughly worth', async () => {
    await impose('order-value', '50', 'USDT');
    const inUsdc = await inCurrency('USDC');
    await expect(enter(inUsdc, 50.01)).rejects.toEqual(refusal({ level, name: 'order-value', value: '50', isDefault: false }));
    await enter(inUsdc, 50);
    const inCoins = await inCurrency('BTC');
    await expect(enter(inCoins, 0.00051)).rejects.toEqual(refusal({ level, name: 'order-value', value: '0.0005' }));
    await enter(inCoins, 0.0005);
    expect(await valueOf(inUsdc, 'daily-loss')).not.toBe('50'); // of that nothing is set
  });

  test('gives way to one in the currency of the bot; the strictest of the others holds', async () => {
    await impose('order-value', '50', 'USDT');
    await impose('order-value', '0.002', 'BTC');
    await impose('order-value', '500', 'EUR');
    expect(await valueOf(await inCurrency('BTC'))).toBe('0.002');
    expect(await valueOf(await inCurrency('USDC'))).toBe('50');
    await impose('order-value', '0.0001', 'BTC');
    expect(await valueOf(await inCurrency('USDC'))).toBe('10');
    expect(await valueOf(await inCurrency('EUR'))).toBe('500');
  });

  test.each(['order-value', 'position-value', 'daily-loss'] as const)(
    'that is imposed lets nothing be entered in a currency whose worth is not known, where a small loss stops nobody: %s',
    async (name) => {
      await impose(name, '50', 'USDT');
      const strange = await inCurrency('XYZ');
      if (level === 'user') {
        await expect(enter(strange, 1)).rejects.toEqual(refusal({ level, name, hasNoRate: true }));
        await expect(enter(strange, 1)).rejects.toThrow(/is set in other currencies/u);
        await close(strange, -0.01);
        await enter(first, 1);
        // What a loss in it stops by itself it still stops.
        await setLimit(
          db,
          { level, id: first.userId },
          { name: 'daily-loss', currency: 'XYZ', value: '20', isCeiling: false },
          first.userId,
        );
        expect(await limitOf(strange, level, 'daily-loss')).toMatchObject({ value: '20', isReached: false });
        await close(strange, -30);
        expect(await limitOf(strange, level, 'daily-loss')).toMatchObject({ isReached: true });
        await db.deleteFrom('limits').where('currency', '=', 'XYZ').execute();
        await sql`delete from trading_states`.execute(db);
        await sql`update bot_figures set day_profit = 0, realized_pnl = 0`.execute(db);
      } else {
        await enter(strange, 1);
        expect(await limitOf(strange, level, name)).toMatchObject({ isDefault: true, hasNoRate: false });
      }
      await impose(name, '70', 'XYZ');
      await enter(strange, 1);
      expect(await limitOf(strange, level, name)).toMatchObject({ value: '70', hasNoRate: false });
    },
  );

  test('counts what is held in each currency by itself', async () => {
    await impose('position-value', '50', 'USDT');
    const inUsdc = await inCurrency('USDC');
    await enter(first, 30, { stake: 30 });
    await expect(enter(inUsdc, 51, { stake: 51 })).rejects.toEqual(refusal({ level, name: 'position-value', use: '51', value: '50' }));
    await enter(inUsdc, 50, { stake: 50 });
  });

  test('never allows more than the default of another currency, nor anything there where its own worth is not known', async () => {
    const { value } = (await limitOf(first, level, 'order-value')) ?? {};
    for (const [amount, currency] of [
      ['5', 'BTC'],
      ['0.000001', 'XYZ'],
    ] as const) {
      await db.deleteFrom('limits').execute();
      await impose('order-value', amount, currency);
      const hasNoRate = level === 'user' && currency === 'XYZ'; // a ceiling is not left by another currency
      expect(await limitOf(first, level, 'order-value'), currency).toMatchObject({ value, isDefault: true, hasNoRate });
    }
    await impose('order-value', '1000000', 'USDT');
    expect(await valueOf(first)).toBe('1000000');
  });

  test('leaves bots on paper alone', async () => {
    await impose('order-value', '50', 'USDT');
    const onPaper = await held('paper', { owner: await emailOf(first) });
    await sql`update bots set stake_currency = 'USDC' where id = ${onPaper.id}`.execute(db);
    await enter(onPaper, 300);
  });
});

test('an amount that somebody has set for themselves in a currency whose worth is not known keeps no other bot from entering', async () => {
  const bot = await held('testnet');
  await set('user', bot, 'order-value', 50, 'XYZ');
  await enter(bot, 300);
  await set('user', bot, 'order-value', 70, 'USDC');
  await expect(enter(bot, 71)).rejects.toEqual(refusal({ level: 'user', name: 'order-value', value: '70' }));
});

test('the owner’s amount and the ceiling are carried each for itself: one set in another currency lifts no ceiling', async () => {
  const bot = await held('testnet');
  await setLimit(
    db,
    { level: 'user', id: bot.userId },
    { name: 'order-value', currency: 'USDC', value: '50', isCeiling: true },
    bot.userId,
  );
  await set('user', bot, 'order-value', 1000);
  expect(await limitOf(bot, 'user', 'order-value')).toMatchObject({ value: '50', ceiling: '50' });
});
