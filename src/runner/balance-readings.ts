import { errorText } from '#engine/ports/error-text.ts';
import { ExchangeError } from '#engine/ports/exchange-error.ts';
import type { BalanceFailure, BalanceName, BalanceReading } from '#storage/exchange-accounts/account-balances.ts';
import { noteBalance, takeBalanceToRead } from '#storage/exchange-accounts/account-balances.ts';
import type { Database } from '#storage/database.ts';
import { every } from './every.ts';
import type { ReadBalances } from './orders/open-accounts.ts';

/** What the readings need. */
export interface BalanceReadingDependencies {
  db: Database;
  readBalances: ReadBalances;
  exchanges: readonly string[]; // at which live bots may trade from here
  log: (message: string, details: object) => void;
}

/**
 * Reads the balances that somebody waits for, until it is stopped. An exchange that does not answer holds up nobody who asks
 * about another account.
 */
export function startBalanceReadings(dependencies: BalanceReadingDependencies, everyMs = 500): { stop(): Promise<void> } {
  const { db, exchanges, log } = dependencies;
  const onError = (error: unknown): void => log('a balance could not be read', { error: errorText(error) });
  const running = new Set<Promise<void>>();
  const takeAll = async (): Promise<void> => {
    for (;;) {
      const wanted = await takeBalanceToRead(db, exchanges);
      if (wanted === null) return;
      const reading = readAndNote(dependencies, wanted)
        .catch(onError)
        .finally(() => running.delete(reading));
      running.add(reading);
    }
  };
  const loop = every(everyMs, takeAll, onError);
  return {
    async stop() {
      await loop.stop();
      await Promise.all(running);
    },
  };
}

async function readAndNote(dependencies: BalanceReadingDependencies, wanted: BalanceName & { exchangeId: string }): Promise<void> {
  await noteBalance(dependencies.db, wanted, await read(dependencies, wanted));
}

async function read(
  { readBalances, log }: BalanceReadingDependencies,
  wanted: BalanceName & { exchangeId: string },
): Promise<BalanceReading> {
  try {
    // An exchange lists no currency of which the account has nothing.
    const balance = (await readBalances(wanted)).find(({ currency }) => currency === wanted.currency);
    return { free: balance?.free ?? 0, failure: null };
  } catch (error) {
    log('a balance could not be read', { key: wanted.apiKeyId, exchange: wanted.exchangeId, error: errorText(error) });
    return { free: null, failure: error instanceof ExchangeError ? failures[error.kind] : 'unopened' };
  }
}

const failures: Readonly<Record<ExchangeError['kind'], BalanceFailure>> = {
  unauthorised: 'refused',
  rejected: 'rejected',
  temporary: 'unreachable',
  unknown: 'unreachable',
};
