import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/** Wrong second factors since the last right one: whoever enters them knows the password, so their number ends. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql.raw(`alter table users add column second_factor_misses integer not null default 0`).execute(db);
}
