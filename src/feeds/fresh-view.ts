import type { MarketView } from '#engine/bot/event.ts';
import type { MarketData } from '#engine/ports/market-data.ts';

const bookLevels = 20;

/**
 * The prices of a symbol with its order book, asked for now. `last` is the price of the last execution, if it is known.
 *
 * Fails: ExchangeError; Error when nobody buys or nobody sells
 */
export async function freshView(market: MarketData, symbol: string, last: number | undefined, now: () => number): Promise<MarketView> {
  const book = await market.orderBook(symbol, bookLevels);
  const bid = book.bids[0]?.[0];
  const ask = book.asks[0]?.[0];
  if (bid === undefined || ask === undefined) throw new Error(`The order book of ${symbol} is empty`);
  return { symbol, time: now(), bid, ask, last: last ?? (bid + ask) / 2, bids: book.bids, asks: book.asks };
}
