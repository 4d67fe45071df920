import type { Kysely } from 'kysely';
import { sql } from 'kysely';

const statements = [
  // Nothing lists what its maker has taken away, and nobody can use it; backtests and old trades still name it.
  `alter table strategies add column removed_at timestamptz`,
  `alter table strategies add constraint strategies_removed check (kind = 'rules' or removed_at is null)`,
];

/** Strategies of rules that their makers have taken away. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
