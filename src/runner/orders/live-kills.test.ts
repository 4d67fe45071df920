import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Trading } from '#engine/ports/trading.ts';
import { seededRandom } from '#engine/simulation/seeded-random.ts';
import type { RestFaultRule } from '#sandbox/wire/faults.ts';
import type { SandboxProcess } from '#sandbox/testing/sandbox-process.ts';
import { sandboxProcess } from '#sandbox/testing/sandbox-process.ts';
import { setBotStatus } from '#storage/bots/bots.ts';
import { waitForEntries } from '#storage/trading/trading-lock.ts';
import { lockSwitch, setSwitch } from '#storage/trading/trading-states.ts';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import type { DatabaseGate } from '../../../test/support/database-gate.ts';
import { databaseGate } from '../../../test/support/database-gate.ts';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { liveBots } from '../../../test/support/live-bots.ts';
import { patiently } from '../../../test/support/patiently.ts';
import { report, runSize } from '../../../test/support/run-size.ts';
import { bookFaults, ledgerOf } from './testing/account-books.ts';

const { size: kills, seed } = runSize(5);
const pace = 20; // a minute of market is three seconds
const leaseMs = 5_000; // of runner-process.ts
const { db, url } = await freshDatabase();
const folder = mkdtempSync(join(tmpdir(), 'live-kills-'));
const machineTime = Date.now();
// The market passes a time at which funding is paid while bots are killed.
const fundingMs = 8 * 3_600_000;
const paidAt = Math.floor(machineTime / fundingMs) * fundingMs;
const marketTime = paidAt - 4 * 60_000;
const publishedAt = paidAt + 40_000; // before bots check for it, and after some trades that have paid it have ended
const now = (): number => marketTime + (Date.now() - machineTime) * pace;
let sandbox = await sandboxProcess(folder, sandboxArgs('0'));
const { port } = new URL(sandbox.url);
let runner: ChildProcess | null = null;
const gates = new Map<ChildProcess | null, DatabaseGate>(); // the way of each runner to the database
let errors = '';
const live = liveBots({ sandboxUrl: sandbox.url, now });
const tradings: Trading[] = [];
afterAll(async () => {
  runner?.kill('SIGKILL');
  for (const gate of gates.values()) gate.end();
  await Promise.all(tradings.map((each) => each.close()));
  await sandbox.kill();
  rmSync(folder, { recursive: true });
});

function sandboxArgs(at: string): string[] {
  return ['--port', at, '--control-port', '0', '--factor', String(pace), '--start', String(Math.floor(now())), '--seed', String(seed)];
}

async function startRunner(): Promise<void> {
  const gate = await databaseGate(url);
  const script = join(import.meta.dirname, '../../../test/support/runner-process.ts');
  const args = [
    script,
    gate.url,
    sandbox.url,
    String(marketTime),
    String(machineTime),
    String(pace),
    JSON.stringify(Object.fromEntries(live.keys)),
  ];
  runner = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  gates.set(runner, gate);
  runner.stderr?.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(-4_000)));
}

