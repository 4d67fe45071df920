import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/** A lease holds until the server is started again. Those of before hold until it is, too. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table runners add column server_started_at timestamptz not null default pg_postmaster_start_time()`.execute(db);
}
