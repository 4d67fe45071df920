import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/**
 * What was open and not mailed counts as mailed: it is owed from now on, and nobody is mailed what is old. The few alarms that are due, and the last
 * mails of a kind about the same target, are found without reading all others. And the first trade of a bot in a mode is found without reading those
 * in other modes.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    update alarms set mailed_at = noted_at
    where mailed_at is null and noted_at is not null and (ended_at is null or kind = 'stopped-by-other')`.execute(db);
  await sql`
    create index if not exists alarms_owed on alarms (raised_at)
    where noted_at is not null and mailed_at is null and ended_at is null and acknowledged_at is null`.execute(db);
  await sql`create index if not exists alarms_of_key on alarms (key, noted_at)`.execute(db);
  await sql`
    create index if not exists alarms_of_subject
    on alarms (kind, coalesce(user_id, bot_id, '00000000-0000-0000-0000-000000000000'::uuid), mailed_at)`.execute(db);
  await sql`drop index if exists alarms_mailed`.execute(db); // does not say about whom
  await sql`create index if not exists trades_of_mode on trades (bot_id, mode, opened_at)`.execute(db);
}
