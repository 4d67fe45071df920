import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/** The newest trades of a mode are read without sorting all of them. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql.raw(`create index trades_mode on trades (mode, opened_at desc, id)`).execute(db);
}
