import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { twoConnections } from '../../../test/support/two-connections.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { botSettingsOf, changeBotSettings } from '../bots/bot-settings.ts';
import { findBot, lockBot, setBotMode } from '../bots/bots.ts';
import { writeStep } from '../bots/running-bots.ts';
import { Changed, renewLease } from '../bots/runners.ts';
import { anEntryStep } from '../testing/an-entry-step.ts';
import { aTradeRow } from '../testing/trade-rows.ts';
import type { NewManualAction } from './manual-actions.ts';
import { actionsToDo, askByHand, endActions, listManualActions } from './manual-actions.ts';
import { writeTrades } from './trade-writes.ts';

const { db } = await freshDatabase();
const { meets } = twoConnections(db);
const runnerId = randomUUID();
await renewLease(db, { id: runnerId, host: 'test', exchanges: ['sandbox'] }, 3_600_000, true);
const botId = await addTestBot(db, { strategy: 'AlwaysFlat' });
await sql`update bots set runner_id = ${runnerId} where id = ${botId}`.execute(db);
const { userId } = await db.selectFrom('bots').select('userId').where('id', '=', botId).executeTakeFirstOrThrow();

beforeEach(async () => {
  await sql`truncate manual_actions, trades cascade`.execute(db);
});

const entry = (symbol = 'BTC/USDT'): NewManualAction => ({
  botId,
  mode: 'paper',
  symbol,
  askedBy: userId,
  kind: 'enter',
  direction: 'long',
  stake: 12.5,
  stopPrice: null,
});
const rowOf = async (id: string | null) => (await listManualActions(db, { botId })).find((row) => row.id === id);
const age = (seconds: number) =>
  sql`update manual_actions set asked_at = asked_at - ${seconds} * interval '1 second', expires_at = expires_at - ${seconds} * interval '1 second'`.execute(
    db,
  );

describe('what a person asks for by hand', () => {
  test('is handed to the runner of the bot until it has ended, with how long it may take', async () => {
    const id = await askByHand(db, entry());
    const [waiting, ...rest] = await actionsToDo(db, runnerId);
    expect(rest).toEqual([]);
    expect(waiting).toMatchObject({
      id,
      botId,
      kind: 'enter',
      symbol: 'BTC/USDT',
      direction: 'long',
      stake: 12.5,
      stopPrice: null,
      tradeId: null,
    });
    expect(waiting?.leftMs).toBeGreaterThan(20_000);
    expect(await actionsToDo(db, randomUUID())).toEqual([]);
    expect(await endActions(db, [{ id: id ?? '', refusal: 'slots-full', tradeId: null, clientOrderId: null }])).toEqual([]);
    expect(await actionsToDo(db, runnerId)).toEqual([]);
    expect(await rowOf(id)).toMatchObject({ state: 'refused', refusal: 'slots-full' });
  });

  test('waits alone for its pair: two at once are one, another pair is another matter', async () => {
    const at = () => db.transaction().execute((trx) => askByHand(trx, entry()));
    const ids = await Promise.all([at(), at(), at()]);
    expect(ids.filter((id) => id !== null)).toHaveLength(1);
    expect(await askByHand(db, entry('ETH/USDT'))).not.toBeNull();
    expect(await askByHand(db, entry())).toBeNull();
  });

  test('that another connection is asking for is waited for, and is then in the way', async () => {
    const second = await meets(
      async (trx) => {
        expect(await askByHand(trx, entry())).not.toBeNull();
      },
      () => db.transaction().execute((trx) => askByHand(trx, entry())),
    );
    expect(second).toEqual({ hasWaited: true, value: null });
  });

  test('is too late after half a minute: it is handed to nobody, says so, and keeps nobody from asking again', async () => {
    const id = await askByHand(db, entry());
    await age(31);
    expect(await actionsToDo(db, runnerId)).toEqual([]);
    expect(await rowOf(id)).toMatchObject({ state: 'waiting' }); // a step may be about to write it
    await age(10);
    expect(await rowOf(id)).toMatchObject({ state: 'refused', refusal: 'too-late' });
    expect(await askByHand(db, entry())).not.toBeNull();
    expect(await rowOf(id)).toMatchObject({ state: 'refused', refusal: 'too-late' });
  });

  test('in another mode than the bot has now is not done', async () => {
    await askByHand(db, { ...entry(), mode: 'testnet' });
    expect(await actionsToDo(db, runnerId)).toEqual([]);
  });

  test('an entry that waits is not done with other settings or in another mode; what was asked of a trade is', async () => {
    const bot = async () => {
      const found = await findBot(db, botId);
      if (found === null) throw new Error('no bot');
      return found;
    };
    const change = (stakeAmount: string) =>
      db.transaction().execute(async (trx) => {
        await lockBot(trx, botId);
        const before = await bot();
        await changeBotSettings(trx, before, { ...botSettingsOf(before), stakeAmount }, userId, new Date());
      });
    const trade = aTradeRow(botId, { symbol: 'SOL/USDT' });
    await writeTrades(db, [{ trade, orders: [], fills: [] }]);
    const ofTrade = { botId, mode: 'paper', symbol: trade.symbol, askedBy: userId, tradeId: trade.id } as const;
    const moved = await askByHand(db, { ...ofTrade, kind: 'move-stop', stopPrice: 5 });
    const other = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'other', owner: 'other@example.com' });
    const ofOther = await askByHand(db, { ...entry(), botId: other });
    const tooLate = await askByHand(db, entry('DOT/USDT'));
    await age(41);
    await sql`update manual_actions set expires_at = now() + interval '30 seconds' where id = any(${[moved, ofOther]})`.execute(db);
    await change('15'); // before anybody has noticed that one is too late
    const [id, second] = [await askByHand(db, entry()), await askByHand(db, entry('ETH/USDT'))];
    await change('20');
    for (const each of [id, second])
      expect(await rowOf(each)).toMatchObject({ state: 'refused', refusal: 'settings-changed', endedAt: expect.any(Date) as Date });
    expect(await rowOf(tooLate)).toMatchObject({ refusal: 'too-late' });
    expect(await rowOf(moved)).toMatchObject({ state: 'waiting' });
    expect(await listManualActions(db, { botId: other })).toMatchObject([{ id: ofOther, state: 'waiting' }]);
    expect((await actionsToDo(db, runnerId)).map((each) => each.id)).toEqual([moved]);
    await sql`delete from trades`.execute(db);
    const third = await askByHand(db, entry());
    expect(await setBotMode(db, botId, 'live')).toBe(true);
    expect(await setBotMode(db, botId, 'paper')).toBe(true);
    expect(await rowOf(third)).toMatchObject({ state: 'refused', refusal: 'settings-changed' });
  });

  test('of one trade is listed with it, by name of the person, newest first', async () => {
    const trade = aTradeRow(botId, {});
    await writeTrades(db, [{ trade, orders: [], fills: [] }]);
    const asked = { botId, mode: 'paper', symbol: trade.symbol, askedBy: userId, tradeId: trade.id } as const;
    const first = (await askByHand(db, { ...asked, kind: 'take-out', share: 0.25 })) ?? '';
    await endActions(db, [{ id: first, refusal: null, tradeId: trade.id, clientOrderId: 'fl-1' }]);
    await askByHand(db, { ...asked, kind: 'move-stop', stopPrice: 0.000000000000000123 });
    await askByHand(db, entry('ETH/USDT'));
    const name = (await db.selectFrom('users').select('displayName').where('id', '=', userId).executeTakeFirst())?.displayName;
    expect(await listManualActions(db, { tradeId: trade.id })).toMatchObject([
      { kind: 'move-stop', stopPrice: '0.000000000000000123', state: 'waiting', askedBy: name },
      { kind: 'take-out', share: '0.25', state: 'done', clientOrderId: 'fl-1', endedAt: expect.any(Date) as Date },
    ]);
  });
});

