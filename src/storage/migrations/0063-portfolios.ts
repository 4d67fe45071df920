import type { Kysely } from 'kysely';
import { sql } from 'kysely';

const statements = [
  // What a run over several pairs was asked for; null for one over a single pair.
  `alter table backtests add column plan jsonb check (jsonb_typeof(plan) = 'object')`,
];

/** Backtests over several pairs. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
