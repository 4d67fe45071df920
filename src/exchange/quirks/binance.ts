import type { MarketType } from '#engine/market/instrument.ts';

/** Routes whose answer must be a list. */
const lists = /\/(klines|markPriceKlines|aggTrades|fundingRate)(\?|$)/;

/** Routes whose answer must hold this field. */
const fields: readonly (readonly [route: RegExp, field: string])[] = [
  [/\/depth(\?|$)/, 'bids'],
  [/\/exchangeInfo(\?|$)/, 'symbols'],
  [/\/time(\?|$)/, 'serverTime'],
  [/\/ticker\/24hr\?.*\bsymbol=/, 'lastPrice'],
  [/\/ticker\/bookTicker\?.*\bsymbol=/, 'bidPrice'],
];

/**
 * What is wrong with the shape of an answer of Binance, or null.
 *
 * An empty object is complete JSON, but ccxt reads it as "no candles" or "no orders".
 */
export function answerFault(ccxtId: string, url: string, answer: object): string | null {
  if (!ccxtId.startsWith('binance')) return null;
  if (lists.test(url)) return Array.isArray(answer) ? null : 'a list was expected';
  const rule = fields.find(([route]) => route.test(url));
  if (rule === undefined || Object.hasOwn(answer, rule[1])) return null;
  return `the field ${rule[1]} is missing`;
}

/**
 * What the requests of one address may cost in a minute, in ccxt's cost units; null where ccxt's own figure holds.
 *
 * Source: developers.binance.com, USD-M futures, general information: a weight of 2,400; ccxt uses half of it
 */
export function costPerMinute(ccxtId: string): number | null {
  return ccxtId === 'binanceusdm' ? 2_400 : null;
}

/**
 * What one unit of Binance's request weight is in ccxt's cost units.
 *
 * Source: ccxt's tables, in which a spot weight of 2 costs 0.4 and a futures weight of 1 costs 1
 */
export function weightUnits(url: string): number {
  return url.includes('/fapi/') ? 1 : 0.2;
}

/**
 * The number of candles with the least weight for each: 499 futures candles weigh 2, 1,000 weigh 5 and 1,500 weigh 10. Null
 * where every answer weighs the same.
 *
 * Source: developers.binance.com, USD-M futures, kline data
 */
export function cheapestPage(ccxtId: string, marketType: MarketType): number | null {
  return ccxtId.startsWith('binance') && marketType === 'futures' ? 499 : null;
}

/** How many symbols are named in one request for prices: of more Binance takes as much as of all, and the address would be long. */
export function namedAtMost(ccxtId: string): number {
  return ccxtId.startsWith('binance') ? 100 : Infinity;
}

/** The numbers of levels Binance gives. */
export const bookLimits: readonly number[] = [5, 10, 20, 50, 100, 500, 1000];

/**
 * Which of its sockets a stream goes to: one per kind of data, so that hundreds of pairs share it. Binance allows 1,024
 * streams on a socket; ccxt would open one for each call.
 */
export function socketOfStream(hash: string): string {
  if (hash.startsWith('bookTicker')) return '1';
  if (hash.startsWith('miniTicker') || hash.startsWith('ticker')) return '2';
  return '0';
}
