/**
 * Exchanges whose history of rates, as ccxt reads it, is no list of payments: Bitfinex tells the state of a contract
 * every few moments, with the rate that stands then.
 *
 * Source: ccxt's bitfinex.js, docs.bitfinex.com/reference/rest-public-derivatives-status-history
 */
const tellStates: ReadonlySet<string> = new Set(['bitfinex']);

/** Whether the rates that an exchange tells are its payments of funding. */
export function tellsPayments(ccxtId: string): boolean {
  return !tellStates.has(ccxtId);
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
 * How exchanges are asked for old funding rates that tell the newest ones whatever `until` says: by an end of their own,
 * or by the number of a page; null where ccxt hands the end on.
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
