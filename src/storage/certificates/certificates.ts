import { sql } from 'kysely';
import { endAlarmUpTo, raiseAlarm } from '../alarms/alarms.ts';
import type { Database } from '../database.ts';
import { inTransaction } from '../in-transaction.ts';
import type { TradeMode } from '../trades/trade-mode.ts';
import { ranOn } from './ran-on.ts';

/** How many days are made up for when the nights were missed. */
export const nightsMadeUpFor = 7;

/** How long after the last renewal of a claim another process takes the replay over. */
const lease = '5 minutes';

/** After how long one that failed for a reason that may pass is tried again, as long as nights are made up for. */
const retryPause = '1 hour';

/** How long a turn counts: who has had none since is not behind anybody. */
const turnsCount = '1 day';

/** Whose turn the replay of a day is. */
const personOf = sql`coalesce(c.asked_by, b.user_id)`;

/** So often a replay that is interrupted is begun again. */
const mostTries = 3;

/** The figures of a certificate, as its line over time shows them. Money as exact decimals. */
export interface CertificateFigures {
  day: string; // YYYY-MM-DD
  state: 'waiting' | 'replaying' | 'done' | 'failed';
  why: string | null; // of one that failed, in a sentence
  mode: TradeMode | null; // null, as what follows, until a replay has ended well
  currency: string | null;
  promised: string | null;
  made: string | null;
  differing: number | null; // decisions that differ on the same candles
  replayedAt: Date | null;
}

/** A certificate as it is kept. */
export interface KeptCertificate extends CertificateFigures {
  certificate: Record<string, unknown> | null;
  tookMs: number | null;
}

const figures = sql`day::text as day, state, why, mode, currency, promised::text as promised, made::text as made, differing, replayed_at`;

/** The newest certificates of a bot, newest first. */
export async function listCertificates(db: Database, botId: string, limit: number): Promise<CertificateFigures[]> {
  const { rows } = await sql<CertificateFigures>`
    select ${figures} from certificates where bot_id = ${botId} order by day desc limit ${limit}`.execute(db);
  return rows;
}

/** The newest certificate of a bot. */
export interface NewestCertificate extends CertificateFigures {
  botId: string;
  nickname: string;
}

/** The newest certificate of each bot of a person (null: of everybody) that is not archived; first those in which decisions differ or that failed. */
export async function listNewestCertificates(db: Database, userId: string | null, limit: number): Promise<NewestCertificate[]> {
  const { rows } = await sql<NewestCertificate>`
    select ${figures}, bot_id, nickname
    from (
      select bots.nickname, newest.*
      from bots cross join lateral (
        select * from certificates where certificates.bot_id = bots.id order by day desc limit 1
      ) newest
      where bots.archived_at is null and (${userId}::uuid is null or bots.user_id = ${userId}::uuid)
    ) of_bots
    order by coalesce(differing, 0) > 0 desc, state = 'failed' desc, day desc, lower(nickname), bot_id
    limit ${limit}`.execute(db);
  return rows;
}

/** The certificate of a bot and a day; null when none was made or is wanted. */
export async function findCertificate(db: Database, botId: string, day: string): Promise<KeptCertificate | null> {
  const { rows } = await sql<KeptCertificate>`
    select ${figures}, certificate, took_ms from certificates where bot_id = ${botId} and day = ${day}::date`.execute(db);
  return rows[0] ?? null;
}

/** What became of a wish for a certificate: one that is wanted already stays as it is. */
export type Asked = 'asked' | 'under-way' | 'did-not-run';

