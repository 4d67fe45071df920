import { bringUpToDate } from '#processes/bring-up-to-date.ts';
import type { Config } from '#processes/config.ts';

/** Brings the database of DATABASE_URL up to date and says what was done. */
export async function migrateCommand(config: Config, say: (line: string) => void): Promise<void> {
  if (config.databaseUrl === null) throw new Error('Set DATABASE_URL; the embedded database is brought up to date at each start.');
  const applied = await bringUpToDate(config.databaseUrl);
  say(applied.length === 0 ? 'The database is up to date.' : `Applied: ${applied.join(', ')}`);
}
