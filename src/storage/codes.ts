import type { Selectable } from 'kysely';
import type { Database } from './database.ts';
import type { Schema } from './schema.ts';

/** A code that was mailed; only a salted hash of it is kept. */
export type Code = Selectable<Schema['codes']>;

/** What a code is for; a code of one purpose is worthless for another. */
export type CodePurpose = Code['purpose'];

/** Keeps a new code; the older ones of the account and purpose are void from now on. */
export async function addCode(
  db: Database,
  code: { userId: string; purpose: CodePurpose; salt: Buffer; hash: Buffer; now: Date; expiresAt: Date },
): Promise<void> {
  await voidCodes(db, code.userId, code.purpose, code.now);
  await db
    .insertInto('codes')
    .values({
      userId: code.userId,
      purpose: code.purpose,
      salt: code.salt,
      hash: code.hash,
      createdAt: code.now,
      expiresAt: code.expiresAt,
    })
    .execute();
}

/**
 * Counts one try at the open code of the account and purpose and gives the code to compare with, or null when there is
 * none or its tries are used up. The try is counted before the comparison, so guesses made at once do not slip through.
 */
export async function takeTry(db: Database, userId: string, purpose: CodePurpose, now: Date, maxTries: number): Promise<Code | null> {
  const code = await db
    .updateTable('codes')
    .set((eb) => ({ tries: eb('tries', '+', 1) }))
    .where('userId', '=', userId)
    .where('purpose', '=', purpose)
    .where('closedAt', 'is', null)
    .where('expiresAt', '>', now)
    .where('tries', '<', maxTries)
    .returningAll()
    .executeTakeFirst();
  return code ?? null;
}

/** Closes a code after use; false when somebody else just used it. */
export async function useCode(db: Database, codeId: string, now: Date): Promise<boolean> {
  const used = await db
    .updateTable('codes')
    .set({ closedAt: now })
    .where('id', '=', codeId)
    .where('closedAt', 'is', null)
    .executeTakeFirst();
  return used.numUpdatedRows === 1n;
}

/** Voids the open codes of an account and purpose. */
export async function voidCodes(db: Database, userId: string, purpose: CodePurpose, now: Date): Promise<void> {
  await db
    .updateTable('codes')
    .set({ closedAt: now })
    .where('userId', '=', userId)
    .where('purpose', '=', purpose)
    .where('closedAt', 'is', null)
    .execute();
}

/** Whether the account has an open code of this purpose. */
export async function hasOpenCode(db: Database, userId: string, purpose: CodePurpose, now: Date): Promise<boolean> {
  const row = await db
    .selectFrom('codes')
    .select('id')
    .where('userId', '=', userId)
    .where('purpose', '=', purpose)
    .where('closedAt', 'is', null)
    .where('expiresAt', '>', now)
    .executeTakeFirst();
  return row !== undefined;
}
