import type { Credentials } from '#engine/ports/credentials.ts';
import { toExchangeError } from './ccxt-errors.ts';
import { connect } from './connect.ts';
import { isTestnet } from './supported.ts';
import { withoutSecrets } from './without-secrets.ts';

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
