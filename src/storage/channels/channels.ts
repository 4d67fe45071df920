import { dayMs } from '#engine/market/durations.ts';
import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import type { Schema, Sealed } from '../schema.ts';

/** A place where a person is reached besides the mailbox. */
export type Channel = Selectable<Schema['channels']>;

/** A channel as its owner sees it, with how many messages wait. Nothing sealed is read. */
export type OwnChannel = Omit<Channel, 'sealed' | 'userId' | 'dueAt' | 'restsUntil' | 'tries' | 'summedDay'> & { waiting: number };

/** What a person decides about a channel. Where it leads is not among it: another place is another channel. */
export type ChannelSettings = Pick<Channel, 'name' | 'topics' | 'quietFrom' | 'quietUntil' | 'quietZone' | 'breaksQuiet'>;

const shown = [
  'id',
  'kind',
  'name',
  'hint',
  'topics',
  'quietFrom',
  'quietUntil',
  'quietZone',
  'breaksQuiet',
  'createdAt',
  'pausedAt',
  'pausedWhy',
  'sentAt',
  'failedAt',
  'error',
  'givenUp',
  'givenUpAt',
] as const;

/** The channels of a person, the oldest first. */
export async function listChannels(db: Database, userId: string): Promise<OwnChannel[]> {
  return db
    .selectFrom('channels')
    .select(shown)
    .select(sql<number>`(select count(*) from channel_messages m where m.channel_id = channels.id)::int`.as('waiting'))
    .where('userId', '=', userId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute();
}

/**
 * Adds a channel, unless its owner has `most` already, or is not the person any more who asked for it: with another role, or
 * suspended. The account is locked meanwhile, so that two at once are counted, and a change of the role finds the channel.
 */
export async function addChannel(
  trx: Database,
  owner: Pick<Selectable<Schema['users']>, 'id' | 'role'>,
  channel: Pick<Channel, 'id' | 'kind' | 'hint' | 'summedDay'> & ChannelSettings & { sealed: Sealed },
  most: number,
): Promise<'added' | 'too-many' | 'changed' | 'not-verified'> {
  const user = await trx
    .selectFrom('users')
    .select(['role', 'verified', 'emailVerified'])
    .where('id', '=', owner.id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (user?.role !== owner.role) return 'changed';
  if (!user.verified || !user.emailVerified) return 'not-verified';
  const { count } = await trx
    .selectFrom('channels')
    .select((column) => column.fn.countAll<string>().as('count'))
    .where('userId', '=', owner.id)
    .executeTakeFirstOrThrow();
  if (Number(count) >= most) return 'too-many';
  await trx
    .insertInto('channels')
    .values({ ...channel, userId: owner.id, sealed: JSON.stringify(channel.sealed) })
    .execute();
  return 'added';
}

/** A channel of a person, locked until the transaction ends; null for one of somebody else, as for none. Writers of messages do not wait. */
export async function lockChannel(trx: Database, id: string, userId: string): Promise<Channel | null> {
  const channel = await trx
    .selectFrom('channels')
    .selectAll()
    .where('id', '=', id)
    .where('userId', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return channel ?? null;
}

/** A channel of a person; null for one of somebody else, as for none. */
export async function findChannel(db: Database, id: string, userId: string): Promise<Channel | null> {
  return (await db.selectFrom('channels').selectAll().where('id', '=', id).where('userId', '=', userId).executeTakeFirst()) ?? null;
}

/**
 * Changes a channel. What waits about something else than it is about now is dropped, and what waits for the end of quiet hours is
 * looked at again. The sum of a day that is over is not left afterwards where it was not wanted before.
 */
export async function changeChannel(trx: Database, id: string, settings: ChannelSettings, now: Date): Promise<void> {
  await trx
    .updateTable('channels')
    .set({
      ...settings,
      summedDay: sql`case when 'day-sum' = any(topics) then summed_day else greatest(summed_day, ${dayBefore(now)}::date) end`,
    })
    .where('id', '=', id)
    .execute();
  await sql`delete from channel_messages where channel_id = ${id} and topic <> all(${settings.topics}::text[])`.execute(trx);
  await trx.updateTable('channelMessages').set({ dueAt: now }).where('channelId', '=', id).where('dueAt', '>', now).execute();
}

/** Has a channel send nothing until it is resumed. What waits is dropped. */
export async function pauseChannel(trx: Database, id: string, why: 'person' | 'gone', now: Date): Promise<void> {
  await trx.updateTable('channels').set({ pausedAt: now, pausedWhy: why }).where('id', '=', id).execute();
  await trx.deleteFrom('channelMessages').where('channelId', '=', id).execute();
}

/** Has a channel send again, from what happens now on. */
export async function resumeChannel(trx: Database, id: string, now: Date): Promise<void> {
  await trx.deleteFrom('channelMessages').where('channelId', '=', id).execute();
  await trx
    .updateTable('channels')
    .set({ pausedAt: null, pausedWhy: null, tries: 0, error: null, dueAt: now, restsUntil: now })
    .set({ summedDay: sql`greatest(summed_day, ${dayBefore(now)}::date)` })
    .where('id', '=', id)
    .execute();
}

/** Pauses the channels of a person who is another one now, with another role or none: nothing that waits is sent, and only the person resumes them. */
export async function pauseChannelsOf(trx: Database, userId: string, why: 'role' | 'suspended', now: Date): Promise<void> {
  await trx
    .updateTable('channels')
    .set({ pausedAt: sql`coalesce(paused_at, ${now})`, pausedWhy: sql`coalesce(paused_why, ${why})` })
    .where('userId', '=', userId)
    .execute();
  await sql`delete from channel_messages m using channels c where c.id = m.channel_id and c.user_id = ${userId}`.execute(trx);
}

/** Removes a channel with what waits for it, in one statement: who writes a message passes over a row that is deleted, not over one that was changed before. */
export async function removeChannel(trx: Database, id: string): Promise<void> {
  await trx.deleteFrom('channels').where('id', '=', id).execute();
}

/** Notes how a test message went. */
export async function noteTest(db: Database, id: string, error: string | null, now: Date): Promise<void> {
  await db
    .updateTable('channels')
    .set(error === null ? { sentAt: now, error: null } : { failedAt: now, error })
    .where('id', '=', id)
    .execute();
}

/** How many channels there are on the server, and how they are; nothing of any of them. */
export async function countChannels(
  db: Database,
): Promise<{ people: number; channels: number; paused: number; failing: number; waiting: number }> {
  const { rows } = await sql<{ people: number; channels: number; paused: number; failing: number; waiting: number }>`
    select count(distinct user_id)::int as people, count(*)::int as channels, count(paused_at)::int as paused,
      (count(*) filter (where paused_at is null and error is not null))::int as failing,
      (select count(*) from channel_messages)::int as waiting
    from channels`.execute(db);
  return rows[0] ?? { people: 0, channels: 0, paused: 0, failing: 0, waiting: 0 };
}

/** What is sealed of every channel, locked until the transaction ends. */
export async function lockSealedChannels(trx: Database): Promise<Pick<Channel, 'id' | 'userId' | 'sealed'>[]> {
  return trx.selectFrom('channels').select(['id', 'userId', 'sealed']).orderBy('id').forNoKeyUpdate().execute();
}

/** Replaces what is sealed of a channel: where it leads stays. */
export async function resealChannel(trx: Database, id: string, sealed: Sealed): Promise<void> {
  await trx
    .updateTable('channels')
    .set({ sealed: JSON.stringify(sealed) })
    .where('id', '=', id)
    .execute();
}

/** The UTC day before a moment, YYYY-MM-DD. */
export function dayBefore(now: Date): string {
  return new Date(now.getTime() - dayMs).toISOString().slice(0, 10);
}
