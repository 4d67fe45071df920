import { dayMs, hourMs, minuteMs } from '#engine/market/durations.ts';
import { type Selectable, sql } from 'kysely';
import type { Database } from '../database.ts';
import { inTransaction } from '../in-transaction.ts';
import type { Schema, Sealed } from '../schema.ts';

/** Where a message about a trade goes: a text to a chat, a row to a spreadsheet. */
export type MessageKind = Schema['tradeMessages']['kind'];

/** What is said about a trade, in the form of each place. */
export interface TradeMessage {
  text: string;
  cells: readonly (string | number)[];
}

/** How the last message of a strategy went. */
export interface MessageResult {
  at: string; // ISO time
  error: string | null; // null: it was delivered
}

/** A message that is due, with the sealed webhook or spreadsheet key it goes to. */
export type DueMessage = Pick<Selectable<Schema['tradeMessages']>, 'id' | 'strategyId' | 'text' | 'cells' | 'tries'> & {
  target: Sealed | null;
};

/** A message is tried for a day; what is older is not worth sending. */
const keptMs = dayMs;

/** How long a message belongs to the process that took it. */
const takenMs = 2 * minuteMs;

const targets = { chat: 'strategies.webhook', sheet: 'strategies.sheetsKey' } as const;

/** What is said of a bot's trades. */
export interface BotMessage extends TradeMessage {
  botId: string;
}

/**
 * Leaves messages of bots for the chat and the spreadsheet of the strategy of each, whichever it has; in a transaction they are sent only
 * if it holds.
 */
export async function addBotMessages(trx: Database, messages: readonly BotMessage[]): Promise<void> {
  if (messages.length === 0) return;
  const botIds = messages.map(({ botId }) => botId);
  const texts = messages.map(({ text }) => text);
  const rows = messages.map(({ cells }) => JSON.stringify(cells));
  await sql`
    insert into trade_messages (strategy_id, kind, text, cells)
    select s.id, k.kind, case k.kind when 'chat' then m.text end, case k.kind when 'sheet' then m.cells::jsonb end
    from unnest(${botIds}::uuid[], ${texts}::text[], ${rows}::text[]) with ordinality as m(bot_id, text, cells, place)
      join bots b on b.id = m.bot_id join strategies s on s.id = b.strategy_id
      cross join (values ('chat'), ('sheet')) as k(kind)
    where case k.kind when 'chat' then s.webhook else s.sheets_key end is not null
    order by m.place, k.kind`.execute(trx);
}

/** Leaves a text for the chat of a bot's strategy, where it has one. */
export async function addChatMessage(trx: Database, botId: string, text: string): Promise<void> {
  await sql`
    insert into trade_messages (strategy_id, kind, text)
    select s.id, 'chat', ${text} from bots b join strategies s on s.id = b.strategy_id where b.id = ${botId} and s.webhook is not null`.execute(
    trx,
  );
}

/**
 * Takes the oldest message of a kind that is due; null when none is. It is counted as tried before it is sent, and nobody else
 * gets it for two minutes, which is longer than sending can take: a process that is killed meanwhile leaves a try behind.
 */
export async function takeDueMessage(db: Database, kind: MessageKind, now: Date): Promise<DueMessage | null> {
  return inTransaction(db, async (trx) => {
    const due = await trx
      .selectFrom('tradeMessages')
      .innerJoin('strategies', 'strategies.id', 'tradeMessages.strategyId')
      .select([
        'tradeMessages.id',
        'tradeMessages.strategyId',
        'tradeMessages.text',
        'tradeMessages.cells',
        'tradeMessages.tries',
        `${targets[kind]} as target`,
      ])
      .where('tradeMessages.kind', '=', kind)
      .where('tradeMessages.dueAt', '<=', now)
      .orderBy('tradeMessages.number')
      .limit(1)
      .forUpdate('tradeMessages')
      .skipLocked()
      .executeTakeFirst();
    if (due === undefined) return null;
    await trx
      .updateTable('tradeMessages')
      .set({ tries: due.tries + 1, dueAt: new Date(now.getTime() + takenMs) })
      .where('id', '=', due.id)
      .execute();
    return due;
  });
}

/** Removes the messages of a kind that nobody has taken for a day. */
export async function removeOldMessages(db: Database, kind: MessageKind, now: Date): Promise<void> {
  await db
    .deleteFrom('tradeMessages')
    .where('kind', '=', kind)
    .where('createdAt', '<', new Date(now.getTime() - keptMs))
    .execute();
}

/** Removes a message that was delivered, or that nobody wants any more. */
export async function removeMessage(db: Database, id: string): Promise<void> {
  await db.deleteFrom('tradeMessages').where('id', '=', id).execute();
}

/** Removes all messages of a kind: there is nobody who could send them. */
export async function removeMessages(db: Database, kind: MessageKind): Promise<void> {
  await db.deleteFrom('tradeMessages').where('kind', '=', kind).execute();
}

/**
 * Has a message that was not delivered wait for its next try, or longer when the other side asks for that; the others of its kind
 * and strategy wait with it, so that they keep their sequence and a place that is away is asked once.
 */
export async function postponeMessage(db: Database, kind: MessageKind, failed: DueMessage, now: Date, askedMs: number): Promise<void> {
  const until = new Date(now.getTime() + Math.max(pauseMs(failed.tries), askedMs));
  await db
    .updateTable('tradeMessages')
    .set({ dueAt: until })
    .where('strategyId', '=', failed.strategyId)
    .where('kind', '=', kind)
    .where((column) => column.or([column('id', '=', failed.id), column('dueAt', '<', until)]))
    .execute();
}

/** Notes how the last message of a kind of a strategy went. */
export async function noteMessageResult(db: Database, strategyId: string, kind: MessageKind, result: MessageResult): Promise<void> {
  const text = JSON.stringify(result);
  await db
    .updateTable('strategies')
    .set(kind === 'chat' ? { webhookResult: text } : { sheetResult: text })
    .where('id', '=', strategyId)
    .execute();
}

/** The pause after a try that `tries` others came before: 15 s, then twice as long each time, an hour at most. */
function pauseMs(tries: number): number {
  return Math.min(15_000 * 2 ** tries, hourMs);
}
