import { minuteMs } from '#engine/market/durations.ts';
import type { Database } from '../database.ts';

/** The first answer to a call with an idempotency key. */
export interface FirstAnswer {
  status: number;
  reply: string;
  cookies: string[];
}

const reservationMs = minuteMs;

/** Which call a key belongs to. */
interface KeyOfCall {
  caller: string;
  call: string;
  key: string;
}

/**
 * Reserves a key for the caller. `new`: do the call and keep its answer; `done`: give this answer; `busy`: the same
 * call is still under way; `other`: the key was sent before with another body. A reservation whose call was never
 * answered (its server died) is free again after a minute.
 */
export async function reserveKey(
  db: Database,
  of: KeyOfCall,
  bodyHash: Buffer,
  now: Date,
): Promise<{ state: 'new' } | { state: 'busy' } | { state: 'other' } | { state: 'done'; answer: FirstAnswer }> {
  await db
    .deleteFrom('idempotencyKeys')
    .where('caller', '=', of.caller)
    .where('call', '=', of.call)
    .where('key', '=', of.key)
    .where('expiresAt', '<=', now)
    .execute();
  const added = await db
    .insertInto('idempotencyKeys')
    .values({ ...of, bodyHash, expiresAt: new Date(now.getTime() + reservationMs) })
    .onConflict((conflict) => conflict.doNothing())
    .returning('key')
    .executeTakeFirst();
  if (added !== undefined) return { state: 'new' };
  const row = await db
    .selectFrom('idempotencyKeys')
    .select(['status', 'reply', 'cookies', 'bodyHash'])
    .where('caller', '=', of.caller)
    .where('call', '=', of.call)
    .where('key', '=', of.key)
    .executeTakeFirst();
  if (row !== undefined && !row.bodyHash.equals(bodyHash)) return { state: 'other' };
  if (row === undefined || row.status === null || row.reply === null) return { state: 'busy' };
  return { state: 'done', answer: { status: row.status, reply: row.reply, cookies: row.cookies ?? [] } };
}

/** Keeps the answer of a reserved key until `until`. */
export async function keepAnswer(db: Database, of: KeyOfCall, answer: FirstAnswer, until: Date): Promise<void> {
  await db
    .updateTable('idempotencyKeys')
    .set({ ...answer, expiresAt: until })
    .where('caller', '=', of.caller)
    .where('call', '=', of.call)
    .where('key', '=', of.key)
    .execute();
}

/** Frees a reserved key, so that the call may be made again. */
export async function freeKey(db: Database, of: KeyOfCall): Promise<void> {
  await db.deleteFrom('idempotencyKeys').where('caller', '=', of.caller).where('call', '=', of.call).where('key', '=', of.key).execute();
}
