import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/** When the amounts of a difference were last looked at: what has become known of orders without a record since is not in them. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table differences add column amounts_at timestamptz not null default clock_timestamp()`.execute(db);
}
