import { dayMs, hourMs } from '#engine/market/durations.ts';
import { type Selectable, sql } from 'kysely';
import type { Database } from './database.ts';
import { inTransaction } from './in-transaction.ts';
import type { Schema, Sealed } from './schema.ts';

/** How the last message of a strategy went. */
export interface WebhookResult {
  at: string; // ISO time
  error: string | null; // null: it was delivered
}

/** A message that is due, with the sealed address it goes to. */
export type DueMessage = Pick<Selectable<Schema['webhookMessages']>, 'id' | 'strategyId' | 'text' | 'tries'> & { webhook: Sealed | null };

/** A message is tried for a day; what is older is no news. */
const keptMs = dayMs;

/** Leaves messages for the chat of a bot's strategy, if it has one; in a transaction they are sent only if it holds. */
export async function addBotMessages(trx: Database, botId: string, texts: readonly string[]): Promise<void> {
  if (texts.length === 0) return;
  await sql`
    insert into webhook_messages (strategy_id, text)
    select s.id, m.text from bots b join strategies s on s.id = b.strategy_id, unnest(${texts}::text[]) with ordinality as m(text, place)
    where b.id = ${botId} and s.webhook is not null order by m.place`.execute(trx);
}

/** Takes the messages that are due, oldest first; nobody else gets them before their next try. */
export async function takeDueMessages(db: Database, now: Date, limit: number): Promise<DueMessage[]> {
  return inTransaction(db, async (trx) => {
    await trx
      .deleteFrom('webhookMessages')
      .where('createdAt', '<', new Date(now.getTime() - keptMs))
      .execute();
    const due = await trx
      .selectFrom('webhookMessages')
      .innerJoin('strategies', 'strategies.id', 'webhookMessages.strategyId')
      .select(['webhookMessages.id', 'webhookMessages.strategyId', 'webhookMessages.text', 'webhookMessages.tries', 'strategies.webhook'])
      .where('webhookMessages.dueAt', '<=', now)
      .orderBy('webhookMessages.number')
      .limit(limit)
      .forUpdate('webhookMessages')
      .skipLocked()
      .execute();
    for (const { id, tries } of due)
      await trx
        .updateTable('webhookMessages')
        .set({ tries: tries + 1, dueAt: new Date(now.getTime() + pauseMs(tries)) })
        .where('id', '=', id)
        .execute();
    return due;
  });
}

/** Removes a message that was delivered, or that nobody wants any more. */
export async function removeMessage(db: Database, id: string): Promise<void> {
  await db.deleteFrom('webhookMessages').where('id', '=', id).execute();
}

/** Notes how the last message of a strategy went. */
export async function noteWebhookResult(db: Database, strategyId: string, result: WebhookResult): Promise<void> {
  await db
    .updateTable('strategies')
    .set({ webhookResult: JSON.stringify(result) })
    .where('id', '=', strategyId)
    .execute();
}

/** The pause after a try that `tries` others came before: 15 s, then twice as long each time, an hour at most. */
function pauseMs(tries: number): number {
  return Math.min(15_000 * 2 ** tries, hourMs);
}
