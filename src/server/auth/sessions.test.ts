import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { endSession, findSession } from '#storage/auth/sessions.ts';
import { addUser } from '#storage/users/users.ts';
import { beginSession, callerOf, renewSession, sessionLife } from './sessions.ts';
import { tokenHash } from '../http/tokens.ts';

const { db } = await freshDatabase();
const start = new Date('2026-03-01T12:00:00Z');
const at = (ms: number) => new Date(start.getTime() + ms);
let users = 0;
const newUser = async () =>
  (await addUser(db, { email: `u${++users}@example.com`, passwordHash: 'x', role: 'trader', verified: true }))?.id ?? '';
const minute = 60_000;
const week = 7 * 24 * 60 * minute;
const begin = async (...given: Parameters<typeof beginSession>) => (await beginSession(...given)).token;
const renew = (token: string, now: Date) => db.transaction().execute((trx) => renewSession(trx, token, now));
const successorOf = async (token: string, now: Date): Promise<string> => {
  const renewal = await renew(token, now);
  return renewal.state === 'renewed' ? (renewal.token ?? '') : '';
};

test('OP-19 a person has ten sessions: the eleventh ends the oldest', async () => {
  const user = await newUser();
  const tokens = [];
  for (let i = 0; i < 11; i++) tokens.push(await begin(db, user, at(i), ''));
  const callers = await Promise.all(tokens.map((token) => callerOf(db, token, at(20))));
  expect(callers.map((caller) => caller !== null)).toEqual([false, ...Array.from({ length: 10 }, () => true)]);
});

test('OP-19 those that nobody can use any more take no place: the one of a wall display lives on', async () => {
  const user = await newUser();
  const display = await begin(db, user, at(0), '');
  for (let i = 0; i < 10; i++) await begin(db, user, at(i), '');
  const renewed = await successorOf(display, at(7 * 60 * 60_000));
  const later = 9 * 60 * 60_000; // the ten were idle for longer than a session may be
  await begin(db, user, at(later), '');
  expect((await findSession(db, tokenHash(renewed)))?.revokedAt ?? null).toBeNull();
});

test('OP-19 a session is over at its end, whatever its newest token says', async () => {
  const token = await begin(db, await newUser(), start, '');
  await sql`update session_tokens set access_until = 'infinity', refresh_until = 'infinity'`.execute(db);
  expect(await callerOf(db, token, at(week - 1))).not.toBeNull();
  expect(await callerOf(db, token, at(week))).toBeNull();
  expect(await renew(token, at(week))).toEqual({ state: 'expired' });
});

test('OP-19 a replaced token is good for the grace and no longer', async () => {
  const token = await begin(db, await newUser(), start, '');
  await renew(token, start);
  expect(await callerOf(db, token, at(sessionLife.grace))).not.toBeNull();
  expect(await callerOf(db, token, at(sessionLife.grace + 1))).toBeNull();
});

test('OP-19 a token leads to its person for fifteen minutes, and after that to nobody', async () => {
  const user = await newUser();
  const token = await begin(db, user, start, '192.0.2.1');
  const { sessionId } = (await findSession(db, tokenHash(token))) ?? {};
  expect(await callerOf(db, token, at(15 * minute - 1))).toEqual({
    id: user,
    email: `u${users}@example.com`,
    role: 'trader',
    verified: true,
    emailVerified: true,
    has2fa: false,
    sessionId,
    authenticatedAt: start,
  });
  expect(await callerOf(db, token, at(15 * minute))).toBeNull();
  expect(await callerOf(db, 'a token that nobody was given', start)).toBeNull();
});

test('OP-19 a session may be renewed for eight hours after its last renewal, not later', async () => {
  const [early, late] = [await begin(db, await newUser(), start, ''), await begin(db, await newUser(), start, '')];
  const renewed = await renew(early, at(8 * 60 * minute - 1));
  expect(renewed).toMatchObject({ state: 'renewed', token: expect.any(String) });
  expect(await renew(late, at(8 * 60 * minute))).toEqual({ state: 'expired' });
  expect(await renew('a token that nobody was given', start)).toEqual({ state: 'expired' });
});

test('OP-19 a renewal gives another token, which is good for fifteen minutes again', async () => {
  const token = await begin(db, await newUser(), start, '');
  const successor = await successorOf(token, at(10 * minute));
  expect(successor).not.toBe(token);
  expect(await callerOf(db, successor, at(25 * minute - 1))).not.toBeNull();
  expect(await callerOf(db, successor, at(25 * minute))).toBeNull();
});

test('OP-19 no token is good for longer than its session', async () => {
  const token = await begin(db, await newUser(), start, '');
  await sql`update session_tokens set refresh_until = ${at(2 * week)}`.execute(db);
  const successor = await successorOf(token, at(week - minute));
  const { accessUntil, refreshUntil } = await db
    .selectFrom('sessionTokens')
    .select(['accessUntil', 'refreshUntil'])
    .where('hash', '=', tokenHash(successor))
    .executeTakeFirstOrThrow();
  expect([accessUntil, refreshUntil]).toEqual([at(week), at(week)]);
});

test('OP-19 within the grace a replaced token leads to the same successor, and to none once that was replaced too', async () => {
  const token = await begin(db, await newUser(), start, '');
  const successor = await successorOf(token, start);
  expect(await renew(token, at(sessionLife.grace))).toEqual({ state: 'renewed', token: successor, lifeMs: week - sessionLife.grace });
  await successorOf(successor, at(sessionLife.grace));
  expect(await renew(token, at(sessionLife.grace))).toEqual({ state: 'renewed', token: null, lifeMs: week - sessionLife.grace });
});

test('OP-19 after the grace the use of a replaced token ends the session for everybody', async () => {
  const user = await newUser();
  const token = await begin(db, user, start, '');
  const successor = await successorOf(token, start);
  const { sessionId } = (await findSession(db, tokenHash(token))) ?? {};
  expect(await renew(token, at(sessionLife.grace + 1))).toEqual({ state: 'stolen', sessionId, userId: user });
  expect(await callerOf(db, successor, at(sessionLife.grace + 1))).toBeNull();
  expect(await renew(successor, at(sessionLife.grace + 1))).toEqual({ state: 'expired' });
  const { revokedWhy } = await db
    .selectFrom('sessions')
    .select('revokedWhy')
    .where('id', '=', sessionId ?? '')
    .executeTakeFirstOrThrow();
  expect(revokedWhy).toBe('a replaced token was used again');
});

test('OP-19 a session that was ended leads to nobody and is not renewed', async () => {
  const token = await begin(db, await newUser(), start, '');
  const { sessionId = '' } = (await findSession(db, tokenHash(token))) ?? {};
  await endSession(db, sessionId, start, 'signed out');
  expect(await callerOf(db, token, start)).toBeNull();
  expect(await renew(token, start)).toEqual({ state: 'expired' });
});
