import type { OrderBook } from '#engine/ports/market-data.ts';
import type { CcxtClient } from './ccxt-client.ts';
import { toOrderBook } from './ccxt-mapping.ts';
import { bookLimits } from './quirks/binance.ts';
import { rawBookLengths } from './quirks/bitfinex.ts';

/** Whose book is wanted, and how much of it. */
export interface BookWish {
  exchangeId: string;
  symbol: string;
  limit: number; // levels a side, at most
  contractSize: number;
  now: () => number; // exchange time, ms
}

/** The order book of a symbol as it is now. Fails: errors of ccxt; ExchangeError `temporary` when it cannot be right */
export async function fetchOrderBook(client: CcxtClient, { exchangeId, symbol, limit, contractSize, now }: BookWish): Promise<OrderBook> {
  const answer = await client.fetchOrderBook(symbol, askableLimit(client.id, limit));
  return toOrderBook(answer, exchangeId, symbol, limit, contractSize, now());
}

/** Some exchanges give only certain numbers of levels; the next larger one is requested and cut. */
function askableLimit(ccxtId: string, limit: number): number {
  const given = ccxtId === 'bitfinex' ? rawBookLengths : ccxtId.startsWith('binance') ? bookLimits : [limit];
  return given.find((possible) => possible >= limit) ?? given.at(-1) ?? limit;
}
