import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/** Replays of days take turns among people: whoever had one last comes after the others. Only replays of the last day are looked at. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table certificates add column claimed_at timestamptz`.execute(db);
  await sql`create index certificates_claimed on certificates (claimed_at) where claimed_at is not null`.execute(db);
}
