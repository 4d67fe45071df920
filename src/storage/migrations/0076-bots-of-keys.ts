import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/** The bots of a key are found by it: an entry looks for them while all other entries wait. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`create index bots_api_key on bots (api_key_id) where api_key_id is not null`.execute(db);
}
