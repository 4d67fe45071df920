// The API, signed in, on the embedded database, beside 200 running bots: 500 mixed requests a second.
import { hashPassword } from '#server/auth/passwords.ts';
import { addUser } from '#storage/users.ts';
import autocannon from 'autocannon';
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { row } from './support/figures.ts';
import { newInstance } from './support/instance.ts';
import { addManyBots } from './support/many-bots.ts';

const port = 3933;
const url = `http://127.0.0.1:${port}`;
const people = 40; // 500 a second are more than one person may ask for
const seconds = Number(process.env['SECONDS_EACH'] ?? 20);

const instance = await newInstance();
await addManyBots(instance.db, 200);
const passwordHash = await hashPassword('a long password');
for (let i = 0; i < people; i++) await addUser(instance.db, { email: `p${i}@example.com`, passwordHash, role: 'admin', verified: true });
const product = spawn(process.execPath, ['src/main.ts', 'serve'], {
  stdio: ['ignore', 'ignore', 'inherit'],
  env: { ...process.env, FLOTILLA_HOME: instance.home, PORT: String(port), DEMO: 'off' },
});
try {
  while (
    !(await fetch(`${url}/api/system/status`)
      .then((reply) => reply.ok)
      .catch(() => false))
  )
    await sleep(50);
  const running = async (): Promise<number> =>
    Number(
      (await sql<{ n: string }>`select count(*) as n from bot_vitals where last_tick_at > now() - interval '20 s'`.execute(instance.db))
        .rows[0]?.n,
    );
  while ((await running()) < 200) await sleep(500);
  const cookies = await Promise.all(Array.from({ length: people }, (_, i) => signIn(`p${i}@example.com`)));
  const { rows: bots } = await sql<{ id: string; symbols: string[] }>`select id, symbols from bots order by id limit 20`.execute(
    instance.db,
  );
  const paths = [
    ...bots.flatMap(({ id, symbols }) => {
      const query = `bot_id=${id}&symbol=${encodeURIComponent(symbols[0] ?? '')}`;
      return [`/api/chart/candles?${query}`, `/api/chart/overlays?${query}`, `/api/metrics/orders?${query}`, `/api/metrics/pnl?${query}`];
    }),
    '/api/auth/me',
    '/api/metrics/available-bots',
    '/api/strategies',
    '/api/status/live',
    '/api/bots',
  ];
  for (const path of paths) await fetch(url + path, { headers: { cookie: cookies[0] ?? '' } }); // everything has been asked for once
  const requests = Array.from({ length: 200 }, (_, i) => ({
    path: paths[i % paths.length] ?? '',
    headers: { cookie: cookies[i % people] ?? '' },
  }));
  const { rows: strategies } = await sql<{ id: string }>`select id from strategies where class_name = 'EmaCross'`.execute(instance.db);
  const measure = async (name: string): Promise<void> => {
    // Thirty was picked on the two-core machine after 20 and 50 were tried, so a latency claim names the number with it.
    const result = await autocannon({ url, connections: 30, duration: seconds, overallRate: 500, requests });
    row(`${name}: answered`, `${(result.requests.total / seconds).toFixed(0)} /s`, '500 /s');
    row('  p50 / p99', `${result.latency.p50} / ${result.latency.p99} ms`, 'p99 under 100 ms');
    row('  refused or failed', String(result.non2xx + result.errors), 'none');
  };
  await measure('mixed calls beside 200 bots');
  const state = { isRunning: true };
  let runs = 0;
  const backtests = (async () => {
    // A year of minutes, again and again: the first downloads, the others only run.
    for (; state.isRunning; runs++) {
      const body = {
        strategy_id: strategies[0]?.id,
        exchange: 'sandbox',
        symbol: 'BTC/USDT',
        trading_mode: 'spot',
        timeframe: '1m',
        days: 365,
        stake_amount: 1_000,
        max_open_trades: 1,
      };
      const reply = await fetch(`${url}/api/backtest/run`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie: cookies[0] ?? '' },
        body: JSON.stringify(body),
      });
      if (!reply.ok) throw new Error(`The backtest failed: ${await reply.text()}`);
    }
  })();
  await measure('the same while backtests of a year of minutes run');
  state.isRunning = false;
  await backtests;
  row('  backtests done meanwhile', String(runs), 'no promise');
} finally {
  product.kill('SIGTERM');
  await new Promise((resolve) => product.once('exit', resolve));
  await instance.db.destroy();
}

async function signIn(email: string): Promise<string> {
  const reply = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: 'a long password' }),
  });
  if (!reply.ok) throw new Error(`${email} could not sign in: ${reply.status}`);
  return reply.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}
