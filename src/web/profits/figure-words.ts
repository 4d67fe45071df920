import type { Figure } from '../ui/figure-bar.tsx';
import { decimalsOf, formatMoney, formatPnl, isDollar, toneOf } from '../ui/money.ts';
import { formatRatio, notAvailable } from '../ui/ratio.ts';
import type { Ledger } from './ledgers.ts';
import type { CalendarDay } from './month-of-days.ts';

/** The share of trades that were won; 'N/A' without any. */
export function wonText({ wins, trades }: Pick<Ledger['figures'], 'wins' | 'trades'>): string {
  return trades === 0 ? notAvailable : formatRatio(wins / trades, 2);
}

/** The figures of a range, in their order. */
export function rangeFigures({ figures, currency, unrealized, open_trades: open }: Ledger): Figure[] {
  const pnl = (name: string, amount: string): Figure => ({
    name,
    value: formatPnl(Number(amount), currency),
    tone: toneOf(Number(amount), currency),
  });
  return [
    { ...pnl('Net Profit', figures.profit), isLead: true, note: 'realized' },
    { name: 'Fees', value: formatMoney(Number(figures.fees), currency) },
    pnl('Funding', figures.funding),
    {
      ...(unrealized === null ? { name: 'Unrealized Now', value: notAvailable } : pnl('Unrealized Now', unrealized)),
      note: `${open} open`,
    },
    { name: 'Trades', value: figures.trades },
    { name: 'Won', value: wonText(figures) },
  ];
}

/** A profit in few letters, for a day of the calendar: '+12.3', '-1.2k', '+0.00150'. */
export function shortPnl(amount: number, currency: string): string {
  const sign = toneOf(amount, currency) === 'down' ? '-' : '+';
  const size = Math.abs(amount);
  if (size >= 9_999.5) return `${sign}${(size / 1_000).toFixed(size >= 99_950 ? 0 : 1)}k`;
  if (size >= 99.95) return `${sign}${size.toFixed(0)}`;
  if (isDollar(currency) || size >= 10) return `${sign}${size.toFixed(size >= 9.995 ? 1 : 2)}`;
  return `${sign}${size.toFixed(Math.min(5, decimalsOf(currency)))}`;
}

/** What a day came to, in a sentence. */
export function daySentence({ day, sums }: CalendarDay, currency: string, isOutside: boolean): string {
  if (sums === null) return isOutside ? `${day} is not in the range.` : `${day}: no trade was closed.`;
  const { profit, fees, funding, trades, wins } = sums;
  const parts = [
    `${trades} ${trades === 1 ? 'trade' : 'trades'}, ${wins} won`,
    `fees ${formatMoney(Number(fees), currency)}`,
    `funding ${formatPnl(Number(funding), currency)}`,
  ];
  return `${day}: ${formatPnl(Number(profit), currency)} in ${parts.join(', ')}.`;
}
