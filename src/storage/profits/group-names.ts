import { sql } from 'kysely';
import type { Database } from '../database.ts';

/** A bot, and whose it is. */
export interface NamedBot {
  id: string;
  nickname: string;
  ownerId: string;
  ownerEmail: string;
}

/** The bots of these ids. */
export async function nameBots(db: Database, ids: readonly string[]): Promise<NamedBot[]> {
  const { rows } = await sql<NamedBot>`
    select b.id, b.nickname, u.id as owner_id, u.email as owner_email from bots b join users u on u.id = b.user_id
    where b.id = any(${[...ids]}::uuid[])`.execute(db);
  return rows;
}

/** The names of the strategies of these ids. */
export async function nameStrategies(db: Database, ids: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; name: string }>`
    select id, name from strategies where id = any(${[...ids]}::uuid[])`.execute(db);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** A key that trades were made with. */
export interface NamedAccount {
  id: string;
  exchangeId: string;
  ownerId: string;
  label: string | null;
  keyHint: string; // its last four characters
}

/** The keys of these ids that are still there. */
export async function nameAccounts(db: Database, ids: readonly string[]): Promise<NamedAccount[]> {
  const { rows } = await sql<NamedAccount>`
    select id, exchange_id, user_id as owner_id, label, key_hint from api_keys where id = any(${[...ids]}::uuid[])`.execute(db);
  return rows;
}
