import type { Kysely } from 'kysely';
import { sql } from 'kysely';

const statements = [
  // What people forbid bots to enter: a pair, or all pairs of a coin, for a while or until they take it back.
  `create table pair_locks (
    id uuid primary key default gen_random_uuid(),
    level text not null check (level in ('server', 'user', 'bot')),
    user_id uuid references users on delete cascade,
    bot_id uuid references bots on delete cascade,
    pair text not null,
    direction text check (direction in ('long', 'short')),
    reason text not null,
    ends_at timestamptz,
    is_imposed boolean not null default false,
    set_by uuid references users on delete set null,
    set_at timestamptz not null default now(),
    check ((level = 'user') = (user_id is not null)),
    check ((level = 'bot') = (bot_id is not null))
  )`,
  `create unique index pair_locks_once on pair_locks (level, coalesce(user_id, bot_id), pair, coalesce(direction, '')) nulls not distinct`,
];

/** Pairs that people have locked. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
