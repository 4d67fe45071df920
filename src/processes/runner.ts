import { CandleWindows } from '#feeds/candle-windows.ts';
import { exchangeKeyCheck } from '#feeds/exchange-keys.ts';
import { startKeyChecks } from '#runner/key-checks.ts';
import { startRunner } from '#runner/runner.ts';
import { openDatabase } from '#storage/database.ts';
import { freeDeadRunners } from '#storage/runners.ts';
import { openingKey } from '#vault/opening.ts';
import { hostname } from 'node:os';
import { beChild } from './child-process.ts';
import type { Config } from './config.ts';
import { exchangeMarkets } from '#feeds/exchange-markets.ts';
import { installationKey } from './installation-key.ts';
import { openLogFile } from './log-file.ts';

/** Runs bots until it is stopped. */
export async function serveRunner(config: Config): Promise<void> {
  if (config.databaseUrl === null) throw new Error('A runner alone needs DATABASE_URL.');
  const { log } = openLogFile(config.home, 'runner');
  const db = openDatabase(config.databaseUrl, {
    connections: 12,
    onError: (error) => log('a database connection broke', { error: error.message }),
  });
  const opening = await installationKey(db, config)
    .then(openingKey)
    .catch(async (error: unknown) => {
      await db.destroy();
      throw error;
    });
  const place = `${hostname()} ${config.home}`;
  // What an earlier process of this place held is free at once: it is known to be gone.
  await freeDeadRunners(db, place, isRunning);
  const markets = exchangeMarkets({ sandboxUrl: config.sandboxUrl ?? '', log: (message) => log(message, {}) });
  const windows = new CandleWindows(markets);
  const runner = await startRunner({ db, markets, windows, host: `${place} ${process.pid}`, now: Date.now, log });
  const keyChecks = startKeyChecks({
    db,
    opening,
    checkKey: exchangeKeyCheck({ sandboxUrl: config.sandboxUrl ?? '' }),
    exchanges: markets.exchanges,
    now: Date.now,
    log,
  });
  const child = beChild(async () => {
    await keyChecks.stop();
    await runner.stop();
    windows.close();
    await markets.close();
    await db.destroy();
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
