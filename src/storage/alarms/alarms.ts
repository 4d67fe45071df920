import { sql } from 'kysely';
import type { Database } from '../database.ts';
import type { TradingTarget } from '../trading/trading-states.ts';

/** What needs a person now. */
export type AlarmKind =
  | 'limit-reached' // a loss has paused a bot, or stopped the entries of a user or the server
  | 'stopped-by-other' // somebody else has pressed the kill switch
  | 'bot-failing' // no runner can run the bot
  | 'strategy-rests' // it has failed so often in a row that its bots make no entries
  | 'no-runner' // bots that are active or hold a trade, and no runner runs them
  | 'backup-failed' // the last backup did not pass its test, or none has for 13 hours
  | 'store-undurable' // live bots on a database that may lose what it has acknowledged
  | 'delivery-failed' // the last message to a chat or spreadsheet was not delivered
  | 'unknown-order' // the state of an order is unknown
  | 'unprotected-position' // a position without a confirmed stop
  | 'position-margin' // the exchange has another leverage or margin mode for a position than its trade
  | 'difference' // the account is not what the trades say
  | EventAlarm;

/**
 * What has happened and has no end: it is over when a person has taken note. An unrecorded order is one of a bot's that the database did not have;
 * a decision differs that the replay of a day takes otherwise on the same candles.
 */
export type EventAlarm =
  | 'unrecorded-order'
  | 'late-fill'
  | 'fill-of-unknown-order'
  | 'amount-differs'
  | 'margin-differs'
  | 'decision-differs';

const events: readonly AlarmKind[] = [
  'unrecorded-order',
  'late-fill',
  'fill-of-unknown-order',
  'amount-differs',
  'margin-differs',
  'decision-differs',
] satisfies readonly EventAlarm[];

/**
 * What an alarm is about. There is one open alarm for each kind, target and detail; of what has happened one for each kind and target,
 * with an item for each detail.
 */
export interface AlarmAbout {
  kind: AlarmKind;
  target: TradingTarget;
  detail?: string; // distinguishes alarms of a kind and target, e.g. an order id
}

/** Values for the sentence of an alarm; amounts are exact decimals. */
export type AlarmFacts = Readonly<Record<string, string | number | null>>;

/**
 * Raises an alarm, unless it is open already. In a transaction it is there only if the transaction holds. Its mail and its message to
 * a chat follow within seconds (`mailNewAlarms`), unless its owner has had a mail about it already. False: what lasts was open already.
 */
export async function raiseAlarm(trx: Database, about: AlarmAbout & { facts: AlarmFacts; wasMailed?: boolean }): Promise<boolean> {
  const { kind, target, detail = '' } = about;
  const facts = factsText(about.facts);
  // An open alarm gets the item, so it is to be found by the statement, and nobody may end it meanwhile.
  const again = isEvent(kind) ? sql`update set key = excluded.key` : sql`nothing`;
  const { rows } = await sql`
    with raised as (
      insert into alarms (key, kind, level, user_id, bot_id, facts, noted_at, mailed_at)
      values (${keyOf(about)}, ${kind}, ${target.level}, ${target.level === 'user' ? target.id : null}::uuid,
              ${target.level === 'bot' ? target.id : null}::uuid, ${facts}::jsonb,
              case when ${about.wasMailed === true} then clock_timestamp() end, case when ${about.wasMailed === true} then clock_timestamp() end)
      on conflict (key) where ended_at is null do ${again} returning id
    ), item as (
      insert into alarm_items (alarm_id, detail, facts) select id, ${detail}, ${facts}::jsonb from raised where ${isEvent(kind)}
      on conflict do nothing
    )
    select id from raised`.execute(trx);
  return rows.length > 0;
}

/** Raises several alarms. Needs: a transaction */
export async function raiseAlarms(trx: Database, alarms: readonly (AlarmAbout & { facts: AlarmFacts })[]): Promise<void> {
  // An item locks the row of its alarm: in the sequence in which all others lock several of them.
  const keys = alarms.filter(({ kind }) => isEvent(kind)).map(keyOf);
  if (keys.length > 1)
    await sql`select from alarms where key = any(${keys}::text[]) and ended_at is null order by id for update`.execute(trx);
  for (const alarm of alarms) await raiseAlarm(trx, alarm);
}

/** Notes what is known now of an open alarm, unless somebody is at it. Nobody is informed again. */
export async function noteAlarmFacts(trx: Database, about: AlarmAbout & { facts: AlarmFacts }): Promise<void> {
  const facts = factsText(about.facts);
  // Whoever waits for one of several while holding another could be waited for in turn; the facts come again.
  await sql`
    update alarms set facts = ${facts}::jsonb where id in (
      select id from alarms where key = ${keyOf(about)} and ended_at is null and facts <> ${facts}::jsonb for update skip locked)`.execute(
    trx,
  );
}

