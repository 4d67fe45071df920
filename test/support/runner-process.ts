import type { Credentials } from '#engine/ports/credentials.ts';
import { CandleWindows } from '#feeds/candle-windows.ts';
import type { OpenTrading } from '#runner/orders/order-accounts.ts';
import { exchangeTrading } from '#feeds/exchange-trading.ts';
import { startRunner } from '#runner/runner.ts';
import { openDatabase } from '#storage/database.ts';
import { freeDeadRunners } from '#storage/bots/runners.ts';
import { connectMarkets } from './connect-markets.ts';

/**
 * A runner in a process of its own, to be killed, frozen and stopped by tests:
 *
 *   node test/support/runner-process.ts DATABASE_URL SANDBOX_URL MARKET_TIME MACHINE_TIME FACTOR [KEYS]
 *
 * Its market time was MARKET_TIME at MACHINE_TIME and runs FACTOR times faster than the machine's; a message with both sets it again. KEYS
 * is JSON: the credentials of accounts by the id of their key, for live bots.
 */
const [databaseUrl = '', sandboxUrl = '', marketTime, machineTime, factor, keys = '{}'] = process.argv.slice(2);
const credentials = JSON.parse(keys) as Record<string, Credentials>;
let set = { marketTime: Number(marketTime), machineTime: Number(machineTime) };
const now = (): number => set.marketTime + (Date.now() - set.machineTime) * Number(factor);
process.on('message', (message) => void (set = message as typeof set));

// Lease and comparisons have connections of their own, as in the product.
const leaseMs = 5_000;
const db = openDatabase(databaseUrl, { connections: 8, silentMs: leaseMs });
const leaseDb = openDatabase(databaseUrl, { connections: 1, silentMs: leaseMs, answersMs: leaseMs / 2 });
const checksDb = openDatabase(databaseUrl, { connections: 3, silentMs: leaseMs });
const place = 'killed runner';
await freeDeadRunners(db, place, (pid) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
});
const markets = connectMarkets(sandboxUrl, now);
const windows = new CandleWindows(markets, { now });
const log = (message: string, details: object): void => void process.stderr.write(`${message} ${JSON.stringify(details)}\n`);
const open = exchangeTrading({ sandboxUrl, now, log: (message) => log(message, {}) });
const openTrading: OpenTrading = async ({ apiKeyId, ...account }) => {
  const known = credentials[apiKeyId];
  if (known === undefined) throw new Error('There is no such key');
  return await open({ ...account, accountId: apiKeyId, credentials: known });
};
const runner = await startRunner(
  {
    db,
    leaseDb,
    checksDb,
    markets,
    windows,
    host: `${place} ${process.pid}`,
    openTrading,
    pace: Number(factor),
    now,
    log,
  },
  { scan: 50, heartbeat: 500, lease: leaseMs, vitals: 300 },
);
process.on('SIGTERM', () => {
  void (async () => {
    await runner.stop();
    windows.close();
    await markets.close();
    await Promise.all([db, leaseDb, checksDb].map((each) => each.destroy()));
    process.exit(0);
  })();
});
process.stdout.write('ready\n');
