import { hourMs, minuteMs } from '#engine/market/durations.ts';
import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import type { Database } from '../database.ts';
import { inTransaction } from '../in-transaction.ts';
import type { Schema } from '../schema.ts';
import { urgentTopics } from './channel-messages.ts';
import type { Channel } from './channels.ts';
import { pauseChannel } from './channels.ts';

/** A message that goes to a channel. */
export type ChannelMessage = Pick<Selectable<Schema['channelMessages']>, 'id' | 'botId' | 'topic' | 'text' | 'createdAt'> & {
  isUrgent: boolean;
};

/** Messages that one process sends to a channel together. The id stays when they are sent again. */
export interface TakenBatch {
  id: string;
  channel: Pick<Channel, 'id' | 'userId' | 'kind' | 'name' | 'sealed' | 'tries'>;
  messages: readonly ChannelMessage[];
  until: Date; // it is this process's until then; it distinguishes a later taking from this one
}

/** When the quiet hours of a channel end; null when there are none now. */
export type QuietUntil = (channel: Pick<Channel, 'quietFrom' | 'quietUntil' | 'quietZone'>, now: Date) => Date | null;

/** How long a batch belongs to the process that took it: longer than sending can take. */
const takenMs = 2 * minuteMs;

/** What is not urgent is collected for so long after a message. */
const restMs = minuteMs;

/** How long a channel waits at most after a try that has failed. */
const longestPauseMs = hourMs;

/** How many messages are put together at most. */
const mostTogether = 200;

/**
 * Takes what a channel is to be sent now: what was taken together before and has not arrived, else all that is due. 'nothing' when there is none;
 * 'postponed' when what was found waits for the end of quiet hours. The batch is written before it is sent: a process that is killed
 * leaves it behind, and it is sent again under its id.
 */
export async function takeBatch(db: Database, now: Date, quietUntil: QuietUntil): Promise<TakenBatch | 'nothing' | 'postponed'> {
  const after = (ms: number): Date => new Date(now.getTime() + ms);
  return inTransaction(db, async (trx) => {
    // What waits longer than anything does was written by a clock that was ahead.
    const { rows } = await sql<Channel>`
      select c.* from channels c join users u on u.id = c.user_id
      where c.paused_at is null and (c.due_at <= ${now} or c.due_at > ${after(longestPauseMs)}) and u.verified and u.email_verified
        and exists (select 1 from channel_messages m where m.channel_id = c.id and m.due_at <= ${now}
          and (m.batch is not null or m.topic = any(${[...urgentTopics]}::text[]) or c.rests_until <= ${now} or c.rests_until > ${after(restMs)}))
      order by c.rests_until, c.id limit 1 for no key update of c skip locked`.execute(trx);
    const [channel] = rows;
    if (channel === undefined) return 'nothing';
    // A bot that is somebody else's by now is not spoken of.
    await sql`
      delete from channel_messages m using bots b
      where m.channel_id = ${channel.id} and b.id = m.bot_id and b.user_id <> ${channel.userId}`.execute(trx);
    const due = await dueMessages(trx, channel.id, now);
    const quietEnd = quietUntil(channel, now);
    const breaks = channel.breaksQuiet ? due.filter(({ isUrgent }) => isUrgent) : [];
    const isAgain = due.some(({ batch }) => batch !== null);
    const chosen = quietEnd === null || (isAgain && breaks.length > 0) ? due : breaks;
    const waiting = due.filter((message) => !chosen.includes(message));
    if (waiting.length > 0 && quietEnd !== null)
      await trx.updateTable('channelMessages').set({ dueAt: quietEnd }).where('id', 'in', idsOf(waiting)).execute();
    const [first] = chosen;
    if (first === undefined) return 'postponed';
    const id = first.batch ?? randomUUID();
    const until = new Date(now.getTime() + takenMs);
    await trx.updateTable('channelMessages').set({ batch: id }).where('id', 'in', idsOf(chosen)).execute();
    await trx.updateTable('channels').set({ dueAt: until }).where('id', '=', channel.id).execute();
    return { id, channel, until, messages: chosen };
  });
}

