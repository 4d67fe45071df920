import { defaultExchanges } from '#exchange/default-exchanges.ts';
import { Markets } from './markets.ts';

/**
 * Loads ccxt before it is needed. It is large and holds up everything in the process for a third of a second, which
 * somebody's first chart should not have to wait for.
 */
export async function loadExchanges(): Promise<void> {
  await import('#exchange/market-data.ts');
}

/** The offered exchanges and their market data, over real connections; ccxt is loaded when one is first asked. */
export function exchangeMarkets(options: { sandboxUrl: string; log?: (message: string) => void }): Markets {
  return new Markets(defaultExchanges, async (exchangeId, marketType) => {
    const { createMarketData } = await import('#exchange/market-data.ts');
    return createMarketData({ exchangeId, marketType, ...options });
  });
}
