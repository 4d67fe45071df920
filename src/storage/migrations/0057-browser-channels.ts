import type { Kysely } from 'kysely';
import { sql } from 'kysely';

const statements = [
  'alter table channels drop constraint channels_kind_check',
  `alter table channels add constraint channels_kind_check check (kind in ('telegram', 'discord', 'slack', 'ntfy', 'webhook', 'browser'))`,
];

/** Channels that lead to a browser (Web Push). */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
