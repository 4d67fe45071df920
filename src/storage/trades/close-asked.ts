import { sql } from 'kysely';
import type { Database } from '../database.ts';

/** What came of asking for a trade to be closed. */
export interface CloseAsked {
  askedAt: Date;
  isNew: boolean; // nobody had asked before
}

/** Asks for an open trade to be closed at market; asked twice is once. Null when it is not open, or not there. */
export async function askToClose(db: Database, tradeId: string, now: Date): Promise<CloseAsked | null> {
  const asked = await db
    .updateTable('trades')
    .set({ closeAskedAt: now })
    .where('id', '=', tradeId)
    .where('status', '=', 'open')
    .where('closeAskedAt', 'is', null)
    .returning('closeAskedAt')
    .executeTakeFirst();
  if (asked !== undefined) return { askedAt: now, isNew: true };
  const before = await db
    .selectFrom('trades')
    .select('closeAskedAt')
    .where('id', '=', tradeId)
    .where('status', '=', 'open')
    .executeTakeFirst();
  return before === undefined || before.closeAskedAt === null ? null : { askedAt: before.closeAskedAt, isNew: false };
}

/** The open trades that the bots of a runner are to close, by bot: each that was asked for, and all where everything is to be closed. */
export async function tradesToClose(db: Database, runnerId: string): Promise<Map<string, string[]>> {
  const { rows } = await sql<{ id: string; botId: string }>`
    select t.id, t.bot_id from trades t join bots b on b.id = t.bot_id
    where b.runner_id = ${runnerId} and t.status = 'open' and t.close_asked_at is not null
    union
    select t.id, t.bot_id from trading_states s join bots b on s.level = 'server' or s.user_id = b.user_id or s.bot_id = b.id
      join trades t on t.bot_id = b.id
    where s.close_all_at is not null and b.runner_id = ${runnerId} and t.status = 'open'`.execute(db);
  const byBot = new Map<string, string[]>();
  for (const { id, botId } of rows) byBot.set(botId, [...(byBot.get(botId) ?? []), id]);
  return byBot;
}
