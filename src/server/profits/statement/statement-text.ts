import { isDollar } from '#engine/market/dollars.ts';
import type { ProfitSums } from '#storage/profits/profits.ts';
import { moneyText, percentText, pnlText } from '../../reports/report-pdf/report-text.ts';

/** Profit or loss of a currency with its sign. */
export function profitText(amount: string, currency: string): string {
  return pnlText(Number(amount), { name: currency, isDollar: isDollar(currency) });
}

/** An amount of a currency. */
export function amountText(amount: string, currency: string): string {
  return isDollar(currency) ? moneyText(Number(amount)) : `${Number(amount).toFixed(6)} ${currency}`;
}

/** The mode and currency of a part of a statement, as its heading. */
export function ledgerTitle({ mode, currency }: Pick<ProfitSums, 'mode' | 'currency'>): string {
  return `${mode.toUpperCase()}, ${moneyOf[mode]}, ${currency}`;
}

/** The share of trades that were won. */
export function wonText({ wins, trades }: Pick<ProfitSums, 'wins' | 'trades'>): string {
  return trades === 0 ? 'N/A' : percentText(wins / trades, 2);
}

/** A UTC moment to the minute: '2026-11-23 18:47'. */
export function minuteText(time: Date): string {
  return time.toISOString().slice(0, 16).replace('T', ' ');
}

const moneyOf = { live: 'real money', testnet: 'money of a test network', paper: 'simulated money' } as const;
