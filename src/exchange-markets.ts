import { defaultExchanges } from '#exchange/default-exchanges.ts';
import { Markets } from '#runner/markets.ts';

/** The offered exchanges and their market data, over real connections; ccxt is loaded when one is first asked. */
export function exchangeMarkets(options: { sandboxUrl: string; log?: (message: string) => void }): Markets {
  return new Markets(defaultExchanges, async (exchangeId, marketType) => {
    const { createMarketData } = await import('#exchange/market-data.ts');
    return createMarketData({ exchangeId, marketType, ...options });
  });
}
