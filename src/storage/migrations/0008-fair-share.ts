import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/**
 * Bots are shared among runners. A runner names the exchanges it can reach; a bot names the runner that gave it up because
 * it could not run it.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql.raw(`alter table runners add column exchanges text[] not null default '{}'`).execute(db);
  await sql.raw(`alter table bots add column given_up_by uuid`).execute(db);
}
