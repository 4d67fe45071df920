import type { Selectable } from 'kysely';
import type { Database } from '../database.ts';
import { prepared } from '../prepared.ts';
import type { Schema } from '../schema.ts';

/** What admins set for the whole installation. */
export type InstallationSettings = Omit<Selectable<Schema['installationSettings']>, 'onlyRow'>;

/** The settings of an installation that nobody has changed yet. */
const defaultSettings: InstallationSettings = {
  version: 1,
  requireTwoFactor: 'off',
  registration: 'open',
  sharedBotList: true,
  sessionIdleMinutes: 8 * 60,
  sessionLifeMinutes: 7 * 24 * 60,
  senderName: '',
  senderAddress: '',
};

const columns = Object.keys(defaultSettings) as (keyof InstallationSettings)[];

const storedSettings = prepared('installation settings', (db) => db.selectFrom('installationSettings').select(columns));

/** The settings as they are now. */
export async function readSettings(db: Database): Promise<InstallationSettings> {
  return (await storedSettings(db, {}))[0] ?? defaultSettings;
}

/**
 * The settings, which stay as they are until the transaction ends; `to` says whether for one who goes by them, or for one who
 * changes them. Who goes by them is not delayed by others who do; a change waits for all of them, and they for it.
 *
 * Needs: a transaction; its first lock, before accounts, sessions and the audit log, in that sequence
 */
export async function lockSettings(trx: Database, to: 'use' | 'change'): Promise<InstallationSettings> {
  const locked = async (): Promise<InstallationSettings | undefined> => {
    const select = trx.selectFrom('installationSettings').select(columns);
    return (to === 'use' ? select.forShare() : select.forUpdate()).executeTakeFirst();
  };
  const found = await locked();
  if (found !== undefined) return found;
  await trx
    .insertInto('installationSettings')
    .values(defaultSettings)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await locked()) ?? defaultSettings;
}

/** Writes changed settings and gives all as they are then, with the next version. */
export async function changeSettings(
  trx: Database,
  changes: Partial<Omit<InstallationSettings, 'version'>>,
): Promise<InstallationSettings> {
  return trx
    .updateTable('installationSettings')
    .set((eb) => ({ ...changes, version: eb('version', '+', 1) }))
    .returning(columns)
    .executeTakeFirstOrThrow();
}
