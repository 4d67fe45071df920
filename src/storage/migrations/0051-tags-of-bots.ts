import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/** Words that people put on bots to find them by. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table bots add column tags text[] not null default '{}'`.execute(db);
}
