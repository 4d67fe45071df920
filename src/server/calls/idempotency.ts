import { dayMs, minuteMs } from '#engine/market/durations.ts';
import { texts } from '#contract/errors.ts';
import type { Database } from '#storage/database.ts';
import { freeKey, keepAnswer, reserveKey } from '#storage/calls/idempotency-keys.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { setTimeout as sleep } from 'node:timers/promises';
import { openWith, sealWith } from '#vault/seal.ts';
import { tokenHash } from '../http/tokens.ts';
import { HttpError } from '../http/http-error.ts';

/** A key under which the answer of the current call is to be kept. */
interface Reserved {
  caller: string;
  call: string;
  key: string; // hash of the key that was sent
  secret: string; // the key that was sent: answers are sealed under it, as they may hold cookies
}

const reservations = new WeakMap<FastifyRequest, Reserved>();
const authLifeMs = minuteMs;
const lifeMs = dayMs;
const patienceMs = 30_000;

/**
 * Gives a repeated call its first answer. True when the answer was sent; false when the call is new and must be done.
 *
 * A repetition that comes while the first is still under way waits for it, and gets its answer, which may be that its session has ended. Where
 * there is none and the call must be done after all, `again` fails when the caller may no longer make it.
 *
 * Fails: 400 when the key was sent before with another body: the answer may hold a session that this body earns nobody
 */
export async function answerRepeated(
  db: Database,
  request: FastifyRequest,
  reply: FastifyReply,
  caller: string,
  call: string,
  again: () => Promise<void>,
): Promise<boolean> {
  const secret = request.headers['idempotency-key'];
  if (typeof secret !== 'string' || secret === '') return false;
  if (secret.length > 200) throw new HttpError(400, texts.invalidRequest);
  const of = { caller, call: `${call} ${request.url}`, key: tokenHash(secret).toString('base64url') };
  // With the key, which nobody keeps: the hash of a body alone would let its password be guessed from a copy of the database.
  const bodyHash = tokenHash(`${secret}\n${JSON.stringify(request.body ?? null)}`);
  const start = Date.now();
  for (let hasWaited = false; ; hasWaited = true, await sleep(100)) {
    const found = await reserveKey(db, of, bodyHash, new Date());
    if (found.state === 'other') throw new HttpError(400, texts.invalidRequest);
    if (found.state === 'new') {
      if (hasWaited) await again().catch((error: unknown) => freeKey(db, of).then(() => Promise.reject(error)));
      reservations.set(request, { ...of, secret });
      return false;
    }
    if (found.state === 'done') {
      const { answer } = found;
      for (const cookie of answer.cookies) void reply.header('set-cookie', open(secret, cookie));
      // Not waited for: it may have to wait for the answer to a call before it on the same connection, which waits for its turn behind this one.
      void reply.status(answer.status).type('application/json; charset=utf-8').send(open(secret, answer.reply));
      return true;
    }
    if (Date.now() - start > patienceMs) throw new HttpError(429, texts.tooManyRequests, { retryAfterSeconds: 5 });
  }
}

/**
 * Keeps the answer of a call whose key was reserved. An answer of 500 or above frees the key, and so does a refusal that nobody waits for
 * any more: it may be that of a call which ended because its caller had gone. What was done is kept for a caller who has gone too.
 */
export async function keepFirstAnswer(db: Database, request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<void> {
  const reserved = reservations.get(request);
  if (reserved === undefined) return;
  reservations.delete(request);
  const { secret, ...of } = reserved;
  const isForNobody = reply.raw.destroyed && reply.statusCode >= 400;
  if (reply.statusCode >= 500 || isForNobody || typeof payload !== 'string') return freeKey(db, of);
  const header = reply.getHeader('set-cookie');
  const until = new Date(Date.now() + (of.call.includes(' /auth/') ? authLifeMs : lifeMs));
  const cookies = header === undefined ? [] : [header].flat().map(String);
  await keepAnswer(
    db,
    of,
    { status: reply.statusCode, reply: seal(secret, payload), cookies: cookies.map((cookie) => seal(secret, cookie)) },
    until,
  );
}

function seal(secret: string, text: string): string {
  return sealWith(secret, 'first answer', text).toString('base64url');
}

function open(secret: string, sealed: string): string {
  return openWith(secret, 'first answer', Buffer.from(sealed, 'base64url'));
}
