import type { LeverageTier as CcxtTier, Market, OHLCV, OrderBook as CcxtOrderBook, Ticker } from 'ccxt';
import { type Candle, candleFault } from '#engine/market/candle.ts';
import type { Instrument, LeverageTier, MarketType } from '#engine/market/instrument.ts';
import { ExchangeError } from '#engine/ports/exchange-error.ts';
import type { BookLevel, OrderBook, Quote } from '#engine/ports/market-data.ts';
import type { CcxtClient } from './ccxt-client.ts';

/** ccxt's way to say that a precision counts decimals, and that it counts significant digits; otherwise it is a step. */
const decimalPlaces = 2;
const significantDigits = 3;

/** The instruments of a market type: spot pairs, those that allow margin, or linear perpetuals. */
export function toInstruments(client: CcxtClient, markets: readonly Market[], marketType: MarketType): Instrument[] {
  return markets.filter((market) => belongsTo(market, marketType)).map((market) => toInstrument(client, market!, marketType));
}

function belongsTo(market: Market, marketType: MarketType): boolean {
  if (market === undefined) return false;
  if (marketType === 'futures') return market.swap === true && market.linear === true;
  return market.spot === true && (marketType === 'spot' || market.margin === true);
}

function toInstrument(client: CcxtClient, market: NonNullable<Market>, marketType: MarketType): Instrument {
  const futures = marketType === 'futures';
  const contractSize = futures ? (market.contractSize ?? 1) : 1;
  const { limits, precision } = market;
  return {
    symbol: market.symbol,
    base: market.base,
    quote: market.quote,
    marketType,
    active: market.active !== false,
    priceTick: stepOf(client.precisionMode, precision.price),
    amountStep: stepOf(client.precisionMode, precision.amount),
    minAmount: clean((limits.amount?.min ?? 0) * contractSize),
    maxAmount: (limits.amount?.max || Infinity) * contractSize,
    ...largestMarketOrder(limits, contractSize),
    minCost: limits.cost?.min ?? 0,
    maxCost: limits.cost?.max || Infinity,
    contractSize,
    takerFee: market.taker ?? client.fees?.trading?.taker ?? 0.001,
    makerFee: market.maker ?? client.fees?.trading?.maker ?? 0.001,
    maxLeverage: futures ? maxLeverage(market) : 1,
    leverageTiers: futures ? publishedTiers(market) : [],
  };
}

/** The largest amount of a market order, of exchanges that have another for those: a limit of zero is none. */
function largestMarketOrder({ amount, market }: NonNullable<Market>['limits'], contractSize: number): Pick<Instrument, 'maxMarketAmount'> {
  const most = market?.max ?? 0;
  return most > 0 && most < (amount?.max || Infinity) ? { maxMarketAmount: clean(most * contractSize) } : {};
}

/** Smallest step of a price or amount. Significant digits have no fixed step: eight decimals stand for it. */
function stepOf(mode: number, precision: number | undefined): number {
  if (precision === undefined || mode === significantDigits) return 1e-8;
  return mode === decimalPlaces ? Number(`1e-${precision}`) : precision;
}

/** Removes what multiplying binary fractions adds: 0.1 x 0.01 is 0.001. */
function clean(value: number): number {
  return Number(value.toPrecision(12));
}

/** Without a table it follows from the initial margin that Binance publishes with each contract; without both no leverage is assumed. */
function maxLeverage(market: NonNullable<Market>): number {
  const listed = market.limits.leverage?.max;
  if (listed !== undefined && listed > 0) return listed;
  const percent = Number((market.info as { requiredMarginPercent?: string } | undefined)?.requiredMarginPercent);
  return percent > 0 ? Math.floor(100 / percent) : 1;
}

/**
 * The one tier that the margins published with a contract make, or none.
 *
 * Binance publishes its table to key holders only, but lists a maintenance margin with each contract (2.5 %). All but very
 * large positions need less, so the liquidation price calculated from it lies nearer to the entry than the true one: a
 * simulated trade ends too early rather than too late (docs/decisions/0009-leverage-tiers-without-a-key.md).
 */
function publishedTiers(market: NonNullable<Market>): LeverageTier[] {
  const percent = Number((market.info as { maintMarginPercent?: string } | undefined)?.maintMarginPercent);
  if (!(percent > 0)) return [];
  const [leverage, maintenanceRate] = [maxLeverage(market), clean(percent / 100)];
  return [{ minNotional: 0, maxNotional: Infinity, maxLeverage: leverage, maintenanceRate, maintenanceAmount: 0 }];
}

