import { minuteMs } from '#engine/market/durations.ts';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { lockWaits } from '../support/lock-waits.ts';
import { startTestServer } from '../support/test-server.ts';
import { drawsOf } from '../torture/draws.ts';
import { ownConnections } from './own-database.ts';
import { report, runSize } from '../support/run-size.ts';

// Tabs of one browser renew the session at the same moment, answers get lost, and a copy of an old token is used:
// npm run torture refreshes [ROUNDS] [SEED]

const { size, seed } = runSize(3);
const server = await startTestServer();
const db = await ownConnections(server.dependencies.db); // those of the server are what the renewals wait for
await server.app.listen({ host: '127.0.0.1', port: 0 });
const bound = server.app.server.address();
const url = `http://127.0.0.1:${typeof bound === 'object' && bound !== null ? bound.port : 0}/api`;

/** A renewal over a connection of its own: its status and the cookie it gives, if any. */
async function renew(token: string): Promise<{ status: number; token: string | null }> {
  const reply = await fetch(`${url}/auth/refresh`, { method: 'POST', headers: { cookie: `sid=${token}`, connection: 'close' } });
  await reply.arrayBuffer();
  const cookie = reply.headers.getSetCookie().find((line) => line.startsWith('sid=') && !line.startsWith('sid=;'));
  return { status: reply.status, token: cookie === undefined ? null : (/^sid=([^;]*)/u.exec(cookie)?.[1] ?? null) };
}

const meStatus = async (token: string): Promise<number> => (await fetch(`${url}/auth/me`, { headers: { cookie: `sid=${token}` } })).status;

/** Renewals that all reach the token's row before the first of them can take it. */
async function renewAtOnce(token: string, tabs: number): Promise<Awaited<ReturnType<typeof renew>>[]> {
  const renewals = await db.transaction().execute(async (trx) => {
    await sql`select from session_tokens where replaced_at is null for update`.execute(trx);
    const begun = Array.from({ length: tabs }, () => renew(token));
    await expect.poll(() => lockWaits(db)).toBeGreaterThanOrEqual(2); // the rest waits for a connection
    return begun;
  });
  return Promise.all(renewals);
}

const families = async (userId: string) =>
  (
    await sql<{ live: number; newest: number }>`
      select count(distinct s.id)::int as live, count(t.hash) filter (where t.replaced_at is null)::int as newest
      from sessions s left join session_tokens t on t.session_id = s.id where s.user_id = ${userId} and s.revoked_at is null`.execute(db)
  ).rows[0];

test(`OP-19 after ${size} rounds of renewals at once from seed ${seed}, some without an answer, there is one session, and a replay ends it`, async () => {
  onTestFinished(server.hold()); // a grace is over 30 s after a renewal, whatever the rest takes
  const draws = drawsOf(seed);
  let [renewed, lost] = [0, 0];
  for (let round = 0; round < size; round++) {
    const person = await server.signedIn('trader');
    let cookie = person.cookies.get('sid') ?? '';
    const first = cookie;
    for (let wave = 0; wave < 3; wave++) {
      server.pass(draws.whole(1, 16) * minuteMs);
      const tabs = draws.whole(2, 50);
      const answers = await renewAtOnce(cookie, tabs);
      renewed += tabs;
      expect(new Set(answers.map(({ status }) => status)), `seed ${seed}, round ${round}, ${tabs} tabs`).toEqual(new Set([200]));
      const successors = new Set(answers.map(({ token }) => token));
      expect(successors.size).toBe(1);
      // Of some waves no tab gets its answer; within the grace the same successor is given again.
      const [successor] = successors;
      expect(successor).not.toBeNull();
      if (draws.happens(0.3)) {
        lost += tabs;
        server.pass(draws.whole(0, 29_000));
        const again = await renew(cookie);
        expect(again).toEqual({ status: 200, token: successor });
      }
      cookie = successor ?? '';
      expect(await meStatus(cookie)).toBe(200);
      expect(await families(person.userId)).toEqual({ live: 1, newest: 1 });
    }
    server.pass(31_000);
    expect(await renew(first)).toEqual({ status: 401, token: null });
    expect(await meStatus(cookie)).toBe(401);
    expect(await renew(cookie)).toEqual({ status: 401, token: null });
    expect(await families(person.userId)).toEqual({ live: 0, newest: 0 });
  }
  report(
    `refreshes, seed ${seed}: ${size} sessions, ${renewed} renewals at once, ${lost} answers lost: one session each, none after a replay`,
  );
});
