import type { Selectable } from 'kysely';
import type { Database } from '../database.ts';
import type { Schema, Sealed } from '../schema.ts';

/** An authenticator app of a person: used at sign-in, or shown and not confirmed yet. A person has at most one of each. */
export type Authenticator = Selectable<Schema['authenticators']>;

/** Keeps the secret of a new app until its first code is entered, in place of an earlier one that never was. */
export async function addAuthenticator(
  trx: Database,
  { sealed, ...app }: Pick<Authenticator, 'id' | 'userId' | 'createdAt'> & { sealed: Sealed },
): Promise<void> {
  await trx.deleteFrom('authenticators').where('userId', '=', app.userId).where('confirmedAt', 'is', null).execute();
  await trx
    .insertInto('authenticators')
    .values({ ...app, sealed: JSON.stringify(sealed) })
    .execute();
}

/** The app that a person signs in with; null when there is none. */
export async function findAuthenticator(db: Database, userId: string): Promise<Authenticator | null> {
  const app = await db
    .selectFrom('authenticators')
    .selectAll()
    .where('userId', '=', userId)
    .where('confirmedAt', 'is not', null)
    .executeTakeFirst();
  return app ?? null;
}

/** The app whose first code is awaited, shown after `since`; null when there is none. */
export async function findAwaitedAuthenticator(db: Database, userId: string, since: Date): Promise<Authenticator | null> {
  const app = await db
    .selectFrom('authenticators')
    .selectAll()
    .where('userId', '=', userId)
    .where('confirmedAt', 'is', null)
    .where('createdAt', '>', since)
    .executeTakeFirst();
  return app ?? null;
}

/** Makes an app the one that its owner signs in with; the app of before is gone, with its backup codes. */
export async function confirmAuthenticator(
  trx: Database,
  app: Pick<Authenticator, 'id' | 'userId'>,
  step: number,
  now: Date,
): Promise<void> {
  await trx.deleteFrom('authenticators').where('userId', '=', app.userId).where('id', '!=', app.id).execute();
  await trx.updateTable('authenticators').set({ confirmedAt: now, lastStep: step }).where('id', '=', app.id).execute();
}

/** Uses the code of a half minute up, in one statement; false when it or a later one was used before. */
export async function takeStep(db: Database, id: string, step: number): Promise<boolean> {
  const used = await db
    .updateTable('authenticators')
    .set({ lastStep: step })
    .where('id', '=', id)
    .where('confirmedAt', 'is not', null)
    .where('lastStep', '<', step)
    .executeTakeFirst();
  return used.numUpdatedRows === 1n;
}

/** Takes every app of a person away, with its backup codes. */
export async function removeAuthenticators(trx: Database, userId: string): Promise<void> {
  await trx.deleteFrom('authenticators').where('userId', '=', userId).execute();
}

/** Gives an app new backup codes; the ones of before are void. */
export async function replaceBackupCodes(trx: Database, authenticatorId: string, hashes: readonly Buffer[], now: Date): Promise<void> {
  await trx.deleteFrom('backupCodes').where('authenticatorId', '=', authenticatorId).execute();
  await trx
    .insertInto('backupCodes')
    .values(hashes.map((hash) => ({ authenticatorId, hash, madeAt: now })))
    .execute();
}

/** Uses a backup code up, in one statement, and says when it was made; null when it is none or was used before. */
export async function takeBackupCode(db: Database, authenticatorId: string, hash: Buffer, now: Date): Promise<Date | null> {
  const used = await db
    .updateTable('backupCodes')
    .set({ usedAt: now })
    .where('authenticatorId', '=', authenticatorId)
    .where('hash', '=', hash)
    .where('usedAt', 'is', null)
    .returning('madeAt')
    .executeTakeFirst();
  return used?.madeAt ?? null;
}

/** How many backup codes of an app are left. */
export async function countBackupCodes(db: Database, authenticatorId: string): Promise<number> {
  const { count } = await db
    .selectFrom('backupCodes')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('authenticatorId', '=', authenticatorId)
    .where('usedAt', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** What is sealed of every app, locked until the transaction ends. */
export async function lockSealedAuthenticators(trx: Database): Promise<Pick<Authenticator, 'id' | 'userId' | 'sealed'>[]> {
  return trx.selectFrom('authenticators').select(['id', 'userId', 'sealed']).orderBy('id').forNoKeyUpdate().execute();
}

/** Replaces what is sealed of an app: its secret stays. */
export async function resealAuthenticator(trx: Database, id: string, sealed: Sealed): Promise<void> {
  await trx
    .updateTable('authenticators')
    .set({ sealed: JSON.stringify(sealed) })
    .where('id', '=', id)
    .execute();
}
