import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { twoConnections } from '../../../test/support/two-connections.ts';
import { archiveBot, deleteBot } from '../bots/archive.ts';
import { findBot, lockBot, setBotStatus } from '../bots/bots.ts';
import { writeStep } from '../bots/running-bots.ts';
import { Fenced, renewLease } from '../bots/runners.ts';
import type { Database } from '../database.ts';
import { anEntryStep } from '../testing/an-entry-step.ts';

// Bots that are archived and deleted by one connection while another activates them or writes their trades.

const { db } = await freshDatabase();
const { meets } = twoConnections(db);
const now = new Date();
let runnerId = '';

beforeEach(async () => {
  await sql`truncate trades cascade`.execute(db);
  await sql`delete from bots`.execute(db);
  runnerId = randomUUID();
  await renewLease(db, { id: runnerId, host: runnerId, exchanges: ['sandbox'] }, 3_600_000, true);
});

const locked = <T>(id: string, work: (trx: Database) => Promise<T>): Promise<T> =>
  db.transaction().execute(async (trx) => {
    await lockBot(trx, id);
    return work(trx);
  });
const aBot = (): Promise<string> => addTestBot(db, { strategy: 'AlwaysFlat', nickname: randomUUID(), status: 'stopped' });

describe('archiving', () => {
  test('waits for an activation under way, and refuses the bot that is active then', async () => {
    const id = await aBot();
    const activating = async (trx: Database): Promise<void> => {
      await lockBot(trx, id);
      await setBotStatus(trx, id, 'active');
    };
    const outcome = await meets(activating, () => locked(id, (trx) => archiveBot(trx, id, now)));
    expect(outcome).toEqual({ hasWaited: true, value: 'not-stopped' });
    expect(await findBot(db, id)).toMatchObject({ status: 'active', archivedAt: null });
  });

  test('is seen by an activation that has waited for it; one that does not look is refused by the database', async () => {
    const id = await aBot();
    const archiving = async (trx: Database): Promise<void> => {
      await lockBot(trx, id);
      expect(await archiveBot(trx, id, now)).toBeNull();
    };
    const seen = await meets(archiving, () => locked(id, async (trx) => (await findBot(trx, id))?.archivedAt));
    expect(seen).toEqual({ hasWaited: true, value: now });
    await expect(setBotStatus(db, id, 'active')).rejects.toThrow('bots_archived_stopped');
  });

  test('waits for a step that enters, and refuses the bot that holds a trade then', async () => {
    const { holder, mode, writes } = await anEntryStep(db, runnerId, now);
    const id = holder.id;
    const outcome = await meets(
      (trx) => writeStep(trx, holder, mode, writes),
      () =>
        locked(id, async (trx) => {
          await setBotStatus(trx, id, 'stopped');
          return archiveBot(trx, id, now);
        }),
    );
    expect(outcome).toEqual({ hasWaited: true, value: 'open-trades' });
  });
});

describe('deleting', () => {
  test('waits for the step that writes the first trade, and refuses the bot then', async () => {
    const { holder, mode, writes } = await anEntryStep(db, runnerId, now);
    const outcome = await meets(
      (trx) => writeStep(trx, holder, mode, writes),
      () => locked(holder.id, (trx) => deleteBot(trx, holder.id)),
    );
    expect(outcome).toEqual({ hasWaited: true, value: false });
    expect(await findBot(db, holder.id)).not.toBeNull();
  });

  test('is waited for by a step that would write the first trade, which is refused then', async () => {
    const { holder, mode, writes } = await anEntryStep(db, runnerId, now);
    const deleting = async (trx: Database): Promise<void> => {
      await lockBot(trx, holder.id);
      expect(await deleteBot(trx, holder.id)).toBe(true);
    };
    const outcome = await meets(deleting, () => writeStep(db, holder, mode, writes));
    expect(outcome).toEqual({ hasWaited: true, error: expect.any(Fenced) as Fenced });
    const { rows } = await sql`select id from trades where bot_id = ${holder.id}`.execute(db);
    expect(rows).toEqual([]);
  });
});
