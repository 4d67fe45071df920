import { hashPassword } from '#server/auth/passwords.ts';
import type { Database } from '#storage/database.ts';
import { addUser } from '#storage/users/users.ts';
import { sql } from 'kysely';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { newInstance } from './instance.ts';
import { addManyBots } from './many-bots.ts';
import type { Measured } from './measured-process.ts';
import { familyCpuMs } from './processor-time.ts';

const port = Number(process.env['PORT'] ?? 3933);
/** The password of everybody who is signed in. */
export const password = 'a long password';

/** The whole product, running as people run it, beside which something is measured. */
export interface MeasuredProduct {
  url: string;
  db: Database;
  cookies: readonly string[]; // of people who are signed in: admins, then `others`
  /** What a process has used and how late its event loop was, since this was asked before. */
  measured(role: 'web' | 'runner'): Promise<Measured>;
  /** Processor time of the database's processes so far, in ms. */
  databaseCpuMs(): number;
  /** Runs a backtest of a year of minutes to its end. */
  backtestOfAYear(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts the product with so many running bots and signed-in people; waits until every bot has received prices. `seed` adds what
 * else there is before the start; `others` are accounts it adds, which are signed in too, after the admins.
 */
export async function startProduct(count: {
  bots: number;
  people: number;
  seed?: (db: Database, passwordHash: string) => Promise<void>;
  others?: readonly string[];
}): Promise<MeasuredProduct> {
  const url = `http://127.0.0.1:${port}`;
  const instance = await newInstance();
  const { db } = instance;
  await addManyBots(db, count.bots);
  const emails = Array.from({ length: count.people }, (_, i) => `p${i}@example.com`);
  const passwordHash = await hashPassword(password);
  for (const email of emails) await addUser(db, { email, passwordHash, role: 'admin', verified: true });
  await count.seed?.(db, passwordHash);
  const measures = join(instance.home, 'measures');
  const preload = `--import=${new URL('measured-process.ts', import.meta.url).href}`;
  const product = spawn(process.execPath, ['src/main.ts', 'serve'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      FLOTILLA_HOME: instance.home,
      PORT: String(port),
      DEMO: 'off',
      MEASURES_TO: measures,
      NODE_OPTIONS: [process.env['NODE_OPTIONS'], preload].filter(Boolean).join(' '),
    },
  });
  const isUp = (): Promise<boolean> =>
    fetch(`${url}/api/system/status`)
      .then((reply) => reply.ok)
      .catch(() => false);
  const running = async (): Promise<number> => {
    const { rows } = await sql<{ n: string }>`select count(*) as n from bot_vitals where last_tick_at > now() - interval '20 s'`.execute(
      db,
    );
    return Number(rows[0]?.n);
  };
  while (!(await isUp())) {
    if (product.exitCode !== null) throw new Error('The product ended before it was up.'); // it has said why
    await sleep(50);
  }
  while ((await running()) < count.bots) await sleep(500);
  const cookies = await Promise.all([...emails, ...(count.others ?? [])].map((email) => signIn(url, email)));
  const { rows: strategies } = await sql<{ id: string }>`select id from strategies where class_name = 'EmaCross'`.execute(db);

  return {
    url,
    db,
    cookies,
    async measured(role) {
      const file = join(measures, `${role}.json`);
      const read = (): Measured => JSON.parse(readFileSync(file, 'utf8')) as Measured;
      while (!existsSync(file)) await sleep(50);
      const before = read();
      process.kill(before.pid, 'SIGUSR2');
      for (;;) {
        const now = read();
        if (now.asked > before.asked) return now;
        await sleep(20);
      }
    },
    databaseCpuMs: () => familyCpuMs(instance.server.pid),
    async backtestOfAYear() {
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
    },
    async stop() {
      product.kill('SIGTERM');
      await new Promise((resolve) => product.once('exit', resolve));
      await instance.remove();
    },
  };
}

async function signIn(url: string, email: string): Promise<string> {
  const reply = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  if (!reply.ok) throw new Error(`${email} could not sign in: ${reply.status}`);
  return reply.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}
