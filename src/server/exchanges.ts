import { ExchangeError } from '#engine/ports/exchange-error.ts';
import type { Handlers } from './call.ts';
import { HttpError } from './http-error.ts';
import type { ServerParts } from './parts.ts';

/** The offered exchanges and what can be traded there. */
export function exchangeHandlers({ markets }: ServerParts): Pick<Handlers, 'listExchanges' | 'stakeCurrencies' | 'tradingPairs'> {
  const instruments = async (exchangeId: string, marketType: 'spot' | 'margin' | 'futures') => {
    if (!markets.exchanges.some(({ id }) => id === exchangeId)) throw new HttpError(404, 'Exchange not found');
    const all = await (await markets.market(exchangeId, marketType)).instruments();
    if (all.length === 0) throw new ExchangeError('temporary', `${exchangeId} reported no ${marketType} instruments`);
    return all.filter((instrument) => instrument.active);
  };

  return {
    listExchanges: async () => ({ exchanges: markets.exchanges.map(({ id, name }) => ({ id, name })) }),

    async stakeCurrencies({ params, query }) {
      const all = await instruments(params.exchange, query.market_type);
      return { stake_currencies: [...new Set(all.map((instrument) => instrument.quote))].sort() };
    },

    async tradingPairs({ params, query }) {
      const all = await instruments(params.exchange, query.market_type);
      const wanted =
        query.stake_currency === undefined || query.stake_currency === '' ? all : all.filter(({ quote }) => quote === query.stake_currency);
      return { trading_pairs: wanted.map(({ symbol }) => symbol) };
    },
  };
}
