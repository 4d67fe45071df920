import { sql } from 'kysely';
import type { OpenAlarm } from '../alarms/alarms.ts';
import type { Database } from '../database.ts';
import type { ChannelTopic } from '../schema.ts';
import type { TradeMode } from '../trades/trade-mode.ts';
import { tradeModeSql } from '../trades/trade-mode.ts';

/** What is said in a channel: one line about something that has happened. */
export interface ChannelNotice {
  topic: ChannelTopic;
  text: string;
}

/** What is said at once, also soon after another message, and in quiet hours where their owner lets it. */
export const urgentTopics: readonly ChannelTopic[] = ['stop-missing', 'runner-lost'];

/** Channels that take messages: of people who may sign in, not paused. */
const taking = sql`channels c join users u on u.id = c.user_id and u.verified and u.email_verified and c.paused_at is null`;

/** A step of a bot neither waits for a channel that is being deleted nor fails because it is gone a moment later. */
const held = sql`for key share of c skip locked`;

/** Something that has happened to a bot. */
export interface BotNotice extends ChannelNotice {
  botId: string;
}

/** Leaves notices about a bot for the channels of its owner that want them; in a transaction they are sent only if it holds. */
export async function noticeOwner(trx: Database, botId: string, notices: readonly ChannelNotice[]): Promise<void> {
  await noticeOwners(
    trx,
    notices.map((notice) => ({ ...notice, botId })),
  );
}

/** As `noticeOwner`, for several bots in one statement. */
export async function noticeOwners(trx: Database, notices: readonly BotNotice[]): Promise<void> {
  if (notices.length === 0) return;
  const botIds = notices.map(({ botId }) => botId);
  const topics = notices.map(({ topic }) => topic);
  const texts = notices.map(({ text }) => text);
  await sql`
    insert into channel_messages (channel_id, bot_id, topic, text)
    select c.id, b.id, n.topic, n.text
    from unnest(${botIds}::uuid[], ${topics}::text[], ${texts}::text[]) with ordinality as n(bot_id, topic, text, place)
      join bots b on b.id = n.bot_id join ${taking} on c.user_id = b.user_id
    where n.topic = any(c.topics)
    order by n.place ${held}`.execute(trx);
}

/** Leaves a notice about all bots of a person for the channels of that person that want it. */
export async function noticePerson(trx: Database, userId: string, { topic, text }: ChannelNotice): Promise<void> {
  await sql`
    insert into channel_messages (channel_id, topic, text)
    select c.id, ${topic}, ${text} from ${taking} where c.user_id = ${userId} and ${topic} = any(c.topics) ${held}`.execute(trx);
}

/**
 * Leaves a notice of an alarm for the channels of those it concerns: of a bot for its owner, of a person's bots for that person, of the
 * server for admins and, about a limit, for all who own bots. Others receive nothing of a person's things, admins neither.
 */
export async function noticeAlarm(
  trx: Database,
  { kind, level, targetId }: Pick<OpenAlarm, 'kind' | 'level' | 'targetId'>,
  notice: ChannelNotice,
): Promise<void> {
  if (level === 'bot' && targetId !== null) return noticeOwner(trx, targetId, [notice]);
  if (level === 'user' && targetId !== null) return noticePerson(trx, targetId, notice);
  await sql`
    insert into channel_messages (channel_id, topic, text)
    select c.id, ${notice.topic}, ${notice.text} from ${taking}
    where ${notice.topic} = any(c.topics)
      and (u.role = 'admin' or (${kind === 'limit-reached'} and exists (select 1 from bots b where b.user_id = u.id))) ${held}`.execute(
    trx,
  );
}

/** The modes of what an alarm is about: of its bot, else of the active bots of its person or of all, in words such as LIVE. */
export async function alarmModes(db: Database, { level, targetId }: Pick<OpenAlarm, 'level' | 'targetId'>): Promise<TradeMode[]> {
  const { rows } = await sql<{ mode: TradeMode }>`
    select distinct ${tradeModeSql} as mode from bots
    where case ${level} when 'bot' then bots.id = ${targetId}::uuid when 'user' then bots.user_id = ${targetId}::uuid and bots.status = 'active'
      else bots.status = 'active' end
    order by 1`.execute(db);
  return rows.map(({ mode }) => mode);
}