async function end(child: ChildProcess | null): Promise<void> {
  if (child === null || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
  gates.get(child)?.end();
  gates.delete(child);
}

async function restartSandbox(): Promise<SandboxProcess> {
  await sandbox.kill();
  const restarted = await sandboxProcess(folder, sandboxArgs(port));
  await withholdFunding(restarted);
  return restarted;
}

/** The exchange does not publish what was paid before it is time to. */
async function withholdFunding(of: SandboxProcess): Promise<void> {
  if (now() >= publishedAt) return;
  await control('POST /faults', { fault: { kind: 'body', status: 200, body: '[]' }, path: '/fapi/v1/fundingRate' }, of);
  if (now() >= publishedAt) await control('DELETE /faults', {}, of);
}

async function publishFunding(): Promise<void> {
  await sleep(Math.max(0, (publishedAt - now()) / pace));
  // One that is being restarted publishes it by itself.
  await control('DELETE /faults').catch(() => undefined);
}

const random = seededRandom(seed);

const privatePaths = ['/api/v3/order', '/fapi/v1/order', '/fapi/v1/algoOrder', '/api/v3/myTrades', '/fapi/v1/userTrades'];
/** Adds what may go wrong with the next private calls. */
async function addFaults(): Promise<void> {
  const kinds: RestFaultRule['fault'][] = [
    { kind: 'reset' },
    { kind: 'hang' },
    { kind: 'cut-body' },
    { kind: 'late-answer', ms: 1_500 },
    { kind: 'body', status: 200, body: '{"half": ' },
    { kind: 'body', status: 502, body: '<html>bad gateway</html>', contentType: 'text/html' },
    { kind: 'error', status: 503, code: -1007, message: 'Timeout waiting for response from backend server.' },
    { kind: 'limit', status: 429, retryAfterSeconds: 1 },
  ];
  const path = privatePaths[Math.floor(random() * privatePaths.length)] ?? '';
  const fault = kinds[Math.floor(random() * kinds.length)] ?? { kind: 'reset' };
  await control('POST /faults', {
    fault,
    path,
    times: 1 + Math.floor(random() * 2),
    skip: Math.floor(random() * 2),
    carriedOut: random() < 0.5,
  });
  if (random() < 0.3) await control('POST /sockets', { do: 'drop' });
}

async function control(route: string, body: object = {}, of: SandboxProcess = sandbox): Promise<void> {
  const [method = '', path = ''] = route.split(' ');
  await fetch(`${of.controlUrl}${path}`, { method, ...(method === 'POST' ? { body: JSON.stringify(body) } : {}) });
}

/** A live bot with an account of its own. */
async function addLiveBot(
  nickname: string,
  marketType: 'spot' | 'futures',
  orderType: 'limit' | 'market',
): Promise<{ id: string; trading: Trading }> {
  const symbols = ['BTC/USDT', 'ETH/USDT', 'XRP/USDT', 'SOL/USDT'].map((symbol) => (marketType === 'spot' ? symbol : `${symbol}:USDT`));
  const { id, apiKeyId } = await live.add(db, {
    strategy: 'BuyAndHold',
    nickname,
    owner: `${nickname}@example.com`,
    marketType,
    symbols,
    maxOpenTrades: 4,
    leverage: marketType === 'spot' ? 1 : 3,
    minimalRoi: { 0: 0.001, 2: -1 },
    stoploss: -0.004,
    orderType,
  });
  const trading = await patiently(() => live.openTrading({ apiKeyId, exchangeId: 'sandbox', marketType }));
  tradings.push(trading);
  return { id, trading };
}

/** The runner freezes for longer than its lease. Another takes over, and the first wakes up beside it; or there is none, and it takes its bots back. */
async function freeze(isAlone: boolean): Promise<void> {
  const frozen = runner;
  frozen?.kill('SIGSTOP');
  if (!isAlone) await startRunner();
  await sleep(leaseMs + random() * 1_500);
  frozen?.kill('SIGCONT');
  if (isAlone) return;
  await sleep(500);
  await end(frozen);
}

/**
 * The database answers the runner nothing for a while; the exchange answers it all the time. Another that the database does answer takes
 * over; or there is none, and what the runner had sent before is done once there are answers again.
 */
async function silence(isAlone: boolean): Promise<void> {
  const silenced = runner;
  const gate = gates.get(silenced);
  gate?.shut();
  if (!isAlone) await startRunner();
  // Also for less than the lease: then it is still the runner of its bots.
  await sleep(isAlone ? random() * 2 * leaseMs : leaseMs + random() * 3_000);
  gate?.open();
  if (isAlone) return;
  await sleep(random() * 3_000);
  await end(silenced);
}

/** Stops all entries, and notes those that the exchange has taken after the confirmed answer: there must be none. */
async function stopEntries(): Promise<void> {
  const set = (state: 'active' | 'halted'): Promise<void> =>
    db.transaction().execute(async (trx) => {
      await lockSwitch(trx, { level: 'server' });
      await setSwitch(trx, { level: 'server' }, { state, setBy: null, isImposed: false });
    });
  await set('halted');
  await waitForEntries(db);
  const confirmedAt = now();
  await sleep(500);
  for (const { id, trading } of bots) {
    const { symbols } = await db.selectFrom('bots').select('symbols').where('id', '=', id).executeTakeFirstOrThrow();
    const entries = new Set(
      (await db.selectFrom('orders').select('clientOrderId').where('botId', '=', id).where('purpose', '=', 'entry').execute()).map(
        (row) => row.clientOrderId,
      ),
    );
    for (const symbol of symbols) {
      const orders = await patiently(() => trading.ordersSince(symbol, confirmedAt));
      late.push(
        ...orders
          .filter(({ clientOrderId, createdTime }) => entries.has(clientOrderId) && createdTime > confirmedAt)
          .map(({ clientOrderId }) => clientOrderId),
      );
    }
  }
  await set('active');
}
const late: string[] = [];
const bots: { id: string; trading: Trading }[] = [];

/** What the database knows of orders, for whoever has to find out why they were left behind. */
async function historyOf(ids: readonly (string | null)[]): Promise<string> {
  const { rows } = await sql`
    select o.*, (select json_agg(e order by e.at) from order_events e where e.order_id = o.id) as events
    from orders o where o.client_order_id = any(${ids})`.execute(db);
  return JSON.stringify(rows, null, 1);
}

test(
  `live bots whose runner, exchange and database connections are killed at ${kills} random moments lose and double nothing`,
  { timeout: 600_000 + kills * 20_000 },
  async () => {
    const spot = await addLiveBot('spot', 'spot', 'market');
    const futures = await addLiveBot('futures', 'futures', 'market');
    const limits = await addLiveBot('limits', 'futures', 'limit');
    bots.push(spot, futures, limits);
    const startBalance = await walletOf(futures.trading);
    await withholdFunding(sandbox);
    const publishing = publishFunding();
    const counts = { runner: 0, exchange: 0, connections: 0, freeze: 0, alone: 0, silence: 0, silenceAlone: 0, stop: 0 };
    await startRunner();
    const made = async (): Promise<number> => (await sql`select 1 from orders`.execute(db)).rows.length;
    await expect.poll(made, { interval: 200, message: errors }).toBeGreaterThan(0); // else there is nothing to lose
    for (let kill = 0; kill < kills; kill++) {
      await addFaults();
      await sleep(600 + random() * 2_400);
      const what = random();
      if (what < 0.1) {
        counts.freeze += 1;
        await freeze(false);
      } else if (what < 0.15) {
        counts.alone += 1;
        await freeze(true);
      } else if (what < 0.2) {
        counts.silence += 1;
        await silence(false);
      } else if (what < 0.25) {
        counts.silenceAlone += 1;
        await silence(true);
      } else if (what < 0.4) {
        counts.stop += 1;
        await stopEntries();
      } else if (what < 0.65) {
        counts.runner += 1;
        await end(runner);
        await startRunner();
      } else if (what < 0.83) {
        counts.exchange += 1;
        sandbox = await restartSandbox();
      } else {
        counts.connections += 1;
        await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`.execute(
          db,
        );
      }
    }
    await control('DELETE /faults');
    await publishing;
    const closed = await sql<{ n: number }>`select count(*)::int as n from trades where status = 'closed'`.execute(db);
    expect(late, 'entries after the kill switch was confirmed').toEqual([]);
    for (const { id } of bots) await setBotStatus(db, id, 'stopped');
    const unfinished = async (): Promise<unknown[]> =>
      (
        await sql`
        select o.client_order_id, o.status, o.purpose, o.type, t.symbol from orders o join trades t on t.id = o.trade_id
          where o.status in ('planned', 'sent', 'unknown', 'open', 'cancel-pending')
        union all select t.id::text, t.status, 'trade', '', t.symbol from trades t where t.status = 'open'`.execute(db)
      ).rows;
    await expect.poll(unfinished, { interval: 200, message: errors }).toEqual([]);
    for (const { id, trading } of bots) {
      const { symbols } = await db.selectFrom('bots').select('symbols').where('id', '=', id).executeTakeFirstOrThrow();
      const left = await patiently(() => trading.openOrders());
      expect(left, await historyOf(left.map(({ clientOrderId }) => clientOrderId))).toEqual([]);
      expect(await patiently(() => trading.positions())).toEqual([]);
      expect(await bookFaults(db, id, await ledgerOf(trading, symbols, marketTime))).toEqual([]);
    }
    const missing = async (): Promise<number> => {
      const { rows } = await sql<{
        profit: string;
      }>`select coalesce(sum(profit), 0)::text as profit from trades where bot_id = ${futures.id}`.execute(db);
      return (await walletOf(futures.trading)) - startBalance - Number(rows[0]?.profit);
    };
    // What was published after the end of a trade is known a minute after it was paid.
    await expect.poll(missing, { interval: 500, message: errors }).toBeCloseTo(0, 6);
    // Nobody had to decide anything: what was filled while something stood still is asked for before it is compared.
    expect((await sql`select bot_id, symbol, expected, actual, found_at, outcome from differences`.execute(db)).rows).toEqual([]);
    const orders = await sql<{
      n: number;
      again: number;
    }>`select count(*)::int as n, count(*) filter (where attempt > 1)::int as again from orders`.execute(db);
    report(
      `live kills: ${counts.freeze} freezes with a take-over and ${counts.alone} without, ${counts.silence} silences of the database with a take-over and ${counts.silenceAlone} without, ${counts.stop} presses of the kill switch, ${counts.runner} kills of the runner, ${counts.exchange} of the exchange, ${counts.connections} times all database connections; ${orders.rows[0]?.n} orders (${orders.rows[0]?.again} sent again), ${closed.rows[0]?.n} closed trades, seed ${seed}`,
    );
  },
);

async function walletOf(trading: Trading): Promise<number> {
  const usdt = (await patiently(() => trading.balances())).find(({ currency }) => currency === 'USDT');
  return (usdt?.free ?? 0) + (usdt?.locked ?? 0);
}
