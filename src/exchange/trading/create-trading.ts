import { ExchangeError } from '#engine/ports/exchange-error.ts';
import type { Balance, Trading } from '#engine/ports/trading.ts';
import { ccxtIdOf } from '../supported.ts';
import { blanked } from '../without-secrets.ts';
import { AccountClient, type AccountOptions } from './account-client.ts';
import { FuturesTrading } from './futures-trading.ts';
import { SpotTrading } from './spot-trading.ts';

/** Which account is traded on, and how it is called. */
export interface TradingOptions extends AccountOptions {
  accountId: string;
}

/**
 * The trading side of an account at Binance or at the sandbox: spot or USD-M.
 *
 * Fails: ExchangeError, `rejected` for an exchange where live trading was never tried
 */
export async function createTrading(options: TradingOptions): Promise<Trading> {
  const trading = await connectTrading(options);
  try {
    await trading.start();
    return trading;
  } catch (error) {
    await trading.close();
    throw error;
  }
}

/** What an account holds, asked once: no user stream is opened, so that one of the same account is not disturbed. Fails: as `createTrading` */
export async function readBalances(options: TradingOptions): Promise<Balance[]> {
  const trading = await connectTrading(options);
  try {
    return await trading.balances();
  } finally {
    await trading.close();
  }
}

/** Connects without a user stream. */
async function connectTrading(options: TradingOptions): Promise<SpotTrading | FuturesTrading> {
  const { exchangeId, marketType, accountId, credentials, log = () => {} } = options;
  const ccxtId = ccxtIdOf(exchangeId, marketType);
  const side =
    marketType === 'spot' && ccxtId === 'binance'
      ? SpotTrading
      : marketType === 'futures' && ccxtId === 'binanceusdm'
        ? FuturesTrading
        : null;
  if (side === null)
    throw new ExchangeError(
      'rejected',
      `Live trading at ${exchangeId} (${marketType}) was never tried, so Flotilla places no orders there.`,
    );
  const account = new AccountClient(options);
  const trading = new side(accountId, account, (message) => log(blanked(message, credentials)));
  try {
    await account.prepare();
    return trading;
  } catch (error) {
    await trading.close();
    throw error;
  }
}
