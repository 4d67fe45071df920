import { hourMs } from '#engine/market/durations.ts';
import { CandleWindows } from '#feeds/candle-windows.ts';
import { startRunner } from '#runner/runner.ts';
import { hashPassword } from '#server/auth/passwords.ts';
import { noteAccountCheck } from '#storage/exchange-accounts/account-checks.ts';
import { noteDifference } from '#storage/differences/differences.ts';
import { unfinishedStates } from '#storage/orders/order-figures.ts';
import { writeTrades } from '#storage/trades/trade-writes.ts';
import { sql } from 'kysely';
import { passedBackupFact, writeFact } from '#storage/installation/facts.ts';
import { freePort } from '#storage/embedded/free-port.ts';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { goLive } from '../../../test/support/go-live.ts';
import { startMarket } from '../../../test/support/market.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { startTestServer } from '../../../test/support/test-server.ts';
import { aTradeRow, anOrderRow } from '../../storage/testing/trade-rows.ts';
import { metricText } from './metric-text.ts';
import { serveMetrics } from './metrics-server.ts';
import { runnerMetrics } from './runner-metrics.ts';
import { webMetrics } from './web-metrics.ts';

/** Reads the text format as strictly as its definition; gives the values by name and labels. */
function parse(text: string): Map<string, number> {
  const values = new Map<string, number>();
  const seen = new Set<string>();
  let current: { name: string; type: string | null } | null = null;
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  for (const line of text.slice(0, -1).split('\n')) {
    const [, keyword, named = '', rest = ''] = /^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$/u.exec(line) ?? [];
    if (keyword === 'HELP') {
      if (seen.has(named)) throw new Error(`${named} comes twice`);
      seen.add(named);
      current = { name: named, type: null };
      continue;
    }
    if (keyword === 'TYPE') {
      if (current?.name !== named || current.type !== null || !['counter', 'gauge'].includes(rest))
        throw new Error(`not expected: ${line}`);
      if ((rest === 'counter') !== named.endsWith('_total')) throw new Error(`${named} is a ${rest}`);
      current.type = rest;
      continue;
    }
    const sample =
      /^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*"(?:,[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*")*\})? (\S+)$/u.exec(
        line,
      );
    if (sample === null || sample[1] !== current?.name || current?.type === null) throw new Error(`not a sample: ${line}`);
    const key = `${sample[1]}${sample[2] ?? ''}`;
    const value = Number(sample[3]);
    if (!Number.isFinite(value) || values.has(key)) throw new Error(`not a value: ${line}`);
    values.set(key, value);
  }
  return values;
}

const read = async (port: number): Promise<Map<string, number>> => {
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
  return parse(await answer.text());
};

/** The same once they have what is in the database: where it takes two seconds for an answer they are without. */
const readWhole = async (port: number): Promise<Map<string, number>> => {
  let figures = new Map<string, number>();
  await expect.poll(async () => (figures = await read(port)).get('flotilla_database_up')).toBe(1);
  return figures;
};

test('labels and help are escaped, and a metric without a value is left out', () => {
  const odd = 'a"b\\c\nd';
  const text = metricText([
    { name: 'a_total', help: odd, type: 'counter', samples: [{ value: 1.5, labels: { x: odd, y: '' } }, { value: 2 }] },
    { name: 'b', help: 'none', type: 'gauge', samples: [] },
  ]);
  expect(text).toBe('# HELP a_total a"b\\\\c\\nd\n# TYPE a_total counter\na_total{x="a\\"b\\\\c\\nd",y=""} 1.5\na_total 2\n');
  expect([...parse(text).values()]).toEqual([1.5, 2]);
});

