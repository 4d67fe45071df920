import type { Kysely } from 'kysely';
import { sql } from 'kysely';

const statements = [
  // Of one that failed for a reason that may pass. A database of a day in between has it already.
  `alter table certificates add column if not exists retry_at timestamptz`,
  `drop index certificates_wanted`,
  `create index certificates_wanted on certificates (asked_at) where state in ('waiting', 'replaying') or retry_at is not null`,
];

/** A certificate that failed because the exchange did not answer, for example, is tried again. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
