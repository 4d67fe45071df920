import type { Kysely } from 'kysely';
import { sql } from 'kysely';

const statements = [
  `create table authenticators (
    id uuid primary key,
    user_id uuid not null references users on delete cascade,
    sealed jsonb not null,
    created_at timestamptz not null,
    confirmed_at timestamptz, -- null: no code of it was entered yet
    last_step integer, -- the half minute of the newest code that was used: no code of it or before counts again
    check ((confirmed_at is null) = (last_step is null))
  )`,
  `create unique index authenticators_used on authenticators (user_id) where confirmed_at is not null`,
  `create unique index authenticators_awaited on authenticators (user_id) where confirmed_at is null`,
  `create table backup_codes (
    authenticator_id uuid not null references authenticators on delete cascade,
    hash bytea not null,
    used_at timestamptz,
    primary key (authenticator_id, hash)
  )`,
  // Whether a mailed code is a second factor of the account. Only an account with an app may do without.
  `alter table users add column mailed_codes boolean not null default true,
    add constraint users_second_factor check (has2fa or mailed_codes)`,
];

/** Authenticator apps as a second factor, and their backup codes. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