async function dueMessages(trx: Database, channelId: string, now: Date): Promise<(ChannelMessage & { batch: string | null })[]> {
  const { rows } = await sql<ChannelMessage & { batch: string | null }>`
    with due as (select * from channel_messages where channel_id = ${channelId} and due_at <= ${now})
    select id, bot_id, topic, text, created_at, batch, topic = any(${[...urgentTopics]}::text[]) as is_urgent from due
    where batch is not distinct from (select batch from due where batch is not null order by number limit 1)
    order by number limit ${mostTogether}`.execute(trx);
  return rows;
}

/** When a channel is due to which a batch has arrived: no clock that is set back makes that later. */
const nothingKeepsIt = new Date(0);

/** Notes that a batch has arrived. */
export async function noteSent(db: Database, { id, channel, until }: TakenBatch, now: Date): Promise<void> {
  await inTransaction(db, async (trx) => {
    await trx
      .updateTable('channels')
      .set({ tries: 0, error: null, sentAt: now, dueAt: nothingKeepsIt, restsUntil: new Date(now.getTime() + restMs) })
      .where('id', '=', channel.id)
      .where('dueAt', '=', until)
      .execute();
    await trx.deleteFrom('channelMessages').where('batch', '=', id).where('channelId', '=', channel.id).execute();
  });
}

/** Notes that a batch has not arrived: it is tried again after a pause that grows, or longer when the other side asks for that. */
export async function noteFailed(
  db: Database,
  { channel, until }: TakenBatch,
  fault: { text: string; waitMs: number },
  now: Date,
): Promise<void> {
  const pause = Math.max(pauseMs(channel.tries), fault.waitMs);
  await db
    .updateTable('channels')
    .set({ tries: channel.tries + 1, error: fault.text, failedAt: now, dueAt: new Date(now.getTime() + pause) })
    .where('id', '=', channel.id)
    .where('dueAt', '=', until)
    .execute();
}

/**
 * Notes that there is nobody any more where a channel leads: it is paused, until its owner resumes it. Gives the mailbox of its owner; null
 * when the channel was changed or paused meanwhile.
 */
export async function noteGone(trx: Database, { channel, until }: TakenBatch, error: string, now: Date): Promise<string | null> {
  const noted = await trx
    .updateTable('channels')
    .set({ error, failedAt: now, tries: channel.tries + 1 })
    .where('id', '=', channel.id)
    .where('dueAt', '=', until)
    .where('pausedAt', 'is', null)
    .executeTakeFirst();
  if (noted.numUpdatedRows === 0n) return null;
  await pauseChannel(trx, channel.id, 'gone', now);
  const owner = await trx.selectFrom('users').select('email').where('id', '=', channel.userId).executeTakeFirst();
  return owner?.email ?? null;
}

/**
 * Removes a channel whose browser takes no messages any more: a subscription that has ended never takes any again. Gives the mailbox of
 * its owner; null when the channel was changed or paused meanwhile.
 */
export async function removeEnded(trx: Database, { channel, until }: TakenBatch): Promise<string | null> {
  const { rows } = await sql<{ email: string }>`
    delete from channels c using users u
    where c.id = ${channel.id} and c.due_at = ${until} and c.paused_at is null and u.id = c.user_id returning u.email`.execute(trx);
  return rows[0]?.email ?? null;
}

/** Gives up what has waited for a day, quiet hours not counted: its channel says how much, and why. */
export async function giveUpOld(db: Database, now: Date): Promise<void> {
  await sql`
    with given_up as (
      delete from channel_messages m using channels c
      where c.id = m.channel_id and m.created_at < ${now}::timestamptz - interval '1 day'
        - coalesce(mod(c.quiet_until - c.quiet_from + 1440, 1440), 0) * interval '1 minute'
      returning m.channel_id)
    update channels c set given_up = c.given_up + g.count, given_up_at = ${now}, failed_at = coalesce(c.failed_at, ${now}),
      error = coalesce(c.error, 'Nothing could be sent for a day.')
    from (select channel_id, count(*)::int as count from given_up group by channel_id) g where c.id = g.channel_id`.execute(db);
}

function idsOf(messages: readonly { id: string }[]): string[] {
  return messages.map(({ id }) => id);
}

/** The pause after a try that `tries` others have failed before: 15 s, then twice as long each time, a quarter of an hour at most. */
function pauseMs(tries: number): number {
  return Math.min(15_000 * 2 ** Math.min(tries, 20), hourMs / 4);
}
