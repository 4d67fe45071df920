import { sql } from 'kysely';
import type { Database } from './database.ts';

/** Whether any runner holds a lease now. */
export async function hasLiveRunner(db: Database): Promise<boolean> {
  const row = await db
    .selectFrom('runners')
    .select('id')
    .where('expiresAt', '>', sql<Date>`now()`)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Takes or renews a runner's lease for `leaseMs`, by the database's clock. False: it had run out, all its bots may be another's. */
export async function renewLease(db: Database, runner: { id: string; host: string }, leaseMs: number, isFirst: boolean): Promise<boolean> {
  const until = sql<Date>`now() + ${leaseMs} * interval '1 ms'`;
  if (isFirst) {
    await db
      .insertInto('runners')
      .values({ ...runner, expiresAt: until })
      .execute();
    return true;
  }
  const renewed = await db
    .updateTable('runners')
    .set({ expiresAt: until })
    .where('id', '=', runner.id)
    .where('expiresAt', '>', sql<Date>`now()`)
    .executeTakeFirst();
  return renewed.numUpdatedRows === 1n;
}

/** Gives up a lease; the bots are free for others at once. */
export async function endLease(db: Database, runnerId: string): Promise<void> {
  await db.deleteFrom('runners').where('id', '=', runnerId).execute();
}

/**
 * Claims bots that no living runner holds, at most `limit`, and gives them a new epoch. Two runners that claim at once
 * never get the same bot.
 */
export async function claimBots(db: Database, runnerId: string, limit: number): Promise<{ id: string; epoch: string }[]> {
  const { rows } = await sql<{ id: string; epoch: string }>`
    update bots set runner_id = ${runnerId}, epoch = epoch + 1
    where id in (
      select b.id from bots b
      where not exists (select 1 from runners r where r.id = b.runner_id and r.expires_at > now())
      order by b.id limit ${limit} for update skip locked)
    returning id, epoch`.execute(db);
  return rows;
}

/** Runners whose lease ran out long ago are forgotten. */
export async function forgetDeadRunners(db: Database): Promise<void> {
  await db
    .deleteFrom('runners')
    .where('expiresAt', '<', sql<Date>`now() - interval '1 hour'`)
    .execute();
}

/** A write refused because the bot is another runner's now. */
export class Fenced extends Error {
  constructor(botId: string) {
    super(`Bot ${botId} is run by another runner now`);
    this.name = 'Fenced';
  }
}

/** A write refused because people have changed the bot since it was read: what was decided is no longer what they want. */
export class Changed extends Error {
  constructor(botId: string) {
    super(`Bot ${botId} has been changed`);
    this.name = 'Changed';
  }
}

/**
 * Makes sure, inside a transaction, that the bot is still this runner's in this epoch, that the lease holds, and that
 * the bot is as it was read (`updatedAt`); the bot's row stays locked until the transaction ends.
 *
 * Fails: `Fenced`, `Changed`
 */
export async function fence(trx: Database, bot: { id: string; epoch: string; runnerId: string; updatedAt: Date }): Promise<void> {
  const { rows } = await sql<{ updatedAt: Date }>`
    select b.updated_at from bots b join runners r on r.id = b.runner_id
    where b.id = ${bot.id} and b.epoch = ${bot.epoch} and r.id = ${bot.runnerId} and r.expires_at > now()
    for update of b`.execute(trx);
  const [row] = rows;
  if (row === undefined) throw new Fenced(bot.id);
  if (row.updatedAt.getTime() !== bot.updatedAt.getTime()) throw new Changed(bot.id);
}

/** Ends the leases of runners of this place whose process is gone; `host` of a runner is its place and its process id. */
export async function freeDeadRunners(db: Database, place: string, isRunning: (pid: number) => boolean): Promise<void> {
  const rows = await db.selectFrom('runners').select(['id', 'host']).execute();
  for (const { id, host } of rows) {
    if (!host.startsWith(`${place} `)) continue;
    const pid = Number(host.slice(place.length + 1));
    if (Number.isInteger(pid) && !isRunning(pid)) await endLease(db, id);
  }
}
