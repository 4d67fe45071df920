import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/**
 * Accounts are found by a key of their address that the program makes: the database's own lower case leaves letters
 * beyond ASCII as they are. Codes are kept by that key too, also for addresses without an account, so that both cost
 * the same; they name who may enter them (`holder`). A repeated key of a call remembers what was sent with it.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table users add column email_key text`.execute(db);
  await fillKeys(db);
  for (const statement of statements) await sql.raw(statement).execute(db);
}

/** Of two accounts that differ in letters only, the one that could sign in so far keeps the key. */
async function fillKeys(db: Kysely<never>): Promise<void> {
  const { rows } = await sql<{ id: string; email: string; found: string }>`
    select id, email, lower(email) as found from users order by created_at, id`.execute(db);
  const keyOf = (email: string): string => email.trim().normalize('NFC').toLowerCase().normalize('NFC');
  const taken = new Set<string>();
  const inOrder = [...rows.filter((row) => row.found === keyOf(row.email)), ...rows.filter((row) => row.found !== keyOf(row.email))];
  for (const { id, email } of inOrder) {
    const key = taken.has(keyOf(email)) ? `${keyOf(email)} ${id}` : keyOf(email); // no address has a blank: it is never found
    taken.add(key);
    await sql`update users set email_key = ${key} where id = ${id}`.execute(db);
  }
}

const statements = [
  `alter table users alter column email_key set not null`,
  `create unique index users_email_key on users (email_key)`,
  `drop index users_email`,

  // Open codes live half an hour at most; those that are open now have to be asked for again.
  `delete from codes`,
  `drop index codes_open`,
  `alter table codes alter column user_id drop not null`,
  `alter table codes add column email_key text not null`,
  `alter table codes add column holder text not null default ''`,
  `create unique index codes_open on codes (email_key, purpose) where closed_at is null`,

  `delete from idempotency_keys`,
  `alter table idempotency_keys add column body_hash bytea not null`,
];
