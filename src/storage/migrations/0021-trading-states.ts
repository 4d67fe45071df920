import type { Kysely } from 'kysely';
import { sql } from 'kysely';

const statements = [
  `create table trading_states (
    level text not null check (level in ('server', 'user', 'bot')),
    user_id uuid references users on delete cascade,
    bot_id uuid references bots on delete cascade,
    state text not null check (state in ('active', 'reducing', 'halted')),
    is_imposed boolean not null,
    set_by uuid references users on delete set null,
    set_at timestamptz not null default clock_timestamp(),
    unique nulls not distinct (level, user_id, bot_id),
    check ((level = 'user') = (user_id is not null) and (level = 'bot') = (bot_id is not null))
  )`,
];

/** The kill switch of the server, of users and of bots; without a row it has never been pressed. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
