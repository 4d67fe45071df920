import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/** Notes the last line of the audit log whose hash does not cover everything in it, if there is one: no later one may say so of itself. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql
    .raw(
      `insert into facts (key, value)
        select 'last_audit_line_of_hash_1', jsonb_build_object('id', max(id)::text) from audit_log where hash_version = 1 having count(*) > 0`,
    )
    .execute(db);
}