/** Ends an alarm, because its cause is gone. One that is not open stays as it is. */
export async function endAlarm(trx: Database, about: AlarmAbout): Promise<void> {
  await sql`update alarms set ended_at = clock_timestamp() where key = ${keyOf(about)} and ended_at is null`.execute(trx);
}

/** Ends all open alarms of these kinds about a target, whatever their detail. */
export async function endAlarms(trx: Database, kinds: readonly AlarmKind[], target: TradingTarget): Promise<void> {
  // In the sequence in which whoever takes note of them locks them, whatever their kind.
  await sql`
    with found as (
      select id from alarms where ended_at is null and kind = any(${[...kinds]}::text[]) and level = ${target.level}
        and coalesce(user_id, bot_id) is not distinct from ${target.level === 'server' ? null : target.id}::uuid
      order by id for update)
    update alarms a set ended_at = clock_timestamp() from found where a.id = found.id`.execute(trx);
}

/**
 * Ends an alarm of what has happened whose newest item is not above `detail`. One that is not open, or has newer items, stays as it is.
 *
 * Needs: a transaction
 */
export async function endAlarmUpTo(trx: Database, about: AlarmAbout, detail: string): Promise<void> {
  // First the row, as whoever adds an item does: a statement that waits for it does not see what was added meanwhile.
  await sql`select from alarms where key = ${keyOf(about)} and ended_at is null for update`.execute(trx);
  await sql`
    update alarms a set ended_at = clock_timestamp() where key = ${keyOf(about)} and ended_at is null
      and not exists (select from alarm_items i where i.alarm_id = a.id and i.detail > ${detail})`.execute(trx);
}

/** Ends the open alarms of some kinds but those about `causes`, and those that somebody is at: they are over the next time. */
export async function endOtherAlarms(trx: Database, kinds: readonly AlarmKind[], causes: readonly AlarmAbout[]): Promise<void> {
  await sql`
    update alarms set ended_at = clock_timestamp() where id in (
      select id from alarms where ended_at is null and kind = any(${[...kinds]}::text[]) and key <> all(${causes.map(keyOf)}::text[])
      order by id for update skip locked)`.execute(trx);
}

/** Whether an alarm of a kind is open. */
export async function isAlarmOpen(db: Database, kind: AlarmKind): Promise<boolean> {
  const row = await db.selectFrom('alarms').select('id').where('kind', '=', kind).where('endedAt', 'is', null).limit(1).executeTakeFirst();
  return row !== undefined;
}

/** An open alarm with the names of what it is about. */
export interface OpenAlarm {
  id: string;
  kind: AlarmKind;
  level: TradingTarget['level'];
  targetId: string | null;
  targetName: string | null; // the user's email, the bot's nickname
  ownerId: string | null; // whose it is; null: the server's
  ownerEmail: string | null;
  facts: AlarmFacts;
  count: number; // how often it has happened; 1 for what lasts
  raisedAt: Date;
  acknowledgedAt: Date | null;
}

const countOf = sql`greatest(1, (select count(*) from alarm_items i where i.alarm_id = a.id))::int`;
const columns = sql`
  a.id, a.kind, a.level, coalesce(a.user_id, a.bot_id) as target_id, coalesce(b.nickname, u.email) as target_name,
  coalesce(a.user_id, b.user_id) as owner_id, u.email as owner_email, a.facts, a.raised_at, a.acknowledged_at,
  ${countOf} as count`;
const tables = sql`alarms a left join bots b on b.id = a.bot_id left join users u on u.id = coalesce(a.user_id, b.user_id)`;

/**
 * The open alarms of a user and of the user's bots; with null those of everybody and of the server, where that no bot runs is said once.
 * Newest first.
 */
export async function listAlarms(db: Database, userId: string | null): Promise<OpenAlarm[]> {
  const { rows } = await sql<OpenAlarm>`
    select ${columns} from ${tables}
    where a.ended_at is null
      and case when ${userId}::uuid is null then not (a.kind = 'no-runner' and a.level = 'user') else u.id = ${userId}::uuid end
    order by a.raised_at desc, a.id`.execute(db);
  return rows;
}

/** Somebody who looks at alarms. */
export interface AlarmViewer {
  id: string;
  seesAll: boolean;
}

const isOf = (by: AlarmViewer) =>
  sql<boolean>`(${by.seesAll} or a.user_id = ${by.id}::uuid or exists (select 1 from bots b where b.id = a.bot_id and b.user_id = ${by.id}::uuid))`;

