import { shortProduct, times, toDecimal, toNumber } from '../market/decimal.ts';

/**
 * One execution of an order: the only source of what it bought or sold, at which price, for which fee.
 *
 * Plain data: it survives JSON.
 */
export interface Fill {
  id: string; // the exchange's own, unique within its order; '1' for a simulated one, which fills in one piece
  price: number;
  amount: number; // base currency
  fee: number; // as the exchange states it; negative when it pays
  feeCurrency: string; // e.g. 'USDT', 'BTC', 'BNB'
  feeInQuote: number | null; // its value in quote currency; null while the price of a third currency is not known
  liquidity: 'maker' | 'taker' | null; // null in a backtest, which does not distinguish them
  time: number; // ms
}

/** The currencies of a symbol such as `BTC/USDT` or `BTC/USDT:USDT`. */
export function currenciesOf(symbol: string): { base: string; quote: string } {
  const slash = symbol.indexOf('/');
  const colon = symbol.indexOf(':');
  return { base: symbol.slice(0, slash), quote: symbol.slice(slash + 1, colon === -1 ? symbol.length : colon) };
}

/**
 * The currency of which a fee is kept back from what was bought; null where none is. On spot that is the coin; what a perpetual costs is paid out of the
 * wallet, also where that is the same coin, as BNB is at Binance.
 */
export function coinKeptBack(symbol: string): string | null {
  return symbol.includes(':') ? null : currenciesOf(symbol).base;
}

/** A fee's value in quote currency, where the fill itself says it: a fee in base currency is worth what the fill paid for it. */
export function feeInQuote(fill: Pick<Fill, 'price' | 'fee' | 'feeCurrency'>, symbol: string): number | null {
  const { base, quote } = currenciesOf(symbol);
  if (fill.feeCurrency === quote || fill.fee === 0) return fill.fee;
  return fill.feeCurrency === base ? toNumber(times(toDecimal(fill.fee), toDecimal(fill.price))) : null;
}

/** What a simulation executes of an order: the whole of it, for a fee that is a fraction of its value. */
export interface Execution {
  price: number;
  amount: number;
  time: number; // ms
  feeRatio: number;
  liquidity: Fill['liquidity'];
}

/** The fill of a whole simulated order; its fee is in quote currency. */
export function simulatedFill(symbol: string, of: Execution): Fill {
  const { price, amount, time, liquidity } = of;
  const fee =
    shortProduct(price, amount, of.feeRatio) ?? toNumber(times(times(toDecimal(price), toDecimal(amount)), toDecimal(of.feeRatio)));
  return { id: '1', price, amount, fee, feeCurrency: currenciesOf(symbol).quote, feeInQuote: fee, liquidity, time };
}
