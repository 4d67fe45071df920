import type { Database } from './database.ts';

/** What may be shown of a stored exchange key. */
export interface ApiKeyLabel {
  label: string | null;
  keyHint: string; // the last 4 characters of the key
  hasPassphrase: boolean;
}

/** What may be shown of a key, or null when there is none. */
export async function findApiKeyLabel(db: Database, id: string): Promise<ApiKeyLabel | null> {
  const row = await db.selectFrom('apiKeys').select(['label', 'keyHint', 'hasPassphrase']).where('id', '=', id).executeTakeFirst();
  return row ?? null;
}
