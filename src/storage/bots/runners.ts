import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { isAlive } from '../living-runner.ts';
import { serverStart } from '../server-start.ts';
import { isRunnersBusiness } from './archive.ts';
import type { LiveTrading } from '../trades/trade-mode.ts';
import { isLiveAllowed } from '../trades/trade-mode.ts';

/** Whether any runner holds a lease now. */
export async function hasLiveRunner(db: Database): Promise<boolean> {
  const row = await db.selectFrom('runners as r').select('id').where(isAlive).limit(1).executeTakeFirst();
  return row !== undefined;
}

/** Whether any lease has not run out, also on tables of before migration 0082; one that lasts for long was taken by a clock that was ahead. */
export async function hasLease(db: Database): Promise<boolean> {
  const { rows } = await sql`select from runners where expires_at > now() and expires_at < now() + interval '10 minutes' limit 1`.execute(
    db,
  );
  return rows.length > 0;
}

/** Whether any runner that holds a lease now may trade live at an exchange. */
export async function hasLiveRunnerAt(db: Database, exchangeId: string): Promise<boolean> {
  const rows = await db.selectFrom('runners as r').select(['exchanges', 'takesLive']).where(isAlive).execute();
  return rows.some(({ exchanges, takesLive }) => exchanges.includes(exchangeId) && isLiveAllowed(takesLive, exchangeId));
}

/** How a process stands with an exchange. */
export interface ExchangeStanding {
  offsetMs: number | null; // how far its clock is behind the exchange's
  used: number | null; // the share of a minute's requests, as a ratio
}

/** A process that runs bots: who it is, for people, and which bots it can run. */
export interface RunnerFacts {
  id: string;
  host: string;
  exchanges: readonly string[];
  takesLive?: LiveTrading; // whose live bots it runs; all when nothing is said
  mostBots?: number; // it never holds more; no limit when nothing is said
}

/** Whether a lease was taken since the server was started: none outlives that. */
const isOfThisServer = sql<boolean>`server_started_at = ${serverStart}`;

/**
 * Takes or renews a runner's lease for `leaseMs`, by the database's clock. False: it had run out, or the server was started again since it was
 * taken; all its bots may be another's, or may not be what the runner knows.
 */
export async function renewLease(db: Database, runner: RunnerFacts, leaseMs: number, isFirst: boolean): Promise<boolean> {
  // Not `now()`, the time at which the statement began: it may have waited for the row.
  const until = sql<Date>`clock_timestamp() + ${leaseMs} * interval '1 ms'`;
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
    .where('expiresAt', '>', sql<Date>`clock_timestamp()`)
    .where(isOfThisServer)
    .executeTakeFirst();
  return renewed.numUpdatedRows === 1n;
}

