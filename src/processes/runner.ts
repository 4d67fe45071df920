import { CandleWindows } from '#feeds/candle-windows.ts';
import { exchangeKeyCheck } from '#feeds/exchange-keys.ts';
import { startBalanceReadings } from '#runner/balance-readings.ts';
import { startKeyChecks } from '#runner/key-checks.ts';
import { openAccounts, readAccounts } from '#runner/orders/open-accounts.ts';
import { leaseMs, startRunner } from '#runner/runner.ts';
import { openDatabase } from '#storage/database.ts';
import { refuseOtherSchema } from '#storage/migrate.ts';
import { freeDeadRunners } from '#storage/bots/runners.ts';
import { isLiveAllowed } from '#storage/trades/trade-mode.ts';
import { openingKey } from '#vault/opening.ts';
import { hostname } from 'node:os';
import { beChild } from './child-process.ts';
import type { Config } from './config.ts';
import { exchangeMarkets } from '#feeds/exchange-markets.ts';
import { installationKey } from './installation-key.ts';
import { openLogFile } from './log-file.ts';
import { serveMetrics } from './metrics/metrics-server.ts';
import { runnerMetrics } from './metrics/runner-metrics.ts';

/** Runs bots until it is stopped. */
export async function serveRunner(config: Config): Promise<void> {
  if (config.databaseUrl === null) throw new Error('A runner alone needs DATABASE_URL.');
  const { log } = openLogFile(config.home, 'runner');
  const onError = (error: Error): void => log('a database connection broke', { error: error.message });
  // Longer than its lease nobody waits for what a silent runner has locked.
  const common = { silentMs: leaseMs, onError };
  const db = openDatabase(config.databaseUrl, { ...common, connections: 12, staysOpen: true });
  // A way to the database that leads nowhere is given up in time to try another.
  const leaseDb = openDatabase(config.databaseUrl, { ...common, connections: 1, answersMs: leaseMs / 2 });
  const checksDb = openDatabase(config.databaseUrl, { ...common, connections: 3, staysOpen: true });
  const closeDatabases = async (): Promise<unknown> => await Promise.all([db, leaseDb, checksDb].map((each) => each.destroy()));
  const opening = await refuseOtherSchema(db)
    .then(() => installationKey(db, config))
    .then(openingKey)
    .catch(async (error: unknown) => {
      await closeDatabases();
      throw error;
    });
  const place = `${hostname()} ${config.home}`;
  // What an earlier process of this place held is free at once: it is known to be gone.
  await freeDeadRunners(db, place, isRunning);
  const markets = exchangeMarkets({ sandboxUrl: config.sandboxUrl ?? '', log: (message) => log(message, {}) });
  const windows = new CandleWindows(markets);
  const openTrading = openAccounts(db, opening, {
    sandboxUrl: config.sandboxUrl ?? '',
    liveTrading: config.liveTrading,
    log: (message) => log(message, {}),
  });
  const runner = await startRunner({
    db,
    leaseDb,
    checksDb,
    markets,
    windows,
    openTrading,
    takesLive: config.liveTrading,
    mostBots: config.mostBots,
    python: config.python,
    host: `${place} ${process.pid}`,
    now: Date.now,
    log,
  });
  const keyChecks = startKeyChecks({
    db,
    opening,
    checkKey: exchangeKeyCheck({ sandboxUrl: config.sandboxUrl ?? '' }),
    exchanges: markets.exchanges,
    now: Date.now,
    log,
  });
  const balanceReadings = startBalanceReadings({
    db,
    readBalances: readAccounts(db, opening, { sandboxUrl: config.sandboxUrl ?? '' }),
    exchanges: markets.exchanges.map(({ id }) => id).filter((id) => isLiveAllowed(config.liveTrading, id)),
    log,
  });
  const metrics = await serveMetrics('runner', config.metricsPort, runnerMetrics(runner));
  const child = beChild(async () => {
    // The bots before all else: the others wait for exchanges, and one that does not answer must not keep them from other runners.
    await runner.stop();
    await Promise.all([metrics.close(), keyChecks.stop(), balanceReadings.stop()]);
    windows.close();
    await markets.close();
    await closeDatabases();
  });
  child.ready({ ready: true });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
