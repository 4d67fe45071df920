import { createMarketData } from '#exchange/market-data.ts';
import { defaultExchanges } from '#exchange/default-exchanges.ts';
import { Markets } from '#feeds/markets.ts';

/** Connections to a sandbox at `url`, in its time. */
export function connectMarkets(url: string, now: () => number): Markets {
  return new Markets(defaultExchanges, async (exchangeId, marketType) =>
    createMarketData({ exchangeId, marketType, sandboxUrl: url, now }),
  );
}
