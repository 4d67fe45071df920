import type { MarketType } from '#engine/market/instrument.ts';
import type { Credentials } from '#engine/ports/credentials.ts';
import type { Balance, Trading } from '#engine/ports/trading.ts';

/** The trading side of an account: which exchange and market, and the key it is reached with. */
export interface TradingAccount {
  exchangeId: string;
  marketType: MarketType;
  accountId: string;
  credentials: Credentials;
}

/** Opens the trading side of an account over a real connection; ccxt is loaded when the first is opened. Fails: ExchangeError */
export function exchangeTrading(options: {
  sandboxUrl: string;
  now: () => number;
  log: (message: string) => void;
}): (account: TradingAccount) => Promise<Trading> {
  return async (account) => {
    const { createTrading } = await import('#exchange/trading/create-trading.ts');
    return await createTrading({ ...account, ...options });
  };
}

/** Asks over a real connection what an account holds; ccxt is loaded when the first is asked. Fails: ExchangeError */
export function exchangeBalances(options: { sandboxUrl: string; now: () => number }): (account: TradingAccount) => Promise<Balance[]> {
  return async (account) => {
    const { readBalances } = await import('#exchange/trading/create-trading.ts');
    return await readBalances({ ...account, ...options });
  };
}
