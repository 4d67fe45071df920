import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/**
 * A key of an exchange is stored once: two rows of one key would be two accounts here and one there, each compared with its own trades
 * alone. What is sealed is another text each time, so a mark says that two are the same. Keys of earlier versions get theirs when a
 * runner next opens them.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql.raw('alter table api_keys add column key_mark text').execute(db);
  await sql.raw('create unique index api_keys_mark on api_keys (exchange_id, key_mark)').execute(db);
}
