import { secondMs } from '#engine/market/durations.ts';
import { errorText } from '#engine/ports/error-text.ts';
import { ExchangeError } from '#engine/ports/exchange-error.ts';
import type { CheckKey } from '#feeds/exchange-keys.ts';
import type { OfferedExchange } from '#feeds/markets.ts';
import { mails } from '#mail/texts.ts';
import { type KeyCheck, type KeyToCheck, noteKeyCheck, noteKeyMark, takeKeyToCheck } from '#storage/exchange-accounts/api-keys.ts';
import type { Database } from '#storage/database.ts';
import { addMail } from '#storage/mails/mail-outbox.ts';
import { markOf } from '#vault/key-marks.ts';
import { openCredentials } from '#vault/open-credentials.ts';
import type { OpeningKey } from '#vault/opening.ts';
import { every } from './every.ts';

/** What the checks need. */
export interface KeyCheckDependencies {
  db: Database;
  opening: OpeningKey;
  checkKey: CheckKey;
  exchanges: readonly OfferedExchange[]; // those that can be reached from here
  now: () => number;
  log: (message: string, details: object) => void;
}

/**
 * Checks stored keys at their exchanges, those that somebody asked for and each once a day, until it is stopped. The owner of
 * one that is refused for the first time gets a mail. An exchange is asked about one key at a time; one that does not answer holds up
 * nobody who has a key of another.
 */
export function startKeyChecks(dependencies: KeyCheckDependencies, everyMs = 2 * secondMs): { stop(): Promise<void> } {
  const { db, exchanges, now, log } = dependencies;
  const onError = (error: unknown): void => log('API keys could not be checked', { error: errorText(error) });
  const running = new Map<string, Promise<void>>(); // by exchange
  const checkNext = async (): Promise<void> => {
    for (;;) {
      const taken = new Date(now());
      const free = exchanges.map(({ id }) => id).filter((id) => !running.has(id));
      const key = await takeKeyToCheck(db, taken, free);
      if (key === null) return;
      const checking = check(dependencies, key)
        .then((found) => note(dependencies, key.id, taken, found))
        .catch(onError)
        .finally(() => running.delete(key.exchangeId));
      running.set(key.exchangeId, checking);
    }
  };
  const loop = every(everyMs, checkNext, onError);
  return {
    async stop() {
      await loop.stop();
      await Promise.all(running.values());
    },
  };
}

async function note({ db, exchanges, now }: KeyCheckDependencies, id: string, taken: Date, found: KeyCheck): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const before = await noteKeyCheck(trx, id, { taken, done: new Date(now()) }, found);
    if (before === null || before.checkResult === 'refused' || found.checkResult !== 'refused') return;
    const name = exchanges.find((exchange) => exchange.id === before.exchangeId)?.name ?? before.exchangeId;
    await addMail(trx, mails.apiKeyRefused(before.ownerEmail, name, before.keyHint));
  });
}

async function check({ db, opening, checkKey, log }: KeyCheckDependencies, key: KeyToCheck): Promise<KeyCheck> {
  const unknown = { canTrade: null, canWithdraw: null, isIpBound: null };
  try {
    const credentials = await openCredentials(opening, key);
    if (!(await noteKeyMark(db, key.id, markOf(opening.marking, key.exchangeId, credentials.key))))
      log('an API key is stored twice; delete one of the two', { key: key.id, exchange: key.exchangeId });
    return { ...(await checkKey(key.exchangeId, credentials, key.marketTypes)), checkResult: 'ok' };
  } catch (error) {
    log('an API key did not pass its check', { key: key.id, exchange: key.exchangeId, error: errorText(error) });
    const isAnswer = error instanceof ExchangeError && (error.kind === 'unauthorised' || error.kind === 'rejected');
    return { ...unknown, checkResult: isAnswer ? 'refused' : 'unreachable' };
  }
}
