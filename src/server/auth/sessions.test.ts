import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addUser } from '#storage/users.ts';
import { beginSession, callerOf, renewSession, sessionLife } from './sessions.ts';

const { db } = await freshDatabase();
const start = new Date('2026-03-01T12:00:00Z');
const at = (ms: number) => new Date(start.getTime() + ms);
let users = 0;
const newUser = async () =>
  (await addUser(db, { email: `u${++users}@example.com`, passwordHash: 'x', role: 'trader', verified: true }))?.id ?? '';
const renew = (token: string, now: Date) => db.transaction().execute((trx) => renewSession(trx, token, now));

test('OP-19 a person has ten sessions: the eleventh ends the oldest', async () => {
  const user = await newUser();
  const tokens = [];
  for (let i = 0; i < 11; i++) tokens.push(await beginSession(db, user, at(i), ''));
  const callers = await Promise.all(tokens.map((token) => callerOf(db, token, at(20))));
  expect(callers.map((caller) => caller !== null)).toEqual([false, ...Array.from({ length: 10 }, () => true)]);
});

test('OP-19 a session is over at its end, whatever its newest token says', async () => {
  const token = await beginSession(db, await newUser(), start, '');
  await sql`update session_tokens set access_until = 'infinity', refresh_until = 'infinity'`.execute(db);
  expect(await callerOf(db, token, at(sessionLife.absolute - 1))).not.toBeNull();
  expect(await callerOf(db, token, at(sessionLife.absolute))).toBeNull();
  expect(await renew(token, at(sessionLife.absolute))).toEqual({ state: 'expired' });
});

test('OP-19 a replaced token is good for the grace and no longer', async () => {
  const token = await beginSession(db, await newUser(), start, '');
  await renew(token, start);
  expect(await callerOf(db, token, at(sessionLife.grace))).not.toBeNull();
  expect(await callerOf(db, token, at(sessionLife.grace + 1))).toBeNull();
});
