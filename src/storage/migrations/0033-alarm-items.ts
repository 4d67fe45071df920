import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/** What has happened again while an alarm of its kind was open is an item of that alarm: after a restore there may be hundreds. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql
    .raw(
      `create table alarm_items (
        alarm_id uuid not null references alarms on delete cascade,
        detail text not null,
        facts jsonb not null,
        raised_at timestamptz not null default clock_timestamp(),
        primary key (alarm_id, detail)
      )`,
    )
    .execute(db);
}
