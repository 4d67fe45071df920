import type { Kysely } from 'kysely';
import { sql } from 'kysely';

const statements = [
  `create table passkeys (
    id uuid primary key,
    user_id uuid not null references users on delete cascade,
    name text not null,
    credential_id bytea not null unique,
    public_key bytea not null,
    transports text[] not null,
    counter bigint not null, -- of signatures, as the passkey last said; many stay at 0
    added_at timestamptz not null,
    last_used_at timestamptz
  )`,
  `create index passkeys_of_user on passkeys (user_id)`,
  // What a passkey has to sign: of a sign-in that waits for it, or of a session that adds one or proves that it is there.
  `create table passkey_challenges (
    challenge bytea primary key,
    purpose text not null check (purpose in ('sign-in', 'add', 'prove')),
    half_login bytea unique references half_logins on delete cascade,
    session_id uuid references sessions on delete cascade,
    expires_at timestamptz not null,
    unique (session_id, purpose),
    check ((purpose = 'sign-in') = (half_login is not null)),
    check ((purpose = 'sign-in') = (session_id is null))
  )`,
  // Of an account that has passkeys and no authenticator app; the codes of an app hang on the app.
  `create table passkey_backup_codes (
    user_id uuid not null references users on delete cascade,
    hash bytea not null,
    used_at timestamptz,
    primary key (user_id, hash)
  )`,
];

/** Passkeys as a second factor: their public keys, what they are to sign, and backup codes. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