/** What an alarm has come to: how often its cause has happened, newest first, at most 1,000. Null when this viewer may see no such alarm. */
export async function listAlarmItems(
  db: Database,
  id: string,
  by: AlarmViewer,
): Promise<(Pick<OpenAlarm, 'kind' | 'level' | 'targetName'> & { items: { facts: AlarmFacts; raisedAt: Date }[] }) | null> {
  const { rows } = await sql<Pick<OpenAlarm, 'kind' | 'level' | 'targetName'>>`
    select a.kind, a.level, coalesce(b.nickname, u.email) as target_name from ${tables} where a.id = ${id} and a.ended_at is null and ${isOf(by)}`.execute(
    db,
  );
  const [alarm] = rows;
  if (alarm === undefined) return null;
  const items = await sql<{ facts: AlarmFacts; raisedAt: Date }>`
    select facts, raised_at from alarm_items where alarm_id = ${id} order by raised_at desc, detail limit 1000`.execute(db);
  return { ...alarm, items: items.rows };
}

/** An alarm as somebody has seen it. */
export interface SeenAlarm {
  id: string;
  count: number; // how often it had happened
}

/**
 * Locks open alarms that somebody has seen: the ids of those that are as they were seen, and of those that have happened again since.
 * Neither names alarms of others and those that have ended.
 *
 * Needs: a transaction. Until it ends nothing is added to them.
 */
export async function lockSeenAlarms(
  trx: Database,
  seen: readonly SeenAlarm[],
  by: AlarmViewer,
): Promise<{ same: string[]; grown: string[] }> {
  const ids = seen.map(({ id }) => id);
  const isTheirs = sql`a.id = any(${ids}::uuid[]) and a.ended_at is null and ${isOf(by)}`;
  // Whoever adds an item locks the row of its alarm. The items are counted by a statement of its own: one that waits for a row does not see
  // what was added meanwhile. One order for all, so that two who name the same alarms wait for each other and not in a circle.
  await sql`select from alarms a where ${isTheirs} order by a.id for update`.execute(trx);
  const { rows } = await sql<{ id: string; isSame: boolean }>`
    select a.id, bool_and(s.count = ${countOf}) as is_same
    from alarms a join unnest(${ids}::uuid[], ${seen.map(({ count }) => count)}::int[]) s (id, count) on s.id = a.id
    where ${isTheirs} group by a.id`.execute(trx);
  const idsWhere = (isSame: boolean): string[] => rows.filter((row) => row.isSame === isSame).map(({ id }) => id);
  return { same: idsWhere(true), grown: idsWhere(false) };
}

/**
 * Takes note of open alarms, however often they have happened; what has no end of its own ends with it. Gives those that this viewer may
 * see; others, and those that have ended meanwhile, stay as they are.
 */
export async function acknowledgeAlarms(
  trx: Database,
  ids: readonly string[],
  by: AlarmViewer,
): Promise<{ kind: AlarmKind; target: string }[]> {
  // In the sequence in which all others lock several of them.
  const { rows } = await sql<{ kind: AlarmKind; level: string; targetId: string | null }>`
    with found as (
      select a.id from alarms a where a.id = any(${[...ids]}::uuid[]) and a.ended_at is null and ${isOf(by)} order by a.id for update)
    update alarms a set acknowledged_at = coalesce(acknowledged_at, clock_timestamp()), acknowledged_by = coalesce(acknowledged_by, ${by.id}::uuid),
      ended_at = case when kind = any(${[...events]}::text[]) then clock_timestamp() end
    from found where a.id = found.id
    returning a.kind, a.level, coalesce(a.user_id, a.bot_id) as target_id`.execute(trx);
  return rows.map(({ kind, level, targetId }) => ({ kind, target: targetId === null ? level : `${level} ${targetId}` }));
}

/** At most one mail of a kind about the same thing in this time. */
const mailPause = '15 minutes';

/** Whether that was within the pause; what lies in the future was noted by a clock that was ahead. The time is read once, so that an index is of use. */
const isRecent = (moment: string) =>
  sql`${sql.ref(moment)} between (select clock_timestamp() - interval '${sql.raw(mailPause)}') and (select clock_timestamp())`;

/** The bot or user that an alarm is about, or zeros for the server: as the indexes have it. */
const subjectOf = (alarm: string) => sql`coalesce(${sql.ref(`${alarm}.userId`)}, ${sql.ref(`${alarm}.botId`)}, ${noId}::uuid)`;
const noId = sql.lit('00000000-0000-0000-0000-000000000000');

/** An alarm of which people are to be informed. */
export interface NewAlarm extends OpenAlarm {
  mayMail: boolean; // false soon after a mail of the same kind about the same bot, user or server: it is mailed later, if it lasts
  isNotice: boolean; // its channels are to receive it; false where they did before its mail, or a short time ago of the same that has ended
  others: AlarmFacts[]; // of those like it whose mail was owed too: they are mailed with it, the oldest first
}

