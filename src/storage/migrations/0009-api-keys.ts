import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/**
 * What an exchange last said about a key, and that it is to be asked again. After the reset of a password an account waits
 * a day before it can add a key. A session names the device it began on.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql
    .raw(
      `alter table api_keys
        add column checked_at timestamptz,
        add column check_result text check (check_result in ('ok', 'refused', 'unreachable')),
        add column check_asked_at timestamptz,
        add column check_taken_at timestamptz,
        add column can_trade boolean,
        add column can_withdraw boolean,
        add column is_ip_bound boolean,
        add constraint api_keys_checked check ((checked_at is null) = (check_result is null))`,
    )
    .execute(db);
  await sql.raw(`create index api_keys_to_check on api_keys (check_asked_at) where check_asked_at is not null`).execute(db);
  await sql.raw(`alter table sessions add column device text`).execute(db);
  await sql.raw(`alter table users add column password_reset_at timestamptz`).execute(db);
}