/** Notes how a runner stands with its exchanges. */
export async function noteExchangeFigures(
  db: Database,
  runnerId: string,
  figures: Readonly<Record<string, ExchangeStanding>>,
): Promise<void> {
  await sql`update runners set exchange_figures = ${JSON.stringify(figures)}::jsonb where id = ${runnerId}`.execute(db);
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
 * A runner takes bots of the exchanges it can reach, live ones only where it may trade, up to its fair share: of each exchange, paper
 * and live apart, the bots divided by the living runners that can run them and are not full, rounded up. Live bots with the same key
 * are one unit: they share the requests and the user stream of their account. So a unit goes to one runner, also where that is more
 * than its share, and a bot that joins it goes there too. A bot that another runner has given up as one it cannot run is claimed
 * beyond the share, alone, and never counts in it: somebody has to try. Where there is no room for all, those that hold an open trade
 * come first, then live ones, then active ones: nobody keeps the trades of others from their exits by making bots. `resting` are bots this runner does not want for now.
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
        select b.id, b.unit, b.exchange_id, b.is_live, b.is_given_up, share.mine, share.most, units.holder is not null as joins,
          count(*) over (partition by b.unit) as size, min(${comes}) over (partition by b.unit) as comes
        from known b join share using (exchange_id, is_live) left join units on units.unit = b.unit
        where not exists (select 1 from alive where alive.id = b.runner_id)
          and (units.holder is null or units.holder = ${runnerId}) and b.id <> all(${[...resting]}::uuid[])),
      room as (select most_bots - held as places from alive where id = ${runnerId}),
      wanted as (
        select id, unit, joins, comes, size from (
          select *, rank() over (partition by exchange_id, is_live, is_given_up, joins order by comes, size, unit) - 1 as before from free
          where size <= (select places from room)) placed
        where is_given_up or joins or before < most - mine),
      fitting as (
        select id, unit, after from (select *, rank() over (order by joins desc, comes, size, unit) - 1 + size as after from wanted) placed
        where after <= (select places from room))
      update bots set runner_id = ${runnerId}, epoch = epoch + 1, given_up_by = nullif(given_up_by, ${runnerId}::uuid)
      where id in (
        select b.id from bots b join fitting on fitting.id = b.id
        order by fitting.after, fitting.unit, b.id limit ${limit} for update of b skip locked)
      returning id, epoch`.execute(trx);
    return rows;
  });
}

/** How soon a bot `b` of `known` is claimed: asked of those alone that nobody holds. */
const comes = sql`case when exists (select from trades t where t.bot_id = b.id and t.status = 'open') then 1 when b.is_live then 2
  when b.status = 'active' then 3 else 4 end`;

/**
 * `known`: all bots but those archived long ago, with the unit that each is claimed in, and whether a runner that lives has given it up. `units`: those of more than one bot that living runners hold, each with the
 * one it belongs to. `share`: by exchange, paper and live apart, how many bots are this runner's fair share (`most`), and how many of
 * them it holds (`mine`); it has no row for bots that this runner cannot run.
 */
const shares = (runnerId: string) => sql`
  alive as (
    select r.id, r.exchanges, r.takes_live, r.most_bots, (select count(*) from bots b where b.runner_id = r.id) as held
    from runners r where ${isAlive}),
  known as (
    select id, exchange_id, mode = 'live' as is_live, runner_id, is_given_up,
      case when mode = 'live' and not is_given_up then coalesce(api_key_id, id) else id end as unit,
      exchange_id = 'sandbox' or right(exchange_id, 8) = '_testnet' as is_test, status
    from bots b, lateral (select exists (select from alive where alive.id = b.given_up_by) as is_given_up) given_up
    where ${isRunnersBusiness}),
  units as (
    select b.unit, (array_agg(b.runner_id order by b.id))[1] as holder
    from known b join alive on alive.id = b.runner_id where b.unit <> b.id group by b.unit),
  kinds as (
    select exchange_id, is_live, bool_and(is_test) as is_test, count(*) filter (where not is_given_up) as n from known group by exchange_id, is_live),
  able as (
    select k.exchange_id, k.is_live, k.n, alive.id, alive.id <> ${runnerId} and alive.held >= alive.most_bots as is_full,
      (select count(*) from known b where b.runner_id = alive.id and b.exchange_id = k.exchange_id and b.is_live = k.is_live and not b.is_given_up) as mine
    from kinds k join alive on k.exchange_id = any(alive.exchanges)
      and (not k.is_live or alive.takes_live = 'on' or (alive.takes_live = 'sandbox' and k.is_test))),
  share as (
    select exchange_id, is_live, sum(mine) filter (where id = ${runnerId}) as mine,
      ceil((max(n) - coalesce(sum(mine) filter (where is_full), 0)) / count(*) filter (where not is_full)) as most
    from able group by exchange_id, is_live having bool_or(id = ${runnerId}))`;

/**
 * The bots a runner holds beyond its fair share, because another has come, cannot run, or shares a key with those of another runner,
 * and those that were archived long enough ago: the ones it is to release.
 */
export async function listSurplusBots(db: Database, runnerId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with ${shares(runnerId)},
    mine as (select *, count(*) over (partition by unit) as size from known where runner_id = ${runnerId} and not is_given_up)
    select id from (
      select b.id, share.most, units.holder, rank() over (partition by b.exchange_id, b.is_live order by b.size, b.unit) - 1 as before
      from mine b left join share using (exchange_id, is_live) left join units on units.unit = b.unit) placed
    where exists (select 1 from alive where alive.id = ${runnerId}) and (most is null or before >= most or holder <> ${runnerId})
    union all select b.id from bots b where b.runner_id = ${runnerId} and not ${isRunnersBusiness}`.execute(db);
  return rows.map(({ id }) => id);
}

