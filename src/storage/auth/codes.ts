import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import type { Schema } from '../schema.ts';

/** A code that was mailed; only a salted hash of it is kept. */
export type Code = Selectable<Schema['codes']>;

/** What a code is for; a code of one purpose is worthless for another. */
export type CodePurpose = Code['purpose'];

/**
 * Which code is meant. An address has at most one open code of a purpose, whether or not it has an account; of those that reset a
 * password one for each browser.
 */
export type CodeKey = Pick<Code, 'emailKey' | 'purpose' | 'holder'>;

/**
 * Keeps a new code in place of an earlier open one of the address and purpose (a reset: and browser), in one statement. One without an
 * account replaces none of an account.
 */
export async function addCode(
  db: Database,
  code: CodeKey & { userId: string | null; salt: Buffer; hash: Buffer; createdAt: Date; expiresAt: Date },
): Promise<void> {
  await db
    .insertInto('codes')
    .values(code)
    .onConflict((conflict) =>
      conflict
        .expression(sql`email_key, purpose, (case when purpose = 'reset' then holder else '' end)`)
        .where('closedAt', 'is', null)
        .doUpdateSet((eb) => ({
          id: eb.fn<string>('gen_random_uuid'), // whoever compares with the earlier code cannot use this one up
          userId: eb.ref('excluded.userId'),
          holder: eb.ref('excluded.holder'),
          salt: eb.ref('excluded.salt'),
          hash: eb.ref('excluded.hash'),
          createdAt: eb.ref('excluded.createdAt'),
          expiresAt: eb.ref('excluded.expiresAt'),
          tries: 0,
        }))
        // One that was asked for when there was no account may come after the mail of a sign-up: it replaces nobody's code.
        .where((eb) => eb.or([eb('excluded.userId', 'is not', null), eb('codes.userId', 'is', null)])),
    )
    .execute();
}

/**
 * Counts one try at the open code and gives the code to compare with, or null when there is none for this holder or its
 * tries are used up. The try is counted before the comparison, so guesses made at once do not slip through.
 */
export async function takeTry(db: Database, of: CodeKey, now: Date, maxTries: number): Promise<Code | null> {
  const code = await db
    .updateTable('codes')
    .set((eb) => ({ tries: eb('tries', '+', 1) }))
    .where('emailKey', '=', of.emailKey)
    .where('purpose', '=', of.purpose)
    .where('holder', '=', of.holder)
    .where('closedAt', 'is', null)
    .where('expiresAt', '>', now)
    .where('tries', '<', maxTries)
    .returningAll()
    .executeTakeFirst();
  return code ?? null;
}

/** The newest open code of an address and purpose, whoever holds it; null when there is none. No try is counted. */
export async function newestCode(db: Database, of: Pick<CodeKey, 'emailKey' | 'purpose'>, now: Date): Promise<Code | null> {
  const code = await db
    .selectFrom('codes')
    .selectAll()
    .where('emailKey', '=', of.emailKey)
    .where('purpose', '=', of.purpose)
    .where('closedAt', 'is', null)
    .where('expiresAt', '>', now)
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return code ?? null;
}

/** Closes all codes of an address and purpose. */
export async function closeCodes(db: Database, of: Pick<CodeKey, 'emailKey' | 'purpose'>, now: Date): Promise<void> {
  await db
    .updateTable('codes')
    .set({ closedAt: now })
    .where('emailKey', '=', of.emailKey)
    .where('purpose', '=', of.purpose)
    .where('closedAt', 'is', null)
    .execute();
}

/** Closes a code after use; false when somebody else has just used it or a newer one has taken its place. */
export async function useCode(db: Database, codeId: string, now: Date): Promise<boolean> {
  const used = await db
    .updateTable('codes')
    .set({ closedAt: now })
    .where('id', '=', codeId)
    .where('closedAt', 'is', null)
    .executeTakeFirst();
  return used.numUpdatedRows === 1n;
}

/** Whether a code of this holder waits for its use, also one that is too late or out of tries: another may take its place. */
export async function isCodeAwaited(db: Database, of: CodeKey): Promise<boolean> {
  return hasOpenCode(db, of, new Date(0));
}

/** Whether there is an open code for this holder, tries or not. */
export async function hasOpenCode(db: Database, of: CodeKey, now: Date): Promise<boolean> {
  const row = await db
    .selectFrom('codes')
    .select('id')
    .where('emailKey', '=', of.emailKey)
    .where('purpose', '=', of.purpose)
    .where('holder', '=', of.holder)
    .where('closedAt', 'is', null)
    .where('expiresAt', '>', now)
    .executeTakeFirst();
  return row !== undefined;
}
