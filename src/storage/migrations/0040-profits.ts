import type { Kysely } from 'kysely';
import { sql } from 'kysely';

const statements = [
  `drop index trades_closed`,
  `create index trades_closed on trades (closed_at)
    include (bot_id, mode, symbol, strategy_version, entry_tag, exit_reason, account_id, profit, fees, funding) where status = 'closed'`,
];

/** What closed trades come to, by whatever they are grouped, is added up from the index alone: their rows are long. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
