/** An amount in dollars: '$1234.50', '-$0.25'. */
export function moneyText(amount: number): string {
  return `${isBelowZero(amount) ? '-' : ''}$${Math.abs(amount).toFixed(2)}`;
}

/** Profit or loss with its sign: '+$12.30', '-$12.30', '+$0.00'; in another currency than dollars '+0.012500 BTC'. */
export function pnlText(amount: number, currency: { name: string; isDollar: boolean }): string {
  if (currency.isDollar) return `${isBelowZero(amount) ? '-' : '+'}$${Math.abs(amount).toFixed(2)}`;
  return `${Number(amount.toFixed(6)) < 0 ? '-' : '+'}${Math.abs(amount).toFixed(6)} ${currency.name}`;
}

/** A price: two decimals, more below 1 so that five significant digits stay; 'N/A' when there is none. */
export function priceText(price: string | null): string {
  if (price === null) return 'N/A';
  const value = Number(price);
  const size = Math.abs(value);
  return value.toFixed(size >= 1 || size < 1e-12 ? 2 : Math.min(12, 4 - Math.floor(Math.log10(size))));
}

/** A fraction as per cent: 0.5 with two decimals is '50.00%'. */
export function percentText(fraction: number, decimals: number): string {
  return `${(fraction * 100).toFixed(decimals)}%`;
}

/** The text with '?' for each character that the fonts of the page do not have: they know western European letters only. */
export function printable(text: string): string {
  return text.normalize('NFC').replaceAll(/[^\u0020-\u007E\u00A1-\u00FF]/gu, '?');
}

function isBelowZero(amount: number): boolean {
  return Number(amount.toFixed(2)) < 0;
}
