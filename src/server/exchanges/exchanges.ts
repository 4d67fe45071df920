import type { Handlers } from '../calls/call.ts';
import { offeredInstruments } from './offered.ts';
import type { ServerDependencies } from '../server-dependencies.ts';

/** The offered exchanges and what can be traded there. */
export function exchangeHandlers({ markets }: ServerDependencies): Pick<Handlers, 'listExchanges' | 'stakeCurrencies' | 'tradingPairs'> {
  return {
    listExchanges: async () => ({ exchanges: markets.exchanges.map(({ id, name }) => ({ id, name })) }),

    async stakeCurrencies({ params, query }) {
      const all = await offeredInstruments(markets, params.exchange, query.market_type);
      return { stake_currencies: [...new Set(all.map((instrument) => instrument.quote))].sort() };
    },

    async tradingPairs({ params, query }) {
      const all = await offeredInstruments(markets, params.exchange, query.market_type);
      const wanted =
        query.stake_currency === undefined || query.stake_currency === '' ? all : all.filter(({ quote }) => quote === query.stake_currency);
      return { trading_pairs: wanted.map(({ symbol }) => symbol) };
    },
  };
}