/** Has the day of a bot replayed, once more where it was; in one statement, so that two who ask at once make one. */
export async function askCertificate(db: Database, botId: string, day: string, askedBy: string): Promise<Asked> {
  const { rows } = await sql<{ asked: boolean; ran: boolean }>`
    with asked as (
      insert into certificates (bot_id, day, asked_by)
      select b.id, ${day}::date, ${askedBy}::uuid from bots b where b.id = ${botId} and ${ranOn(sql`b.id`, sql`${day}::date`)}
      on conflict (bot_id, day) do update set state = 'waiting', asked_at = now(), asked_by = excluded.asked_by, tries = 0, lease_until = null, retry_at = null
        where certificates.state in ('done', 'failed')
      returning 1)
    select exists (select from asked) as asked, ${ranOn(sql`${botId}::uuid`, sql`${day}::date`)} as ran`.execute(db);
  const [answer] = rows;
  if (answer?.asked === true) return 'asked';
  return answer?.ran === true ? 'under-way' : 'did-not-run';
}

/**
 * Ends the replays that a person has asked for and that have not ended; gives how many. What an earlier replay has found, or why it failed, stays;
 * where there was none the day is as if nobody had asked, and is made by night with those of all bots if it is recent. One that had failed is tried
 * again after a while: to ask for it took away when that was to be, if its reason may pass.
 */
export async function dropAskedBy(trx: Database, userId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with under_way as (
      select bot_id, day from certificates where asked_by = ${userId}::uuid and state in ('waiting', 'replaying') for update
    ), gone as (
      delete from certificates c using under_way u where c.bot_id = u.bot_id and c.day = u.day and c.replayed_at is null and c.why is null returning 1
    ), kept as (
      update certificates c set state = case when c.why is null then 'done' else 'failed' end, lease_until = null,
        retry_at = case when c.why is not null then now() + interval '${sql.raw(retryPause)}' end
      from under_way u where c.bot_id = u.bot_id and c.day = u.day and (c.replayed_at is not null or c.why is not null) returning 1
    ) select (select count(*) from gone)::int + (select count(*) from kept)::int as count`.execute(trx);
  return rows[0]?.count ?? 0;
}

/** Whether a bot ran on a UTC day. */
export async function ranOnDay(db: Database, botId: string, day: string): Promise<boolean> {
  const { rows } = await sql<{ ran: boolean }>`select ${ranOn(sql`${botId}::uuid`, sql`${day}::date`)} as ran`.execute(db);
  return rows[0]?.ran === true;
}

/** Has the newest days of all bots replayed that have no certificate yet, five minutes after each day has ended. */
export async function askNightly(db: Database, now: Date): Promise<void> {
  await sql`
    insert into certificates (bot_id, day)
    select b.id, d.day::date
    from generate_series(1, ${nightsMadeUpFor}::int) n
      cross join lateral (select ((${now}::timestamptz - interval '5 minutes') at time zone 'UTC')::date - n as day) d
      cross join bots b
    where not exists (select from certificates c where c.bot_id = b.id and c.day = d.day) and ${ranOn(sql`b.id`, sql`d.day`)}
    order by d.day desc, b.id
    on conflict do nothing`.execute(db);
}

/** A replay that a process has taken on. */
export interface CertificateClaim {
  botId: string;
  day: string;
  tries: number;
  claimedAt: string; // to the microsecond, which a Date does not hold
}

/** The row of a claim, as long as it is that claim's. A wish that was dropped and made again begins to count tries again, so they alone do not say it. */
const rowOf = ({ botId, day, tries, claimedAt }: CertificateClaim) =>
  sql`bot_id = ${botId} and day = ${day}::date and state = 'replaying' and tries = ${tries} and claimed_at = ${claimedAt}::timestamptz`;

/**
 * Takes the next certificate that is wanted: of the person whose were taken longest ago, as of studies, and of theirs first what they wait for.
 * A day is of whoever has asked for it; by night, of the bot's owner. Null when there is none. No other process has it until its lease ends.
 */
export async function claimCertificate(db: Database): Promise<CertificateClaim | null> {
  await sql`
    update certificates set state = 'failed', lease_until = null, why = 'The replay was interrupted each time it was begun.'
    where state = 'replaying' and lease_until < now() and tries >= ${mostTries}`.execute(db);
  const { rows } = await sql<CertificateClaim>`
    with turns as (
      select ${personOf} as person, max(c.claimed_at) as taken_at from certificates c join bots b on b.id = c.bot_id
      where c.claimed_at > now() - interval '${sql.raw(turnsCount)}' group by 1
    ), next as (
      select c.bot_id, c.day from certificates c join bots b on b.id = c.bot_id left join turns on turns.person = ${personOf}
      where c.state = 'waiting' or (c.state = 'replaying' and c.lease_until < now())
        or (c.state = 'failed' and c.retry_at < now() and c.day >= (now() at time zone 'UTC')::date - ${nightsMadeUpFor}::int)
      order by turns.taken_at nulls first, c.asked_by is null, c.asked_at, c.day desc limit 1 for update of c skip locked
    )
    update certificates c set state = 'replaying', lease_until = now() + interval '${sql.raw(lease)}', claimed_at = clock_timestamp(), retry_at = null,
      tries = case c.state when 'failed' then 1 else c.tries + 1 end
    from next
    where c.bot_id = next.bot_id and c.day = next.day
    returning c.bot_id, c.day::text as day, c.tries, c.claimed_at::text as claimed_at`.execute(db);
  return rows[0] ?? null;
}

/** Keeps a claim from passing to another process while its replay runs. False: nobody wants it any more, or it has passed already. */
export async function renewClaim(db: Database, claim: CertificateClaim): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update certificates set lease_until = now() + interval '${sql.raw(lease)}' where ${rowOf(claim)}`.execute(db);
  return numAffectedRows === 1n;
}

