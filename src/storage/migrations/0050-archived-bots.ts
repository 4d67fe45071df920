import type { Kysely } from 'kysely';
import { sql } from 'kysely';

const statements = [
  // The check is the last guard: whatever activates or pauses a bot, an archived one is refused.
  `alter table bots add column archived_at timestamptz,
    add constraint bots_archived_stopped check (archived_at is null or status = 'stopped')`,
];

/** Bots that are put away: nothing runs or lists them, and their figures stay. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
