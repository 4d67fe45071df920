import type { Credentials } from '#engine/ports/credentials.ts';
import type { KeyRights } from '#exchange/check-key.ts';

/** Asks an exchange whether it takes a key, and what the key may do. Fails: ExchangeError, `unauthorised` when it is refused */
export type CheckKey = (exchangeId: string, credentials: Credentials) => Promise<KeyRights>;

/** Checks keys over real connections; ccxt is loaded when the first is checked. */
export function exchangeKeyCheck(options: { sandboxUrl: string }): CheckKey {
  return async (exchangeId, credentials) => {
    const { checkKey } = await import('#exchange/check-key.ts');
    return checkKey({ exchangeId, credentials, ...options });
  };
}