/** What a replay has found. */
export interface FoundCertificate {
  mode: TradeMode;
  currency: string;
  promised: string;
  made: string;
  differing: readonly { symbol: string; candleTime: number }[];
  certificate: object;
  tookMs: number;
}

/**
 * Keeps what a replay has found, and raises the alarm of decisions that differ, or ends that of this day and of earlier ones. False when the
 * claim has passed to another process meanwhile: nothing is written then.
 */
export async function keepCertificate(db: Database, claim: CertificateClaim, found: FoundCertificate, now: Date): Promise<boolean> {
  const { botId, day } = claim;
  const { mode, currency, promised, made, differing, certificate, tookMs } = found;
  return inTransaction(db, async (trx) => {
    const { rows } = await sql`
      update certificates set state = 'done', lease_until = null, why = null, mode = ${mode}, currency = ${currency}, promised = ${promised}::numeric,
        made = ${made}::numeric, differing = ${differing.length}, certificate = ${JSON.stringify(certificate)}::jsonb, replayed_at = ${now}, took_ms = ${tookMs}
      where ${rowOf(claim)} returning 1`.execute(trx);
    if (rows.length === 0) return false;
    const about = { kind: 'decision-differs', target: { level: 'bot', id: botId } } as const;
    const [first] = differing;
    if (first === undefined) await endAlarmUpTo(trx, about, day);
    else {
      const facts = { day, decisions: differing.length, symbol: first.symbol, candle: new Date(first.candleTime).toISOString() };
      await raiseAlarm(trx, { ...about, detail: day, facts });
    }
    return true;
  });
}

/** Says in a sentence why a day cannot be replayed; what was found by an earlier replay stays. What `mayPass` is tried again after an hour. */
export async function failCertificate(db: Database, claim: CertificateClaim, why: string, mayPass: boolean): Promise<void> {
  await sql`
    update certificates set state = 'failed', lease_until = null, why = ${why}, retry_at = case when ${mayPass} then now() + interval '${sql.raw(retryPause)}' end
    where ${rowOf(claim)}`.execute(db);
}

/** Removes certificates of days before one. */
export async function removeCertificates(db: Database, before: Date): Promise<void> {
  await sql`delete from certificates where day < (${before}::timestamptz at time zone 'UTC')::date`.execute(db);
}
