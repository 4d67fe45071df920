import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/** The bot whose settings a backtest runs with, and these settings as they were when it was asked for. No foreign key: the bot may be deleted. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table backtests add column bot jsonb`.execute(db);
}
