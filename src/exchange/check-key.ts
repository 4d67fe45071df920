import type { MarketType } from '#engine/market/instrument.ts';
import type { Credentials } from '#engine/ports/credentials.ts';
import { toExchangeError } from './ccxt-errors.ts';
import { connect } from './connect.ts';
import { isTestnet } from './supported.ts';
import { withoutSecrets } from './without-secrets.ts';

/** What a key may do, as far as its exchange says so: null means that it does not. */
export interface KeyRights {
  canTrade: boolean | null; // where it is to trade; anywhere at all, where nobody says where that is
  canWithdraw: boolean | null;
  isIpBound: boolean | null; // the exchange takes it from fixed addresses only
}

/** A key and where it belongs. */
export interface KeyToCheck {
  exchangeId: string;
  credentials: Credentials;
  sandboxUrl?: string;
  marketTypes?: readonly MarketType[] | undefined; // where it is to trade, as far as that is known
}

/**
 * Asks an exchange whether it takes a key, and what the key may do. Nothing is changed there.
 *
 * Fails: ExchangeError, `unauthorised` when the exchange refuses the key
 */
export async function checkKey({ exchangeId, credentials, sandboxUrl, marketTypes = [] }: KeyToCheck): Promise<KeyRights> {
  const { client } = connect({ exchangeId, marketType: 'spot', sandboxUrl, credentials });
  try {
    if (client.id === 'binance' && !isTestnet(exchangeId) && client.sapiGetAccountApiRestrictions !== undefined) {
      const answer = await client.sapiGetAccountApiRestrictions();
      return {
        canTrade: mayTrade(answer, marketTypes),
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

/** The right that Binance demands for orders. Source: developers.binance.com, wallet, API key permission */
const rights: Readonly<Record<MarketType, string>> = {
  spot: 'enableSpotAndMarginTrading',
  margin: 'enableSpotAndMarginTrading',
  futures: 'enableFutures',
};

function mayTrade(answer: Readonly<Record<string, unknown>>, marketTypes: readonly MarketType[]): boolean | null {
  const isKnown = marketTypes.length > 0;
  const said = (isKnown ? marketTypes : (['spot', 'futures'] as const)).map((marketType) => flag(answer[rights[marketType]]));
  if (isKnown ? said.every((may) => may === true) : said.includes(true)) return true;
  return (isKnown ? said.includes(false) : said.every((may) => may === false)) ? false : null;
}

const flag = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null);
