import { CandleWindows } from '#feeds/candle-windows.ts';
import { startRunner } from '#runner/runner.ts';
import { openDatabase } from '#storage/database.ts';
import { freeDeadRunners } from '#storage/runners.ts';
import { connectMarkets } from './connect-markets.ts';

/**
 * A runner in a process of its own, to be killed by tests:
 *
 *   node test/support/runner-process.ts DATABASE_URL SANDBOX_URL MARKET_TIME MACHINE_TIME FACTOR
 *
 * Its market time was MARKET_TIME at MACHINE_TIME and runs FACTOR times faster than the machine's.
 */
const [databaseUrl = '', sandboxUrl = '', marketTime, machineTime, factor] = process.argv.slice(2);
const now = (): number => Number(marketTime) + (Date.now() - Number(machineTime)) * Number(factor);

const db = openDatabase(databaseUrl, { connections: 8 });
const place = 'killed runner';
await freeDeadRunners(db, place, (pid) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
});
const markets = connectMarkets(sandboxUrl, now);
await startRunner(
  {
    db,
    markets,
    windows: new CandleWindows(markets, { now }),
    host: `${place} ${process.pid}`,
    now,
    log: (message, details) => process.stderr.write(`${message} ${JSON.stringify(details)}\n`),
  },
  { scan: 50, heartbeat: 500, lease: 5_000, vitals: 300 },
);
process.stdout.write('ready\n');