/**
 * Takes an alarm of which people are to be informed; null when there is none, or when somebody else is taking one. Within the pause after a
 * mail nobody is mailed, and of one that ended and came again nobody is notified: that is owed, the oldest first, until it has ended or somebody
 * has taken note of it. Those that last come before those that have ended. A mail is also that of all others of its kind about the same bot, user
 * or server for which one is owed.
 *
 * Needs: a transaction, in which the mails are written
 */
export async function takeNewAlarm(trx: Database): Promise<NewAlarm | null> {
  // Whether a mail is within the pause is seen only once it is committed: two at a time would both mail about the same thing.
  const { rows: turns } = await sql<{ is: boolean }>`select pg_try_advisory_xact_lock(hashtextextended('new alarms', 0)) as is`.execute(
    trx,
  );
  if (turns[0]?.is !== true) return null;
  // Those few are chosen first, as a list, by which they are found whatever the planner makes of them: alarms are kept for months. In their
  // sequence, so that of many only those are compared with others that come before the one that is taken.
  const { rows } = await sql<Omit<NewAlarm, 'others'>>`
    select ${columns}, p.may_mail, a.noted_at is null and (p.may_mail or not p.is_again) as is_notice
    from (
      select id, ended_at is not null as is_over, raised_at from alarms
      where id = any(array(select id from alarms where noted_at is null union all select id from alarms d where ${isOwed('d')}))
      order by is_over, raised_at, id
    ) due join ${tables} on a.id = due.id cross join lateral (
      select not exists (
        select 1 from alarms o where o.kind = a.kind and ${subjectOf('o')} = ${subjectOf('a')} and ${isRecent('o.mailed_at')}) as may_mail,
        a.noted_at is null
          and exists (select 1 from alarms o where o.key = a.key and o.id <> a.id and ${isRecent('o.noted_at')}) as is_again
    ) p
    where (a.noted_at is null and (p.may_mail or not p.is_again or a.ended_at is not null or a.acknowledged_at is not null))
      or (${isOwed('a')} and p.may_mail)
    order by due.is_over, due.raised_at, due.id limit 1 for update of a skip locked`.execute(trx);
  const [alarm] = rows;
  if (alarm === undefined) return null;
  await sql`
    update alarms set noted_at = coalesce(noted_at, clock_timestamp()), mailed_at = case when ${alarm.mayMail} then clock_timestamp() end
    where id = ${alarm.id}`.execute(trx);
  return { ...alarm, others: alarm.mayMail ? await mailWith(trx, alarm) : [] };
}

/** A mail about it is owed: people were informed without one, it lasts, and nobody has taken note of it. */
const isOwed = (alarm: string) => {
  const [noted, mailed, ended, acknowledged] = ['notedAt', 'mailedAt', 'endedAt', 'acknowledgedAt'].map((name) =>
    sql.ref(`${alarm}.${name}`),
  );
  return sql`(${noted} is not null and ${mailed} is null and ${ended} is null and ${acknowledged} is null)`;
};

/** Counts as mailed what is owed of the same kind about the same target, but what somebody is at: that is over, or mailed the next time. */
async function mailWith(trx: Database, { id }: Pick<OpenAlarm, 'id'>): Promise<AlarmFacts[]> {
  const { rows } = await sql<{ facts: AlarmFacts }>`
    with found as (
      select o.id from alarms o join alarms a on a.id = ${id} and o.kind = a.kind and ${subjectOf('o')} = ${subjectOf('a')}
      where ${isOwed('o')} order by o.id for update of o skip locked
    ), mailed as (
      update alarms m set mailed_at = clock_timestamp() from found where m.id = found.id returning m.facts, m.raised_at, m.id
    )
    select facts from mailed order by raised_at, id`.execute(trx);
  return rows.map(({ facts }) => facts);
}

/** Removes alarms that ended before a time. */
export async function removeOldAlarms(db: Database, before: Date): Promise<void> {
  await db.deleteFrom('alarms').where('endedAt', '<', before).execute();
}

/** Facts as `jsonb` takes them: it refuses half a character, as a text has that was cut in an emoji, and the character of number 0. */
function factsText(facts: AlarmFacts): string {
  return JSON.stringify(facts, (_name, value: unknown) => (typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '') : value));
}

function keyOf({ kind, target, detail }: AlarmAbout): string {
  const parts = [kind, target.level, ...(target.level === 'server' ? [] : [target.id])];
  return [...parts, ...(detail === undefined || isEvent(kind) ? [] : [detail])].join(' ');
}

function isEvent(kind: AlarmKind): boolean {
  return events.includes(kind);
}
