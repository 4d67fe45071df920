import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/**
 * Where a trade's stop has been: one entry for each price it was set to after the first, as `{"time": ms, "price": n}`. The
 * row of a trade holds only the stop of now, and a person who asks why a trade ended there wants to see how it came there.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql.raw(`alter table trades add column stop_moves jsonb not null default '[]'`).execute(db);
}
