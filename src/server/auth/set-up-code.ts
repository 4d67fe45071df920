import type { Database } from '#storage/database.ts';
import { removeFact, lockFact, writeFact } from '#storage/installation/facts.ts';
import { randomInt, timingSafeEqual } from 'node:crypto';
import { tokenHash } from '../http/tokens.ts';

const fact = 'set_up_code_hash';
const letters = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'; // without those that look alike

/** A new code for making the first admin, for example 'K7QM-2XWD-9HNB'; an earlier one is void. Only its hash is kept. */
export async function makeSetUpCode(db: Database): Promise<string> {
  const code = Array.from({ length: 12 }, () => letters.charAt(randomInt(letters.length))).join('');
  await writeFact(db, fact, hashOf(code));
  return code.replaceAll(/(.{4})(?=.)/gu, '$1-');
}

/**
 * Whether the code is the one that was printed, in any spelling; a right one is used up. Of two calls at once the second
 * waits for the first.
 *
 * Needs: a transaction
 */
export async function takeSetUpCode(trx: Database, code: string): Promise<boolean> {
  const hash = await lockFact<string>(trx, fact);
  if (hash === null || !timingSafeEqual(Buffer.from(hash), Buffer.from(hashOf(code)))) return false;
  await removeFact(trx, fact);
  return true;
}

function hashOf(code: string): string {
  return tokenHash(code.toUpperCase().replaceAll(/[^A-Z0-9]/gu, '')).toString('base64url');
}
