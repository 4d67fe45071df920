import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/**
 * What admins set for the whole installation: one row, made when it is first needed, so that a new database is empty for a
 * restore. Invitations keep a hash of their code; an address has at most one that is open.
 */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table installation_settings (
    only_row boolean primary key default true check (only_row),
    version integer not null check (version > 0),
    require_two_factor text not null check (require_two_factor in ('off', 'admins', 'all')),
    registration text not null check (registration in ('open', 'closed', 'invitation')),
    shared_bot_list boolean not null,
    session_idle_minutes integer not null check (session_idle_minutes between 15 and 1440),
    session_life_minutes integer not null check (session_life_minutes between 60 and 43200),
    sender_name text not null,
    sender_address text not null,
    check (session_idle_minutes <= session_life_minutes)
  )`,
  `create table invitations (
    id uuid primary key default gen_random_uuid(),
    email text not null,
    email_key text not null,
    role text not null check (role in ('investor', 'trader', 'operator')),
    code_hash bytea not null unique,
    invited_by uuid references users on delete set null,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    used_at timestamptz,
    withdrawn_at timestamptz,
    check (used_at is null or withdrawn_at is null)
  )`,
  `create unique index invitations_open on invitations (email_key) where used_at is null and withdrawn_at is null`,
  `create index invitations_created on invitations (created_at desc, id)`,
];
