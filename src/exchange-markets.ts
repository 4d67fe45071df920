import { createMarketData } from '#exchange/market-data.ts';
import { offeredExchanges } from '#exchange/supported.ts';
import { Markets } from '#runner/markets.ts';

/** The offered exchanges and their market data, over real connections. */
export function exchangeMarkets(options: { sandboxUrl: string; log?: (message: string) => void }): Markets {
  return new Markets(offeredExchanges(), (exchangeId, marketType) => createMarketData({ exchangeId, marketType, ...options }));
}
