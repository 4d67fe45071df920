import type { Kysely } from 'kysely';
import { sql } from 'kysely';

const statements = [
  // When an account was last compared with the trades of its bots, so that a comparison that is missing can be seen.
  `create table account_checks (
    api_key_id uuid not null references api_keys on delete cascade,
    market_type text not null,
    checked_at timestamptz not null,
    primary key (api_key_id, market_type)
  )`,
  // Which live bots a runner can run, and how many bots in all; one of an older version says nothing of either.
  `alter table runners add column takes_live text not null default 'on' check (takes_live in ('off', 'sandbox', 'on'))`,
  `alter table runners add column most_bots integer not null default 1000000 check (most_bots > 0)`,
];

/** The time of the last comparison of each account, and what each runner can run. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
