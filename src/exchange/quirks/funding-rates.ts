/**
 * Exchanges whose history of rates, as ccxt reads it, does not list payments: Bitfinex publishes the state of a contract
 * every few moments, with the rate at that time.
 *
 * Source: ccxt's bitfinex.js, docs.bitfinex.com/reference/rest-public-derivatives-status-history
 */
const publishStates: ReadonlySet<string> = new Set(['bitfinex']);

/** Whether the rates in an exchange's history are its payments of funding. */
export function publishesPayments(ccxtId: string): boolean {
  return !publishStates.has(ccxtId);
}

/**
 * How many payments of funding an exchange gives in one answer: Binance a thousand, Kraken always all of them, whose first
 * ones ccxt keeps; a hundred is what all others do.
 */
export function fundingPageLimit(ccxtId: string): number {
  if (ccxtId === 'krakenfutures') return 1_000_000;
  return ccxtId.startsWith('binance') ? 1000 : 100;
}

/**
 * How to request old funding rates from exchanges that return the newest ones whatever `until` says: by an end parameter
 * of their own, or by a page number; null where ccxt passes `until` on.
 *
 * Source: `fetchFundingRateHistory` in ccxt's okx.js, bitget.js and mexc.js
 */
export function newestFunding(ccxtId: string): { end: string } | { page: string } | null {
  return Object.hasOwn(words, ccxtId) ? (words[ccxtId] ?? null) : null;
}

const words: Readonly<Record<string, { end: string } | { page: string }>> = {
  okx: { end: 'after' },
  bitget: { page: 'pageNo' },
  mexc: { page: 'page_num' },
};
