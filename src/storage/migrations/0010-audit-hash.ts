import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/**
 * From now on the hash of a line of the audit log covers everything in it, in a form that can be calculated again from the
 * row. Lines of before keep the hash they have; of them only the order can be checked.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql.raw(`alter table audit_log add column hash_version smallint not null default 1`).execute(db);
  await sql.raw(`create index audit_log_action on audit_log (action, id desc)`).execute(db);
}