/** How many bots that are not stopped no living runner holds: all runners that could take them are full, or there is none. */
export async function countUnclaimedBots(db: Database): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from bots b where b.status <> 'stopped'
      and not exists (select 1 from runners r where r.id = b.runner_id and ${isAlive})`.execute(db);
  return rows[0]?.n ?? 0;
}

/** A bot that somebody counts on and no living runner holds. */
export interface BotWithoutRunner {
  id: string;
  nickname: string;
  userId: string;
}

/**
 * Bots that are active or hold an open trade, and that no living runner holds or has given up, by name. A live bot without a trade counts
 * only where `liveTrading` lets it trade: where that is off nobody is meant to take it.
 */
export async function listBotsWithoutRunner(db: Database, liveTrading: LiveTrading): Promise<BotWithoutRunner[]> {
  const { rows } = await sql<BotWithoutRunner & { exchangeId: string; isLive: boolean; isTrading: boolean }>`
    select * from (
      select b.id, b.nickname, b.user_id, b.exchange_id, b.mode = 'live' as is_live, b.status = 'active' as is_active,
        exists (select from trades t where t.bot_id = b.id and t.status = 'open') as is_trading
      from bots b where ${isRunnersBusiness}
        and not exists (select from runners r where r.id in (b.runner_id, b.given_up_by) and ${isAlive})) lost
    where is_active or is_trading order by lower(nickname), id`.execute(db);
  return rows
    .filter(({ exchangeId, isLive, isTrading }) => isTrading || !isLive || isLiveAllowed(liveTrading, exchangeId))
    .map(({ id, nickname, userId }) => ({ id, nickname, userId }));
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

/** Whose a bot is as far as a runner knows. */
export interface Holder {
  id: string; // the bot's
  epoch: string;
  runnerId: string;
}

/** A write refused because the bot is another runner's now, or may be. */
export class Fenced extends Error {
  constructor(botId: string) {
    super(`Bot ${botId} is not this runner's any more`);
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
 * Of these bots the ones that are still this runner's in this epoch, under a lease that holds, and as they were read (`updatedAt`); their rows
 * stay locked until the transaction ends. Of several those that somebody else has locked are left out: nobody waits for another bot.
 *
 * Fails, for one alone: `Fenced`, `Changed`
 */
export async function fence(trx: Database, bots: readonly (Holder & { updatedAt: Date })[]): Promise<ReadonlySet<string>> {
  const rows = await lockHeldBots(trx, bots);
  const isAsRead = ({ id, updatedAt }: Holder & { updatedAt: Date }): boolean => rows.get(id)?.updatedAt.getTime() === updatedAt.getTime();
  for (const bot of bots) if (bots.length === 1 && !isAsRead(bot)) throw new Changed(bot.id);
  return new Set(bots.filter(isAsRead).map(({ id }) => id));
}

/**
 * For how long the lease holds of those of these bots that are still this runner's in this epoch, in ms by bot; as `fence`, but that
 * people have changed a bot does not matter here.
 *
 * Fails, for one alone: `Fenced`
 */
export async function fenceLease(trx: Database, bots: readonly Holder[]): Promise<ReadonlyMap<string, number>> {
  return new Map([...(await lockHeldBots(trx, bots))].map(([id, { leaseMs }]) => [id, leaseMs]));
}

async function lockHeldBots(trx: Database, bots: readonly Holder[]): Promise<Map<string, { updatedAt: Date; leaseMs: number }>> {
  const wait = bots.length === 1 ? sql`` : sql`skip locked`;
  const { rows } = await sql<{ id: string; updatedAt: Date; leaseMs: number }>`
    select b.id, b.updated_at, (extract(epoch from r.expires_at - clock_timestamp()) * 1000)::float8 as lease_ms
    from unnest(${bots.map(({ id }) => id)}::uuid[], ${bots.map(({ epoch }) => epoch)}::bigint[], ${bots.map(({ runnerId }) => runnerId)}::uuid[])
        as h(id, epoch, runner_id)
      join bots b on b.id = h.id and b.epoch = h.epoch
      join runners r on r.id = b.runner_id and r.id = h.runner_id and r.expires_at > clock_timestamp() and ${isOfThisServer}
    for no key update of b ${wait}`.execute(trx);
  const found = new Map(rows.map(({ id, ...row }) => [id, row]));
  for (const { id } of bots) if (bots.length === 1 && !found.has(id)) throw new Fenced(id);
  return found;
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
