import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CandleWindows } from '#feeds/candle-windows.ts';
import { openDatabase } from '#storage/database.ts';
import { startEmbeddedServer } from '#storage/embedded/embedded-server.ts';
import { sql } from 'kysely';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { liveBots } from '../../../test/support/live-bots.ts';
import { startMarket } from '../../../test/support/market.ts';
import { patienceMs } from '../../../test/support/patience.ts';
import { patiently } from '../../../test/support/patiently.ts';
import { prepareCluster } from '../../../test/support/prepared-cluster.ts';
import { startRunner } from '../runner.ts';

const pace = 10;
const symbol = 'BTC/USDT';
const home = mkdtempSync(join(tmpdir(), 'flotilla-lost-'));
chmodSync(home, 0o755); // the database's user must get in
const dataFolder = join(home, 'postgres', 'data');
await prepareCluster(home);
let server = await startEmbeddedServer(home);
const db = openDatabase(server.url, { connections: 8, waitsMs: patienceMs });
afterAll(async () => {
  await db.destroy();
  await server.stop();
  rmSync(home, { recursive: true, force: true });
});

/** From now on nothing that is committed comes to the disk: commits do not wait for it, and who would write it stands still. */
async function forgetCommits(): Promise<void> {
  const asSuperuser = new URL(server.url);
  asSuperuser.username = 'flotilla';
  const admin = openDatabase(asSuperuser.href, { connections: 1 });
  await sql`alter system set synchronous_commit = off`.execute(admin);
  await sql`select pg_reload_conf()`.execute(admin);
  await admin.destroy();
  const isOff = async (): Promise<boolean> =>
    (await sql<{ value: string }>`select current_setting('synchronous_commit') as value`.execute(db)).rows[0]?.value === 'off';
  await expect.poll(isOff).toBe(true);
  const writer = partsOf(server.pid).find((pid) => commandOf(pid).includes('walwriter'));
  if (writer === undefined) throw new Error('The server has no process that writes its log');
  signal(writer, 'SIGSTOP');
  onTestFinished(() => signal(writer, 'SIGCONT'));
}

/** One that has ended by itself meanwhile is left alone. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

const partsOf = (pid: number): number[] => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
/** Empty of one that has ended meanwhile. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/** The machine of the database loses its power, and has it again. */
async function losePower(): Promise<void> {
  const parts = partsOf(server.pid);
  for (const pid of [server.pid, ...parts]) signal(pid, 'SIGKILL');
  await expect.poll(() => [server.pid, ...parts].filter((pid) => readdirSync('/proc').includes(String(pid)))).toEqual([]);
  rmSync(join(dataFolder, 'postgresql.auto.conf')); // the settings of before
  server = await startEmbeddedServer(home);
}

test('OP-85 where the database has lost its last commits and the runner has not, no order is made twice, and each is known again', async () => {
  const market = await startMarket(pace);
  const live = liveBots({ sandboxUrl: market.sandbox.url, now: market.now });
  // With each candle it sells and buys again.
  const { apiKeyId } = await live.add(db, { strategy: 'BuyAndHold', orderType: 'market', symbols: [symbol], minimalRoi: { 0: -1 } });
  const trading = await patiently(() => live.openTrading({ apiKeyId, exchangeId: 'sandbox', marketType: 'spot' }));
  const markets = market.connect();
  const windows = new CandleWindows(markets, { now: market.now });
  const logs: string[] = [];
  const log = (message: string, details: object) => void logs.push(`${message} ${JSON.stringify(details)}`);
  const runner = await startRunner(
    { db, markets, windows, openTrading: live.openTrading, pace, host: 'test', now: market.now, log },
    { scan: 50, heartbeat: 500, lease: patienceMs, vitals: 300 },
  );
  onTestFinished(async () => {
    await runner.stop();
    windows.close();
    await trading.close();
  });
  const bought = async (): Promise<number> =>
    (await sql`select from fills f join orders o on o.id = f.order_id where o.purpose = 'entry'`.execute(db)).rows.length;
  const made = async (): Promise<string[]> =>
    (await patiently(() => trading.ordersSince(symbol, 0))).map(({ clientOrderId }) => clientOrderId);
  const known = async (): Promise<string[]> => {
    const { rows } = await sql<{ id: string }>`
      select client_order_id as id from orders union select client_order_id from unrecorded_orders`.execute(db);
    return rows.map((row) => row.id);
  };

  await expect.poll(bought).toBeGreaterThan(0);
  await forgetCommits();
  const kept = await bought();
  await expect.poll(bought).toBeGreaterThan(kept);
  await losePower();
  expect(await bought()).toBeLessThanOrEqual(kept);
  // Each is found at the exchange, and nothing is decided on as if it had never been.
  const wrong = async (): Promise<string[]> => {
    const [there, here] = [await made(), await known()];
    return there.filter((each, i) => there.indexOf(each) !== i || !here.includes(each));
  };
  await expect.poll(wrong, { interval: 200, message: logs.join('\n') }).toEqual([]);
});