describe('a process', async () => {
  const port = await freePort();
  let served: { close(): Promise<void> };
  beforeAll(async () => {
    served = await serveMetrics('web', port, async () => []);
  });
  afterAll(() => served.close());

  test('says its role, its memory, and the longest delay of its loop since the last reading', async () => {
    await read(port);
    const until = performance.now() + 300;
    while (performance.now() < until);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const busy = await read(port);
    expect(busy.get('flotilla_process_info{role="web"}')).toBe(1);
    expect(busy.get('flotilla_memory_bytes')).toBeGreaterThan(10e6);
    expect(busy.get('flotilla_loop_delay_seconds')).toBeGreaterThan(0.2);
    expect(busy.get('flotilla_process_start_time_seconds')).toBeLessThan(Date.now() / 1000);
  });

  test('answers nothing else, nobody by another name, and no second process on its port', async () => {
    for (const path of ['/', '/metrics/', '/metrics?x']) expect((await fetch(`http://127.0.0.1:${port}${path}`)).status).toBe(404);
    expect((await fetch(`http://127.0.0.1:${port}/metrics`, { method: 'POST' })).status).toBe(404);
    const status = await new Promise((resolve, reject) => {
      request({ port, host: '127.0.0.1', path: '/metrics', headers: { host: 'evil.example.com' } }, (reply) => resolve(reply.statusCode))
        .once('error', reject)
        .end();
    });
    expect(status).toBe(404);
    await expect(serveMetrics('web', port, async () => [])).rejects.toThrow(
      /^The metrics cannot be served on port \d+: .*Set METRICS_PORT\.$/u,
    );
  });

  test('port 0 serves none', async () => {
    const listening = () => process.getActiveResourcesInfo().filter((resource) => resource === 'TCPServerWrap').length;
    const before = listening();
    const none = await serveMetrics('web', 0, () => Promise.reject(new Error('asked')));
    expect(listening()).toBe(before);
    await none.close();
  });
});

test('the web process counts its answers and refused sign-ins, and says how old the backup is', async () => {
  const server = await startTestServer();
  const port = await freePort();
  const served = await serveMetrics('web', port, webMetrics(server.app, server.dependencies.db));
  await server.app.listen({ host: '127.0.0.1', port: 0 });
  const { port: page } = server.app.server.address() as AddressInfo;
  const signIn = (email: string) =>
    fetch(`http://127.0.0.1:${page}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: `http://127.0.0.1:${page}` },
      body: JSON.stringify({ email, password: 'not the password' }),
    });
  const before = await readWhole(port);
  expect(before.get('flotilla_sign_in_failures_total')).toBe(0);
  expect([before.get('flotilla_database_up'), before.get('flotilla_runner_up'), before.get('flotilla_hash_queue')]).toEqual([1, 0, 0]);
  expect(before.has('flotilla_backup_age_seconds')).toBe(false);
  expect((await signIn('nobody@example.com')).status).toBe(401);
  expect((await fetch(`http://127.0.0.1:${page}/api/bots`)).status).toBe(401);
  await writeFact(server.dependencies.db, passedBackupFact, {
    file: 'a.flotilla',
    madeAt: new Date(Date.now() - 2 * hourMs).toISOString(),
    bytes: 1,
  });
  for (let i = 0; i < 3; i++) expect((await signIn('nobody@example.com')).status).toBe(401);
  const hashing = Promise.all(Array.from({ length: 20 }, () => hashPassword('one of many')));
  await expect.poll(async () => (await read(port)).get('flotilla_hash_queue'), { interval: 1 }).toBeGreaterThan(0);
  await hashing;
  const after = await readWhole(port);
  expect(after.get('flotilla_http_answers_total{status="401"}')).toBe(5);
  expect(after.get('flotilla_sign_in_failures_total')).toBe(4);
  expect(after.get('flotilla_backup_age_seconds')).toBeCloseTo(7200, -2);
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  expect(text).not.toContain('example.com');
  await served.close();
});

