import { ExchangeError } from '#engine/ports/exchange-error.ts';
import type { Instrument, MarketType } from '#engine/market/instrument.ts';
import type { Markets } from '#feeds/markets.ts';
import { HttpError } from '../http/http-error.ts';

/** What can be traded at an exchange in a market. Fails: 404 for an exchange that is not offered, 502 when it cannot be asked */
export async function offeredInstruments(markets: Markets, exchangeId: string, marketType: MarketType): Promise<Instrument[]> {
  if (!markets.exchanges.some(({ id }) => id === exchangeId)) throw new HttpError(404, 'Exchange not found');
  const all = await (await markets.market(exchangeId, marketType)).instruments();
  if (all.length === 0) throw new ExchangeError('temporary', `${exchangeId} reported no ${marketType} instruments`);
  return all.filter((instrument) => instrument.active);
}

/** Where a bot is to trade, and what. */
export interface Venue {
  exchangeId: string;
  marketType: MarketType;
  stakeCurrency: string;
  symbols: readonly string[];
}

/**
 * Fails unless a strategy supports the exchange, and the exchange offers the stake currency and every pair in it. `known`
 * pairs are not asked about: one that the exchange has taken off its list must not keep its bot from being changed.
 */
export async function refuseUnoffered(
  markets: Markets,
  venue: Venue,
  supportedExchanges: readonly string[],
  known: readonly string[] = [],
): Promise<void> {
  const { exchangeId, marketType, stakeCurrency, symbols } = venue;
  if (!markets.exchanges.some(({ id }) => id === exchangeId)) throw new HttpError(404, 'Exchange not found');
  if (!isSupported(exchangeId, supportedExchanges)) throw new HttpError(400, 'Strategy does not support this exchange');
  const offered = await offeredInstruments(markets, exchangeId, marketType);
  const inCurrency = offered.filter(({ quote }) => quote === stakeCurrency);
  if (inCurrency.length === 0) throw new HttpError(400, 'Stake currency is not offered by this exchange');
  const names = new Set([...inCurrency.map(({ symbol }) => symbol), ...known]);
  const missing = symbols.find((symbol) => !names.has(symbol));
  if (missing !== undefined) throw new HttpError(400, `Trading pair not offered by this exchange: ${missing}`);
}

/** Fails unless the exchange has candles of the timeframe that a bot runs at. */
export async function refuseUnofferedTimeframe(
  markets: Markets,
  { exchangeId, marketType }: Pick<Venue, 'exchangeId' | 'marketType'>,
  timeframe: string,
): Promise<void> {
  if (!markets.exchanges.some(({ id }) => id === exchangeId)) throw new HttpError(404, 'Exchange not found');
  if (!(await hasTimeframe(markets, { exchangeId, marketType }, timeframe))) throw unofferedTimeframe(timeframe);
}

/** What somebody reads whose bot would need candles that its exchange does not have. */
export function unofferedTimeframe(timeframe: string): HttpError {
  return new HttpError(400, `Timeframe not offered by this exchange: ${timeframe}`);
}

/** Whether an exchange has candles of a timeframe. It is not asked: what is known of it says so. */
export async function hasTimeframe(
  markets: Markets,
  { exchangeId, marketType }: Pick<Venue, 'exchangeId' | 'marketType'>,
  timeframe: string,
): Promise<boolean> {
  const { timeframes } = await markets.market(exchangeId, marketType);
  return timeframes.some((offered) => offered === timeframe);
}

/** A strategy that supports an exchange supports its test network too, and every strategy the simulator. */
function isSupported(exchangeId: string, supported: readonly string[]): boolean {
  return exchangeId === 'sandbox' || supported.includes(exchangeId.replace(/_testnet$/u, ''));
}
