import { hourMs, minuteMs } from '#engine/market/durations.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { password, startTestServer } from '../../../test/support/test-server.ts';
import { isFresh } from './step-up.ts';

// A machine that started with a clock that was ahead, and was set back.

const server = await startTestServer();
const { db } = server.dependencies;

test('a password that was checked by the clock that was ahead has to be entered again', () => {
  const now = new Date('2026-11-30T12:00:00Z');
  const fresh = (ms: number) => isFresh({ authenticatedAt: new Date(now.getTime() + ms) }, now);
  expect([fresh(6 * hourMs), fresh(-11 * minuteMs)]).toEqual([false, false]);
  expect([fresh(2_000), fresh(-9 * minuteMs)]).toEqual([true, true]); // two machines are never quite together
});

test('who signs in is mailed a code, whenever the clock that was ahead has mailed one', async () => {
  const owner = await server.signedIn('trader');
  await sql`update users set has2fa = true where id = ${owner.userId}`.execute(db);
  const mailed = () => server.mailBox.mails.filter(({ to, subject }) => to.includes(owner.email) && subject === 'Your 2FA code').length;
  server.pass(hourMs);
  await server.browser('10.77.0.3').login({ body: { email: owner.email, password } });
  expect(mailed()).toBe(1);
  server.pass(-hourMs + 2 * minuteMs);
  await server.browser('10.77.0.4').login({ body: { email: owner.email, password } });
  expect(mailed()).toBe(2);
});