test('the web process says how live trading stands: orders, alarms, accounts that were not compared, bots that nobody runs', async () => {
  const server = await startTestServer();
  const { db } = server.dependencies;
  const port = await freePort();
  const served = await serveMetrics('web', port, webMetrics(server.app, db));
  const none = await readWhole(port);
  for (const kind of ['unknown-order', 'unprotected-position', 'difference'])
    expect(none.get(`flotilla_open_alarms{kind="${kind}"}`)).toBe(0);
  for (const state of unfinishedStates) expect(none.get(`flotilla_orders{state="${state}"}`)).toBe(0);
  expect(none.get('flotilla_unknown_order_age_seconds')).toBe(0);
  expect(none.get('flotilla_longest_stop_gap_seconds')).toBe(0);
  expect([none.get('flotilla_live_accounts'), none.has('flotilla_account_check_age_seconds')]).toEqual([0, false]);

  const botId = await addTestBot(db, { strategy: 'BuyAndHold' });
  const apiKeyId = await goLive(db, botId);
  const trade = aTradeRow(botId, { mode: 'testnet' });
  const order = anOrderRow(trade, { status: 'unknown' });
  const simulated = aTradeRow(botId, { mode: 'paper' });
  await writeTrades(db, [
    { trade, orders: [order, anOrderRow(trade, { status: 'open' }), anOrderRow(trade, { status: 'filled', filled: 1 })], fills: [] },
    { trade: simulated, orders: [anOrderRow(simulated, { status: 'open' })], fills: [] },
  ]);
  await sql`insert into order_events (order_id, state, at)
    select id, 'unknown', now() - interval '90 s' from orders where client_order_id = ${order.clientOrderId}`.execute(db);
  await sql`delete from order_events where state = 'unknown' and at > now() - interval '60 s'`.execute(db);
  await noteDifference(db, { botId, symbol: 'BTC/USDT', expected: 1, actual: 2 });
  await noteAccountCheck(db, apiKeyId, 'spot');
  await sql`update account_checks set checked_at = now() - interval '300 s'`.execute(db);
  const stops = ['1', '2'].map((exchangeOrderId) =>
    anOrderRow(trade, { purpose: 'stop', status: 'planned', exchangeOrderId, plannedAt: new Date() }),
  );
  await writeTrades(db, [{ trade, orders: stops, fills: [] }]);
  const nowMs = Date.now(); // one for all three: between two statements time passes
  for (const [place, state, seconds] of [
    [0, 'open', 9],
    [0, 'cancelled', 8],
    [1, 'open', 5.5],
  ] as const)
    await sql`insert into order_events (order_id, state, at) select id, ${state}, ${new Date(nowMs - seconds * 1_000)}::timestamptz
      from orders where client_order_id = ${stops[place]?.clientOrderId ?? ''}`.execute(db);
  const some = await readWhole(port);
  expect(some.get('flotilla_longest_stop_gap_seconds')).toBeCloseTo(2.5, 1);
  expect([some.get('flotilla_orders{state="unknown"}'), some.get('flotilla_orders{state="open"}')]).toEqual([1, 1]);
  expect(some.get('flotilla_unknown_order_age_seconds')).toBeCloseTo(90, -2);
  expect(some.get('flotilla_unknown_order_age_seconds')).toBeGreaterThanOrEqual(90);
  expect(some.get('flotilla_open_alarms{kind="difference"}')).toBe(1);
  expect([some.get('flotilla_live_accounts'), some.get('flotilla_unchecked_accounts'), some.get('flotilla_unclaimed_bots')]).toEqual([
    1, 0, 1,
  ]);
  expect(some.get('flotilla_account_check_age_seconds')).toBeGreaterThanOrEqual(300);
  await sql`delete from account_checks`.execute(db);
  expect((await readWhole(port)).get('flotilla_unchecked_accounts')).toBe(1);
  await served.close();
});

test('a runner says what its bots have done, and how old prices, lease and clock are', async () => {
  const server = await startTestServer();
  const market = await startMarket(120);
  const { db } = server.dependencies;
  await addTestBot(db, { strategy: 'BuyAndHold', minimalRoi: { 0: 10, 2: -1 }, symbols: ['BTC/USDT', 'ETH/USDT'], orderType: 'market' });
  const markets = market.connect();
  const runner = await startRunner(
    { db, markets, windows: new CandleWindows(markets, { now: market.now }), host: 'test', now: market.now, log: () => {} },
    { scan: 50, heartbeat: 200, lease: 600_000, vitals: 300 },
  );
  const port = await freePort();
  const served = await serveMetrics('runner', port, runnerMetrics(runner));
  const of = async (name: string): Promise<number> => (await read(port)).get(name) ?? -1;
  await expect.poll(() => of('flotilla_bot_effects_total{kind="trade-closed"}'), { interval: 100 }).toBeGreaterThan(0);
  const figures = await read(port);
  expect(figures.get('flotilla_bots')).toBe(1);
  expect(figures.get('flotilla_lease_epoch')).toBe(1);
  await expect.poll(() => of('flotilla_lease_age_seconds')).toBeLessThan(5);
  expect(figures.get('flotilla_stream_age_seconds')).toBeLessThan(3_600); // a minute of market is half a second here
  for (const kind of ['decision', 'order-created', 'order-filled', 'trade-opened'])
    expect(figures.get(`flotilla_bot_effects_total{kind="${kind}"}`), kind).toBeGreaterThan(0);
  expect(figures.has('flotilla_exchange_clock_offset_seconds{exchange="sandbox"}')).toBe(true);
  expect(figures.get('flotilla_exchange_weight_used_ratio{exchange="sandbox",api="binance"}')).toBeGreaterThan(0);
  const written = (await db.selectFrom('trades').select('id').where('status', '=', 'closed').execute()).length;
  expect(written).toBeGreaterThanOrEqual(figures.get('flotilla_bot_effects_total{kind="trade-closed"}') ?? Infinity);
  await runner.stop();
  expect(await of('flotilla_lease_age_seconds')).toBeGreaterThanOrEqual(0);
  await served.close();
});
