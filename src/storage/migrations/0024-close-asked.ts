import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/** When a person asked for an open trade to be closed at market; the bot that holds it does it. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql.raw('alter table trades add column close_asked_at timestamptz').execute(db);
  // Runners look for it twice a second; there are few.
  await sql.raw(`create index trades_close_asked on trades (bot_id) where close_asked_at is not null and status = 'open'`).execute(db);
}
