import type { Kysely } from 'kysely';
import { sql } from 'kysely';

const statements = [
  `alter table trades add column held_elsewhere numeric(38, 18), add column held_elsewhere_at timestamptz`,
  `alter table trades add constraint trades_held_elsewhere check ((held_elsewhere is null) = (held_elsewhere_at is null) and held_elsewhere > 0)`,
  // Runners look for it twice a second; there are few.
  `create index trades_held_elsewhere on trades (bot_id) where held_elsewhere_at is not null and status = 'open'`,
  `alter table differences drop constraint differences_outcome_check`,
  `alter table differences add constraint differences_outcome_check check (outcome in ('gone', 'ignored', 'adopted', 'closed'))`,
];

/** What of an open trade its account does not hold, because a person said so; its bot books it as an exit that happened outside. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
