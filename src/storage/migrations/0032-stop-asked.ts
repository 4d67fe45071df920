import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/** The failed stop of an open trade after which a person wants the next one tried without a pause, and when that was asked for. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql.raw('alter table trades add column stop_asked_at timestamptz, add column stop_asked_after text').execute(db);
  // Runners look for it twice a second; there are few.
  await sql.raw(`create index trades_stop_asked on trades (bot_id) where stop_asked_after is not null and status = 'open'`).execute(db);
}
