import type { Credentials } from '#engine/ports/credentials.ts';
import { toExchangeError } from './ccxt-errors.ts';
import { connect } from './connect.ts';
import { ExchangeError } from '#engine/ports/exchange-error.ts';
import { isTestnet } from './supported.ts';

/** What a key may do, as far as its exchange says so: null means that it does not. */
export interface KeyRights {
  canTrade: boolean | null;
  canWithdraw: boolean | null;
  isIpBound: boolean | null; // the exchange takes it from fixed addresses only
}

/** A key and where it belongs. */
export interface KeyToCheck {
  exchangeId: string;
  credentials: Credentials;
  sandboxUrl?: string;
}

/**
 * Asks an exchange whether it takes a key, and what the key may do. Nothing is changed there.
 *
 * Fails: ExchangeError, `unauthorised` when the exchange refuses the key
 */
export async function checkKey({ exchangeId, credentials, sandboxUrl }: KeyToCheck): Promise<KeyRights> {
  const { client } = connect({ exchangeId, marketType: 'spot', sandboxUrl, credentials });
  try {
    if (client.id === 'binance' && !isTestnet(exchangeId) && client.sapiGetAccountApiRestrictions !== undefined) {
      const answer = await client.sapiGetAccountApiRestrictions();
      return {
        canTrade: flag(answer['enableSpotAndMarginTrading']),
        canWithdraw: flag(answer['enableWithdrawals']),
        isIpBound: flag(answer['ipRestrict']),
      };
    }
    await client.fetchBalance();
    return { canTrade: null, canWithdraw: null, isIpBound: null };
  } catch (error) {
    throw withoutSecrets(toExchangeError(error, { exchangeId, action: 'the rights of an API key', changes: false }), credentials);
  } finally {
    await client.close();
  }
}

const flag = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null);

/** An error whose text may have held the signed address, without the cause and with every secret blanked. */
function withoutSecrets(error: ExchangeError, { key, secret, passphrase }: Credentials): ExchangeError {
  const blanked = [key, secret, passphrase].reduce<string>(
    (text, part) => (part === null || part === '' ? text : text.replaceAll(part, '***').replaceAll(encodeURIComponent(part), '***')),
    error.message.replaceAll(/signature=[^&\s]+/gu, 'signature=***'),
  );
  return new ExchangeError(error.kind, blanked, { retryAfterMs: error.retryAfterMs });
}
