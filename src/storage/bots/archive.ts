import { dayMs } from '#engine/market/durations.ts';
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { isOpenAtExchange } from '../trades/open-at-exchange.ts';

/** For so long after it was archived a runner still keeps a bot, in ms: funding and fills that come late are booked. */
const keptMs = dayMs;

/** Whether runners have to do with a row `b` of `bots`: all but those that were archived long enough ago. */
export const isRunnersBusiness = sql<boolean>`(b.archived_at is null or b.archived_at > now() - ${sql.lit(keptMs)} * interval '1 ms')`;

/** Why a bot is not archived. */
export type NotArchived = 'not-stopped' | 'open-trades';

/**
 * Archives a stopped bot without open trades and orders; one that is archived already stays as it is. Null when it is archived.
 *
 * Needs: a transaction with the bot locked, so that nothing opens or activates it in between
 */
export async function archiveBot(trx: Database, id: string, now: Date): Promise<NotArchived | null> {
  if (await isOpenAtExchange(trx, id)) return 'open-trades';
  const { rows } = await sql<{ status: string; isOpen: boolean }>`
    with asked as (
      select id, status, exists (select from trades where bot_id = ${id} and status = 'open') as is_open from bots where id = ${id}),
    archived as (
      update bots set archived_at = coalesce(archived_at, ${now}::timestamptz), updated_at = ${now}::timestamptz
      from asked where bots.id = asked.id and asked.status = 'stopped' and not asked.is_open)
    select status, is_open from asked`.execute(trx);
  const [asked] = rows;
  if (asked?.status !== 'stopped') return 'not-stopped';
  return asked.isOpen ? 'open-trades' : null;
}

/** Brings an archived bot back; it is stopped. */
export async function bringBackBot(trx: Database, id: string, now: Date): Promise<void> {
  await trx.updateTable('bots').set({ archivedAt: null, updatedAt: now }).where('id', '=', id).execute();
}

/**
 * Deletes a bot that has never traded, with all that is about it, imported trades too: they can be imported again. False when it has: it
 * has a trade of its own of any mode, or an order.
 *
 * Needs: a transaction with the bot locked: a step that writes its first trade has been committed by then, or is refused afterwards
 */
export async function deleteBot(trx: Database, id: string): Promise<boolean> {
  const { rows } = await sql`
    select from bots b where b.id = ${id}
      and not exists (select from trades t where t.bot_id = b.id and t.imported_from is null)
      and not exists (select from orders o where o.bot_id = b.id)
      and not exists (select from unrecorded_orders r where r.bot_id = b.id)`.execute(trx);
  if (rows.length === 0) return false;
  await trx.deleteFrom('trades').where('botId', '=', id).where('importedFrom', 'is not', null).execute();
  await trx.deleteFrom('bots').where('id', '=', id).execute();
  // They refer to no bot.
  await trx.deleteFrom('decisions').where('botId', '=', id).execute();
  await trx.deleteFrom('decisionHours').where('botId', '=', id).execute();
  return true;
}
