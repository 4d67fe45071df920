import type { Kysely } from 'kysely';
import { sql } from 'kysely';

const statements = [
  // The newest drill of a bot, and the settings it was about: with others it says nothing.
  `create table drills (
    bot_id uuid primary key references bots on delete cascade,
    run_at timestamptz not null default clock_timestamp(),
    settings_hash text not null,
    seed bigint not null,
    result jsonb not null
  )`,
];

/** The rehearsal of a bot before it trades live. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
