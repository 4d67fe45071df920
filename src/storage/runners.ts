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

/** A process that runs bots: who it is, for people, and the exchanges whose bots it can run. */
export interface RunnerFacts {
  id: string;
  host: string;
  exchanges: readonly string[];
}

/** Takes or renews a runner's lease for `leaseMs`, by the database's clock. False: it had run out, all its bots may be another's. */
export async function renewLease(db: Database, runner: RunnerFacts, leaseMs: number, isFirst: boolean): Promise<boolean> {
  const until = sql<Date>`now() + ${leaseMs} * interval '1 ms'`;
  if (isFirst) {
    await db
      .insertInto('runners')
      .values({ ...runner, exchanges: [...runner.exchanges], expiresAt: until })
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

/** Held by the one who claims: two claims at once would both count what is free before either has taken it. */
const claimLock = 7_364_001;

/**
 * Claims bots that no living runner holds, at most `limit`, and gives them a new epoch.
 *
 * A runner takes bots of the exchanges it can reach, up to its fair share: of each exchange the bots divided by the
 * living runners that can reach it, rounded up. A bot that another runner has given up as one it cannot run is claimed
 * beyond the share and never counts in it: somebody has to try. `resting` are bots this runner does not want for now.
 */
export async function claimBots(
  db: Database,
  runnerId: string,
  limit: number,
  resting: readonly string[] = [],
): Promise<{ id: string; epoch: string }[]> {
  return await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${claimLock})`.execute(trx);
    const { rows } = await sql<{ id: string; epoch: string }>`
      with ${shares(runnerId)},
      free as (
        select b.id, b.given_up_by is not null as is_given_up, share.mine,
          share.most, row_number() over (partition by b.exchange_id, b.given_up_by is not null order by b.id) as place
        from bots b join share on share.exchange_id = b.exchange_id
        where not exists (select 1 from runners r where r.id = b.runner_id and r.expires_at > now())
          and b.id <> all(${[...resting]}::uuid[]))
      update bots set runner_id = ${runnerId}, epoch = epoch + 1, given_up_by = nullif(given_up_by, ${runnerId}::uuid)
      where id in (
        select b.id from bots b join free on free.id = b.id
        where free.is_given_up or free.place <= free.most - free.mine
        order by b.id limit ${limit} for update of b skip locked)
      returning id, epoch`.execute(trx);
    return rows;
  });
}

/** By exchange: how many bots are one runner's fair share (`most`), and how many of them it holds (`mine`). */
const shares = (runnerId: string) => sql`
  share as (
    select b.exchange_id, count(*) filter (where b.runner_id = ${runnerId}) as mine,
      ceil(count(*)::numeric / (select count(*) from runners r where r.expires_at > now() and b.exchange_id = any(r.exchanges))) as most
    from bots b, runners me
    where me.id = ${runnerId} and me.expires_at > now() and b.exchange_id = any(me.exchanges) and b.given_up_by is null
    group by b.exchange_id
    union all
    select e, 0, 0 from runners me, unnest(me.exchanges) e
    where me.id = ${runnerId} and me.expires_at > now()
      and not exists (select 1 from bots b where b.exchange_id = e and b.given_up_by is null))`;

/** The bots a runner holds beyond its fair share, because another has come: the ones it is to release. */
export async function listSurplusBots(db: Database, runnerId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with ${shares(runnerId)}
    select id from (
      select b.id, row_number() over (partition by b.exchange_id order by b.id) as place, share.most
      from bots b join share on share.exchange_id = b.exchange_id
      where b.runner_id = ${runnerId} and b.given_up_by is null) held
    where place > most`.execute(db);
  return rows.map(({ id }) => id);
}

/** Releases a bot, so that others may claim it; with `hasGivenUp` because this runner cannot run it. */
export async function releaseBot(db: Database, runnerId: string, botId: string, hasGivenUp: boolean): Promise<void> {
  await sql`
    update bots set runner_id = null, given_up_by = ${hasGivenUp ? sql`${runnerId}::uuid` : sql`given_up_by`}
    where id = ${botId} and runner_id = ${runnerId}`.execute(db);
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
