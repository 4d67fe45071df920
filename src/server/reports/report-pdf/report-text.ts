import type { report } from '#contract/reports.ts';
import type { z } from 'zod';

/** That a sum leaves something out. */
export const otherCurrencies = 'Amounts in other currencies than dollars are not added.';

/** The figures of a day in the words, order and form of the screen; `amount` where its sign counts. */
export function figureTexts(figures: z.output<typeof report>): { name: string; value: string; amount?: number }[] {
  const { average_confidence: confidence, net_pnl: pnl } = figures;
  return [
    { name: 'Trades', value: String(figures.total_trades) },
    { name: 'Net PNL', value: pnlText(pnl, { name: 'USD', isDollar: true }), amount: pnl },
    { name: 'Win Rate', value: percentText(figures.win_rate, 2) },
    { name: 'Max Drawdown', value: moneyText(figures.max_drawdown) },
    { name: 'Avg Stop Size', value: `${figures.avg_stop_size.toFixed(2)}%` },
    ...(confidence === undefined ? [] : [{ name: 'Average Confidence', value: percentText(confidence, 1) }]),
  ];
}

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