/**
 * A leverage table of ccxt, smallest positions first, without holes. Rows without a rate or a leverage are left out; a
 * table with two rows for the same size is not usable and counts as empty.
 *
 * The maintenance amount is what makes the margin grow without a step from tier to tier; exchanges that publish it have
 * the same numbers. `unit` is what one of the sizes is worth in quote currency.
 */
export function toLeverageTiers(rows: readonly CcxtTier[], unit = 1): LeverageTier[] {
  const complete = rows
    .filter(({ maintenanceMarginRate, maxLeverage }) => (maintenanceMarginRate ?? -1) >= 0 && (maxLeverage ?? 0) > 0)
    .toSorted((a, b) => (a.minNotional ?? 0) - (b.minNotional ?? 0));
  const tiers: LeverageTier[] = [];
  for (const [i, row] of complete.entries()) {
    const [minNotional, maintenanceRate] = [clean((row.minNotional ?? 0) * unit), row.maintenanceMarginRate ?? 0];
    const before = tiers.at(-1);
    if (before?.minNotional === minNotional) return [];
    const step = before === undefined ? 0 : minNotional * (maintenanceRate - before.maintenanceRate);
    tiers.push({
      minNotional,
      maxNotional: clean((complete[i + 1]?.minNotional ?? row.maxNotional ?? Infinity) * unit),
      maxLeverage: row.maxLeverage ?? 1,
      maintenanceRate,
      maintenanceAmount: clean((before?.maintenanceAmount ?? 0) + step),
    });
  }
  return tiers;
}

/**
 * A row of ccxt as a candle, copied.
 *
 * Fails: ExchangeError `temporary` that names symbol and time when it cannot be right
 */
export function toCandle(row: readonly OHLCV[number][], exchangeId: string, symbol: string): Candle {
  const [openTime, open, high, low, close, volume] = row.map((value) => value ?? NaN);
  const candle: Candle = { openTime: openTime!, open: open!, high: high!, low: low!, close: close!, volume: volume! };
  const fault = candleFault(candle);
  if (fault === null) return candle;
  const at = Number.isFinite(candle.openTime) ? new Date(candle.openTime).toISOString() : 'an unknown time';
  throw new ExchangeError('temporary', `${exchangeId} gave a candle of ${symbol} at ${at} that cannot be right: ${fault}.`);
}

/**
 * A book of ccxt, copied, at most `limit` levels a side; amounts in base currency.
 *
 * Fails: ExchangeError `temporary` when it is empty, unsorted or crossed
 */
export function toOrderBook(
  book: CcxtOrderBook,
  exchangeId: string,
  symbol: string,
  limit: number,
  contractSize: number,
  now: number,
): OrderBook {
  const side = (rows: CcxtOrderBook['bids']) =>
    levelsOf(rows.map(([price, amount]): BookLevel => [Number(price), Number(amount) * contractSize])).slice(0, limit);
  const [bids, asks] = [side(book.bids), side(book.asks)];
  const fault = bookFault(bids, asks);
  if (fault !== null) throw new ExchangeError('temporary', `${exchangeId} gave an order book of ${symbol} that cannot be right: ${fault}.`);
  return { symbol, bids, asks, time: book.timestamp ?? now };
}

/** Some exchanges list each order: those of one price are one level. */
function levelsOf(rows: readonly BookLevel[]): BookLevel[] {
  const levels: BookLevel[] = [];
  for (const [price, amount] of rows) {
    const last = levels.at(-1);
    if (last?.[0] === price) levels[levels.length - 1] = [price, last[1] + amount];
    else levels.push([price, amount]);
  }
  return levels;
}

function bookFault(bids: readonly BookLevel[], asks: readonly BookLevel[]): string | null {
  if (bids.length === 0 || asks.length === 0) return 'a side is empty';
  if ([...bids, ...asks].some(([price, amount]) => !(price > 0) || !(amount >= 0))) return 'a level is not a number';
  if (bids.some(([price], i) => i > 0 && price >= bids[i - 1]![0])) return 'the bids are not sorted';
  if (asks.some(([price], i) => i > 0 && price <= asks[i - 1]![0])) return 'the asks are not sorted';
  return bids[0]![0] < asks[0]![0] ? null : 'bid and ask are crossed';
}

/** Best prices out of one or two tickers of ccxt, or null while bid, ask or last is not known. */
export function toQuote(symbol: string, best: Ticker | undefined, ticker: Ticker | undefined, now: number): Quote | null {
  const bid = best?.bid ?? ticker?.bid;
  const ask = best?.ask ?? ticker?.ask;
  if (bid === undefined || ask === undefined || !(bid > 0) || !(ask > 0)) return null;
  const last = ticker?.last ?? (bid + ask) / 2;
  return { symbol, bid, ask, last, time: Math.max(best?.timestamp ?? 0, ticker?.timestamp ?? 0) || now };
}
