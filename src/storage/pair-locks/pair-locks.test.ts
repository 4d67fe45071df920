import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { patienceMs } from '../../../test/support/patience.ts';
import { twoConnections } from '../../../test/support/two-connections.ts';
import { writeStep, writeStepsTogether } from '../bots/running-bots.ts';
import { renewLease } from '../bots/runners.ts';
import { markSent } from '../orders/order-outbox.ts';
import { anEntryStep } from '../testing/an-entry-step.ts';
import type { TradingTarget } from '../trading/trading-states.ts';
import { waitForEntries } from '../trading/trading-lock.ts';
import { addPairLock, endPairLock, findPairLock, locksOfBot, PairLocked } from './pair-locks.ts';

const { db } = await freshDatabase();
const { meets } = twoConnections(db);
const runnerId = randomUUID();
await renewLease(db, { id: runnerId, host: 'test', exchanges: ['sandbox'] }, 3_600_000, true);
const aStep = async (owner?: string) => {
  const made = await anEntryStep(db, runnerId, new Date(), owner);
  const trades = made.writes.trades.map((rows) => ({ ...rows, trade: { ...rows.trade, symbol: 'BTC/USDT' } }));
  return { ...made, writes: { ...made.writes, trades } };
};
const ownerOf = async (botId: string) =>
  (await db.selectFrom('bots').select('userId').where('id', '=', botId).executeTakeFirstOrThrow()).userId;
const lock = async (target: TradingTarget, by: string, given: Partial<Parameters<typeof addPairLock>[2]> = {}) =>
  (await addPairLock(
    db,
    target,
    { pair: 'BTC/USDT', direction: null, reason: 'too wild', endsAt: null, isImposed: false, ...given },
    by,
  )) ?? '';
const tradesOf = async (botId: string) => (await db.selectFrom('trades').select('id').where('botId', '=', botId).execute()).length;

beforeEach(async () => {
  for (const table of ['pair_locks', 'decisions', 'fills', 'orders', 'trades', 'bots'])
    await sql`delete from ${sql.table(table)}`.execute(db);
});

describe('a locked pair', () => {
  test.each([
    ['of the bot', async (botId: string): Promise<TradingTarget> => ({ level: 'bot', id: botId })],
    ['of all bots of its owner', async (botId: string): Promise<TradingTarget> => ({ level: 'user', id: await ownerOf(botId) })],
    ['of the server', async (): Promise<TradingTarget> => ({ level: 'server' })],
  ])('%s is not entered: nothing of the step is written, until it is unlocked', async (_, targetOf) => {
    const { holder, mode, writes } = await aStep();
    const id = await lock(await targetOf(holder.id), await ownerOf(holder.id));
    const failure = await writeStep(db, holder, mode, writes).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(PairLocked);
    expect(failure).toMatchObject({ gate: 'pair-locked' });
    expect(await tradesOf(holder.id)).toBe(0);
    expect((await locksOfBot(db, holder.id)).map((each) => each.id)).toEqual([id]);
    await endPairLock(db, id);
    await writeStep(db, holder, mode, writes);
    expect(await tradesOf(holder.id)).toBe(1);
  });

  test.each([
    ['another pair', { pair: 'BTC/USDC' }],
    ['another coin', { pair: 'ETH' }],
    ['the other direction', { direction: 'short' as const }],
    ['a time that is over', { endsAt: new Date(Date.now() - 1_000) }],
  ])('is another matter where it is of %s', async (_, given) => {
    const { holder, mode, writes } = await aStep();
    await lock({ level: 'bot', id: holder.id }, await ownerOf(holder.id), given);
    await writeStep(db, holder, mode, writes);
    expect(await tradesOf(holder.id)).toBe(1);
  });

  test.each([
    ['the coin', { pair: 'BTC' }],
    ['this direction', { direction: 'long' as const }],
    ['a time to come', { endsAt: new Date(Date.now() + 60_000) }],
  ])('is not entered where it is of %s', async (_, given) => {
    const { holder, mode, writes } = await aStep();
    await lock({ level: 'bot', id: holder.id }, await ownerOf(holder.id), given);
    await expect(writeStep(db, holder, mode, writes)).rejects.toThrow(PairLocked);
  });

  test('of another bot, or of the bots of another person, concerns nobody else; steps of both at once: one is refused', async () => {
    const [mine, other] = [await aStep('mine@example.com'), await aStep('other@example.com')];
    await lock({ level: 'user', id: await ownerOf(mine.holder.id) }, await ownerOf(mine.holder.id));
    const written = await writeStepsTogether(db, [mine, other]).catch(() => new Set());
    // Together none is written then; each is tried alone.
    expect(written.has(mine)).toBe(false);
    await expect(writeStep(db, mine.holder, mine.mode, mine.writes)).rejects.toThrow(PairLocked);
    await writeStep(db, other.holder, other.mode, other.writes);
    expect(await locksOfBot(db, other.holder.id)).toEqual([]);
  });

  test('has no entry sent that was decided before', async () => {
    const { holder, mode, writes } = await aStep();
    await writeStep(db, holder, mode, writes);
    await lock({ level: 'bot', id: holder.id }, await ownerOf(holder.id));
    const clientOrderId = writes.entries?.[0]?.clientOrderId ?? '';
    expect(await markSent(db, { holder, clientOrderId, isEntry: true, expiryMs: 2_000 })).toEqual({ kind: 'forbidden' });
    await sql`delete from pair_locks`.execute(db);
    expect(await markSent(db, { holder, clientOrderId, isEntry: true, expiryMs: 2_000 })).toMatchObject({ kind: 'sent' });
  });

  test('whoever has locked it waits until an entry that was under way is committed: none comes later', async () => {
    const { holder, mode, writes } = await aStep();
    const by = await ownerOf(holder.id);
    const second = await meets(
      (trx) => writeStep(trx, holder, mode, writes),
      async () => {
        await lock({ level: 'bot', id: holder.id }, by);
        await waitForEntries(db, patienceMs); // whoever holds it up is not ended meanwhile
        return tradesOf(holder.id);
      },
    );
    expect(second).toEqual({ hasWaited: true, value: 1 });
  });

  test("is locked once; one that is over is in nobody's way", async () => {
    const { holder } = await aStep();
    const by = await ownerOf(holder.id);
    const target = { level: 'bot', id: holder.id } as const;
    const ids = await Promise.all([lock(target, by), lock(target, by)]);
    expect(ids.filter((id) => id !== '')).toHaveLength(1);
    expect(await lock(target, by, { direction: 'long' })).not.toBe('');
    await sql`update pair_locks set ends_at = now() - interval '1 second'`.execute(db);
    expect(await findPairLock(db, ids.find((id) => id !== '') ?? '')).toBeNull();
    expect(await lock(target, by)).not.toBe('');
  });
});
