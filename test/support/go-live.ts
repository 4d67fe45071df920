import type { Database } from '#storage/database.ts';
import { sql } from 'kysely';

/** Gives a bot's owner a key of the sandbox, and makes the bot live with it. Gives the id of the key. */
export async function goLive(db: Database, botId: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into api_keys (user_id, exchange_id, label, key_hint, sealed, created_at)
    select user_id, 'sandbox', 'test', 'abcd', '{}', now() from bots where id = ${botId} returning id`.execute(db);
  const [key] = rows;
  if (key === undefined) throw new Error(`There is no bot ${botId}`);
  await sql`update bots set mode = 'live', api_key_id = ${key.id} where id = ${botId}`.execute(db);
  return key.id;
}
