import type { Selectable } from 'kysely';
import type { Database } from '../database.ts';
import type { Schema } from '../schema.ts';

/** A passkey of a person: its public key alone. */
export type Passkey = Selectable<Schema['passkeys']>;

/** Adds a passkey; false when an account has it already. */
export async function addPasskey(trx: Database, passkey: Omit<Passkey, 'counter' | 'lastUsedAt'> & { counter: number }): Promise<boolean> {
  const added = await trx
    .insertInto('passkeys')
    .values(passkey)
    .onConflict((conflict) => conflict.column('credentialId').doNothing())
    .executeTakeFirst();
  return added.numInsertedOrUpdatedRows === 1n;
}

/** The passkeys of a person, the oldest first. */
export async function listPasskeys(db: Database, userId: string): Promise<Passkey[]> {
  return db.selectFrom('passkeys').selectAll().where('userId', '=', userId).orderBy('addedAt').orderBy('id').execute();
}

/** Whether a person has a passkey. */
export async function hasPasskey(db: Database, userId: string): Promise<boolean> {
  return (await db.selectFrom('passkeys').select('id').where('userId', '=', userId).limit(1).executeTakeFirst()) !== undefined;
}

/** Notes a signature, in one statement; false when its counter is not beyond the one of before. A passkey that does not count always says 0. */
export async function countSignature(db: Database, id: string, counter: number, now: Date): Promise<boolean> {
  const noted = await db
    .updateTable('passkeys')
    .set({ counter, lastUsedAt: now })
    .where('id', '=', id)
    .where((where) => where.or([where('counter', '<', String(counter)), where.and([where('counter', '=', '0'), where.lit(counter === 0)])]))
    .executeTakeFirst();
  return noted.numUpdatedRows === 1n;
}

/** Takes a passkey of a person away, and gives its name; null when it is none. */
export async function removePasskey(trx: Database, userId: string, id: string): Promise<string | null> {
  const removed = await trx.deleteFrom('passkeys').where('userId', '=', userId).where('id', '=', id).returning('name').executeTakeFirst();
  return removed?.name ?? null;
}

/** Takes every passkey of a person away, with the backup codes beside them. */
export async function removePasskeys(trx: Database, userId: string): Promise<void> {
  await trx.deleteFrom('passkeys').where('userId', '=', userId).execute();
  await removePasskeyBackupCodes(trx, userId);
}

/** Gives a person new backup codes beside passkeys; the ones of before are void. */
export async function replacePasskeyBackupCodes(trx: Database, userId: string, hashes: readonly Buffer[], now: Date): Promise<void> {
  await removePasskeyBackupCodes(trx, userId);
  await trx
    .insertInto('passkeyBackupCodes')
    .values(hashes.map((hash) => ({ userId, hash, madeAt: now })))
    .execute();
}

/** Makes the backup codes beside passkeys void. */
export async function removePasskeyBackupCodes(trx: Database, userId: string): Promise<void> {
  await trx.deleteFrom('passkeyBackupCodes').where('userId', '=', userId).execute();
}

/** Uses a backup code up, in one statement, and says when it was made; null when it is none or was used before. */
export async function takePasskeyBackupCode(db: Database, userId: string, hash: Buffer, now: Date): Promise<Date | null> {
  const used = await db
    .updateTable('passkeyBackupCodes')
    .set({ usedAt: now })
    .where('userId', '=', userId)
    .where('hash', '=', hash)
    .where('usedAt', 'is', null)
    .returning('madeAt')
    .executeTakeFirst();
  return used?.madeAt ?? null;
}

/** How many backup codes beside passkeys are left. */
export async function countPasskeyBackupCodes(db: Database, userId: string): Promise<number> {
  const { count } = await db
    .selectFrom('passkeyBackupCodes')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('userId', '=', userId)
    .where('usedAt', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(count);
}
