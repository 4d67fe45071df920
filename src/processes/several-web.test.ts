import { freePort } from '#storage/embedded/free-port.ts';
import { hashPassword } from '#server/auth/passwords.ts';
import { addUser } from '#storage/users/users.ts';
import { sql } from 'kysely';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshDatabase } from '../../test/support/fresh-database.ts';

const { db, url } = await freshDatabase();
const home = mkdtempSync(join(tmpdir(), 'flotilla-webs-'));
const children: ChildProcess[] = [];
const password = 'correct horse battery';

/** Starts a web process of its own, as systemd would, and gives its address. */
async function startWeb(): Promise<string> {
  const port = await freePort();
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, '../main.ts'), 'serve', '--role', 'web'],
    {
      env: { ...process.env, DATABASE_URL: url, FLOTILLA_HOME: home, PORT: String(port), DEMO: 'off', HOST: '127.0.0.1' },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    },
  );
  children.push(child);
  const ended = once(child, 'exit').then(() => {
    throw new Error('The web process ended instead of starting; what it said stands above.');
  });
  for (let message: unknown = null; (message as { ready?: true } | null)?.ready !== true;)
    [message] = await Promise.race([once(child, 'message'), ended]);
  ended.catch(() => {}); // from here on it may end
  return `http://127.0.0.1:${port}`;
}

let first = '';
let second = '';
beforeAll(async () => {
  await addUser(db, { email: 'person@example.com', passwordHash: await hashPassword(password), role: 'admin', verified: true });
  await addOldBacktests();
  first = await startWeb();
  second = await startWeb();
});
afterAll(async () => {
  await Promise.all(
    children.map(async (child) => {
      if (child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    }),
  );
  rmSync(home, { recursive: true, force: true });
});

/** 53 runs of the person, of 142 to 90 days ago. */
async function addOldBacktests(): Promise<void> {
  await sql`
    insert into strategies (class_name, name, description, supported_exchanges, default_timeframe, stoploss, trailing_stop,
      trailing_only_offset_is_reached, minimal_roi, order_types, order_time_in_force, position)
    values ('Old', 'Old', '', array['sandbox'], '5m', -0.1, false, false, '{}', '{}', '{}', 99)`.execute(db);
  await sql`
    insert into backtests (user_id, strategy_id, exchange_id, symbol, trading_mode, timeframe, days, stake_amount, max_open_trades, status, metrics,
      equity, result, created_at, finished_at)
    select u.id, s.id, 'sandbox', 'S' || n, 'spot', '5m', 30, 10, 1, 'done', '{"total_trades": 0, "win_rate": 0, "net_pnl": 0}', '[]', '{}',
      now() - n * interval '1 day', now() - n * interval '1 day'
    from users u, strategies s, generate_series(90, 142) n`.execute(db);
}

async function call(at: string, method: string, path: string, cookie = '', body?: object, key?: string) {
  const answer = await fetch(`${at}/api${path}`, {
    method,
    headers: {
      origin: at,
      cookie,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const cookies = answer.headers.getSetCookie().map((line) => line.split(';')[0] ?? '');
  return { status: answer.status, text: await answer.text(), cookie: cookies.join('; ') };
}

test('a session holds at every web process, and ends at all of them', async () => {
  const { status, cookie } = await call(first, 'POST', '/auth/login', '', { email: 'person@example.com', password });
  expect(status).toBe(200);
  expect(await call(second, 'GET', '/auth/me', cookie)).toMatchObject({ status: 200, text: expect.stringContaining('person@example.com') });
  expect((await call(second, 'POST', '/auth/logout', cookie)).status).toBeLessThan(300);
  expect((await call(first, 'GET', '/auth/me', cookie)).status).toBe(401);
});

test('a call that is repeated at another web process is done once', async () => {
  const { cookie } = await call(first, 'POST', '/auth/login', '', { email: 'person@example.com', password });
  await sql`update installation_settings set registration = 'invitation'`.execute(db);
  const key = 'a-key-of-sixteen-characters-0001';
  const invite = { email: 'invited@example.com', role: 'trader' };
  const [one, again] = [
    await call(first, 'POST', '/invitations', cookie, invite, key),
    await call(second, 'POST', '/invitations', cookie, invite, key),
  ];
  expect(one.status, one.text).toBeLessThan(300);
  expect([again.status, again.text]).toEqual([one.status, one.text]);
  expect(await db.selectFrom('invitations').select('id').execute()).toHaveLength(1);
});

test('backtests of more than 90 days ago lose their details, but for the newest 50 of a person', async () => {
  const removed = async () =>
    (await sql<{ symbol: string }>`select symbol from backtests where details_removed_at is not null order by symbol`.execute(db)).rows.map(
      ({ symbol }) => symbol,
    );
  await expect.poll(removed).toEqual(['S140', 'S141', 'S142']);
});
