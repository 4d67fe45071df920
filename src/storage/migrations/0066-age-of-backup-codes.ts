import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/** Since when backup codes have been there; those of before this migration always. New ones take nothing away that is older than they are. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const table of ['backup_codes', 'passkey_backup_codes']) {
    await sql`alter table ${sql.table(table)} add column made_at timestamptz not null default 'epoch'`.execute(db);
    await sql`alter table ${sql.table(table)} alter column made_at drop default`.execute(db);
  }
}
