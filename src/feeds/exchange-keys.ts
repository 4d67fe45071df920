import type { MarketType } from '#engine/market/instrument.ts';
import type { Credentials } from '#engine/ports/credentials.ts';
import type { KeyRights } from '#exchange/check-key.ts';

/**
 * Asks an exchange whether it takes a key, and what the key may do on the markets where it is to trade.
 * Fails: ExchangeError, `unauthorised` when it is refused
 */
export type CheckKey = (exchangeId: string, credentials: Credentials, marketTypes: readonly MarketType[]) => Promise<KeyRights>;

/** Checks keys over real connections; ccxt is loaded when the first is checked. */
export function exchangeKeyCheck(options: { sandboxUrl: string }): CheckKey {
  return async (exchangeId, credentials, marketTypes) => {
    const { checkKey } = await import('#exchange/check-key.ts');
    return checkKey({ exchangeId, credentials, marketTypes, ...options });
  };
}
