import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/** Leases and searches of accounts hold until the database server is started again. Those of before this migration hold until then, too. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const table of ['runners', 'order_searches'])
    await sql`alter table ${sql.id(table)} add column server_started_at timestamptz not null default pg_postmaster_start_time()`.execute(
      db,
    );
}
