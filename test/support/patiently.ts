import { setTimeout as sleep } from 'node:timers/promises';
import { ExchangeError } from '#engine/ports/exchange-error.ts';

/** Asks an exchange until its budget has room again and its clock agrees, thirty times at most. */
export async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      if (tries === 30 || !(error instanceof ExchangeError) || error.kind !== 'temporary') throw error;
      await sleep(error.retryAfterMs ?? 1_000);
    }
  }
}
