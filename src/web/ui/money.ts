/** Currencies that are dollars: their amounts are written with '$'. */
const dollars: ReadonlySet<string> = new Set(['USD', 'USDT', 'USDC', 'BUSD', 'TUSD', 'FDUSD', 'DAI', 'USDP', 'USDE']);

/** Other currencies whose smallest unit is a hundredth. */
const hundredths: ReadonlySet<string> = new Set(['EUR', 'GBP', 'CHF', 'AUD', 'CAD', 'BRL', 'TRY', 'PLN', 'ZAR', 'EURI']);

const tiny = 1e-12;

/** An amount of money: '$1234.50'; in a currency that is no dollar '1234.50 EUR', '0.012500 BTC'. */
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
 * A price: two decimals, more for a price below 1 so that five digits that say something stay.
 *
 * 64250.5 in USDT is '$64250.50', 0.00001234 is '$0.000012340', 0.051 in BTC is '0.051000 BTC'.
 */
export function formatPrice(price: number, currency = 'USDT'): string {
  const text = Math.abs(price).toFixed(priceDecimals(price));
  return dollars.has(currency) ? `${price < 0 ? '-' : ''}$${text}` : `${price < 0 ? '-' : ''}${text} ${currency}`;
}

/** An amount of a base currency: up to 8 decimals without trailing zeros. */
export function formatAmount(amount: number): string {
  return amount.toFixed(8).replace(/\.?0+$/u, '');
}

/** The currency a symbol's prices are in: 'USDT' of 'BTC/USDT' and of 'BTC/USDT:USDT'. */
export function quoteOf(symbol: string): string {
  return symbol.split(':')[0]?.split('/')[1] ?? 'USDT';
}

/** The currency a symbol trades: 'BTC' of 'BTC/USDT'. */
export function baseOf(symbol: string): string {
  return symbol.split('/')[0] ?? symbol;
}

function priceDecimals(price: number): number {
  const size = Math.abs(price);
  if (size >= 1 || size < tiny) return 2;
  return Math.min(12, 4 - Math.floor(Math.log10(size)));
}

function unsigned(amount: number, currency: string): string {
  const text = Math.abs(amount).toFixed(decimalsOf(currency));
  return dollars.has(currency) ? `$${text}` : `${text} ${currency}`;
}

function isNegative(amount: number, currency: string): boolean {
  return Number(amount.toFixed(decimalsOf(currency))) < 0;
}

function decimalsOf(currency: string): number {
  return dollars.has(currency) || hundredths.has(currency) ? 2 : 6;
}
