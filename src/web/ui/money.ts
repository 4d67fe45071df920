import { dollarCurrencies } from '#engine/market/dollars.ts';

/** Currencies that are dollars: their amounts are written with '$'. */
const dollars: ReadonlySet<string> = new Set(dollarCurrencies);

/** Other currencies whose smallest unit is a hundredth. */
const hundredths: ReadonlySet<string> = new Set(['EUR', 'GBP', 'CHF', 'AUD', 'CAD', 'BRL', 'TRY', 'PLN', 'ZAR', 'EURI']);

const tiny = 1e-12;

/** An amount of money: '$1234.50'; in a currency that is not a dollar '1234.50 EUR', '0.012500 BTC'. */
export function formatMoney(amount: number, currency = 'USDT'): string {
  const sign = isNegative(amount, currency) ? '-' : '';
  return `${sign}${unsigned(amount, currency)}`;
}

/** Profit or loss, always with its sign: '+$12.30', '-$12.30', '+$0.00'. */
export function formatPnl(amount: number, currency = 'USDT'): string {
  return `${isNegative(amount, currency) ? '-' : '+'}${unsigned(amount, currency)}`;
}

/** A stake with its currency in words: '100.00 USDT'. */
export function formatStake(amount: number, currency: string): string {
  return `${amount.toFixed(decimalsOf(currency))} ${currency}`;
}

/** Whether a profit or loss is a gain, a loss, or nothing, as it is written: what reads '+$0.00' is neither. */
export function toneOf(amount: number, currency = 'USDT'): 'up' | 'down' | 'flat' {
  if (isNegative(amount, currency)) return 'down';
  return isNegative(-amount, currency) ? 'up' : 'flat';
}

/**
 * A price. With the market's smallest step every price of a symbol has that step's decimals, two at least; without it two
 * decimals, more for a price below 10 so that five significant digits stay: a trade of a coin that is worth little has two prices.
 *
 * 1.5634 at a step of 0.0001 is '$1.5634'; without one 64250.5 in USDT is '$64250.50', 1.61874 is '$1.6187', 0.00001234 is '$0.000012340', 0.051 in
 * BTC is '0.051000 BTC'.
 */
export function formatPrice(price: number, currency = 'USDT', tick: number | null = null): string {
  const text = Math.abs(price).toFixed(priceDecimals(price, tick));
  return dollars.has(currency) ? `${price < 0 ? '-' : ''}$${text}` : `${price < 0 ? '-' : ''}${text} ${currency}`;
}

/** How many decimals a price of this size is written with; see `formatPrice`. */
export function priceDecimals(price: number, tick: number | null = null): number {
  if (tick !== null && tick > 0) return Math.max(2, decimalsIn(tick));
  const size = Math.abs(price);
  if (size >= 10 || size < tiny) return 2;
  return Math.min(12, 4 - Math.floor(Math.log10(size)));
}

/** An amount of a base currency: up to 8 decimals without trailing zeros, or with as many as given, as the others of its column have. */
export function formatAmount(amount: number, decimals?: number): string {
  return decimals === undefined ? amount.toFixed(8).replace(/\.?0+$/u, '') : amount.toFixed(decimals);
}

/** The decimals with which none of the amounts loses a digit: those of a column, so that its points stand in one line. */
export function amountDecimals(amounts: readonly number[]): number {
  return amounts.reduce((most, amount) => Math.max(most, decimalsIn(Number(amount.toFixed(8)))), 0);
}

/** The currency a symbol's prices are in: 'USDT' of 'BTC/USDT' and of 'BTC/USDT:USDT'. */
export function quoteOf(symbol: string): string {
  return symbol.split(':')[0]?.split('/')[1] ?? 'USDT';
}

/** The currency a trade of a symbol gains and loses: 'USDT' of 'BTC/USDT', 'BTC' of 'BTC/USD:BTC'. */
export function settleOf(symbol: string): string {
  return symbol.split(':')[1]?.split('-')[0] ?? quoteOf(symbol);
}

/** Whether amounts of the currency are added up as dollars. */
export function isDollar(currency: string): boolean {
  return dollars.has(currency);
}

/** The currency a symbol trades: 'BTC' of 'BTC/USDT'. */
export function baseOf(symbol: string): string {
  return symbol.split('/')[0] ?? symbol;
}

/** How many decimals a number has when it is written out: 4 for 0.0001, 7 for 2.5e-7. */
function decimalsIn(value: number): number {
  const [digits = '', exponent = '0'] = String(Math.abs(value)).split('e');
  return Math.max(0, (digits.split('.')[1]?.length ?? 0) - Number(exponent));
}

function unsigned(amount: number, currency: string): string {
  const text = Math.abs(amount).toFixed(decimalsOf(currency));
  return dollars.has(currency) ? `$${text}` : `${text} ${currency}`;
}

function isNegative(amount: number, currency: string): boolean {
  return Number(amount.toFixed(decimalsOf(currency))) < 0;
}

/** How many decimals amounts of a currency are written with. */
export function decimalsOf(currency: string): number {
  return dollars.has(currency) || hundredths.has(currency) ? 2 : 6;
}
