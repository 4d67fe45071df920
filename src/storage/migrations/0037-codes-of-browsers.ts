import type { Kysely } from 'kysely';
import { sql } from 'kysely';

const statements = [
  // A code that resets a password belongs to the browser that has asked for it: another one's leaves it open.
  `drop index codes_open`,
  `create unique index codes_open on codes (email_key, purpose, (case when purpose = 'reset' then holder else '' end)) where closed_at is null`,
  // From then on a code proves the mailbox and nothing more.
  `alter table users add column verification_decided_at timestamptz`,
  `update users set verification_decided_at = created_at where verified or email_verified`,
];

/** Codes for a new password are kept by browser; and accounts know when somebody has first decided whether they are verified. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