describe('a step that has done what a person wanted', () => {
  const step = () => anEntryStep(db, runnerId, new Date(), 'byhand@example.com');
  const asked = async (of: string) => (await askByHand(db, { ...entry(), botId: of })) ?? '';
  const trades = async (of: string) => (await db.selectFrom('trades').select('id').where('botId', '=', of).execute()).length;

  test('is written with it, once: the same again is not committed', async () => {
    const { holder, mode, writes } = await step();
    const id = await asked(holder.id);
    const done = { id, refusal: null, tradeId: writes.trades[0]?.trade.id ?? null, clientOrderId: 'fl-1' };
    await writeStep(db, holder, mode, { ...writes, endedActions: [done] });
    expect(await rowOfBot(holder.id)).toMatchObject([{ state: 'done', tradeId: done.tradeId, clientOrderId: 'fl-1' }]);
    await expect(writeStep(db, holder, mode, { ...writes, endedActions: [done] })).rejects.toThrow(Changed);
  });

  test('is not committed when it was too late meanwhile', async () => {
    const { holder, mode, writes } = await step();
    const id = await asked(holder.id);
    await age(41);
    await sql`update manual_actions set state = 'refused', refusal = 'too-late', ended_at = now()`.execute(db);
    const done = { id, refusal: null, tradeId: writes.trades[0]?.trade.id ?? null, clientOrderId: 'fl-1' };
    await expect(writeStep(db, holder, mode, { ...writes, endedActions: [done] })).rejects.toThrow(Changed);
    expect(await trades(holder.id)).toBe(0);
  });

  test('is not committed when the settings were changed after the runner had read what to do', async () => {
    const { holder, mode, writes } = await step();
    const id = await asked(holder.id);
    const before = await findBot(db, holder.id);
    if (before === null) throw new Error('no bot');
    await db.transaction().execute(async (trx) => {
      await lockBot(trx, holder.id);
      await changeBotSettings(trx, before, { ...botSettingsOf(before), stakeAmount: '200' }, userId, new Date());
    });
    const { updatedAt } = await db.selectFrom('bots').select('updatedAt').where('id', '=', holder.id).executeTakeFirstOrThrow();
    const done = { id, refusal: null, tradeId: writes.trades[0]?.trade.id ?? null, clientOrderId: 'fl-1' };
    // Also not by the bot as it was read again, to which it was handed late.
    for (const now of [holder, { ...holder, updatedAt }])
      await expect(writeStep(db, now, mode, { ...writes, endedActions: [done] })).rejects.toThrow(Changed);
    expect(await trades(holder.id)).toBe(0);
    expect(await rowOfBot(holder.id)).toMatchObject([{ state: 'refused', refusal: 'settings-changed', tradeId: null }]);
  });

  test('that has refused it is written although it has ended already', async () => {
    const { holder, mode, writes } = await step();
    const id = await asked(holder.id);
    await sql`update manual_actions set state = 'refused', refusal = 'too-late', ended_at = now()`.execute(db);
    await writeStep(db, holder, mode, { ...writes, endedActions: [{ id, refusal: 'slots-full', tradeId: null, clientOrderId: null }] });
    expect(await rowOfBot(holder.id)).toMatchObject([{ refusal: 'too-late' }]);
    expect(await trades(holder.id)).toBe(1);
  });

  const rowOfBot = (of: string) => listManualActions(db, { botId: of });
});
