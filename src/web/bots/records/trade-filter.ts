import { tradeStatuses } from '#contract/fields.ts';
import { settleOf } from '../../ui/money.ts';
import type { BotTrade } from '../use-bot-details.ts';

/** What the trades are narrowed to; '' for everything. */
export interface TradeFilter {
  symbol: string; // a part of it, whatever its case
  status: string;
}

/** The filter that hides nothing. */
export const allTrades: TradeFilter = { symbol: '', status: '' };

/** The choices of the status filter. */
export const statusOptions = [
  { value: '', label: 'All Statuses' },
  ...tradeStatuses.map((status) => ({ value: status as string, label: status as string })),
];

/** Whether the filter lets the trade through. */
export function matchesTrade(trade: Pick<BotTrade, 'symbol' | 'status'>, { symbol, status }: TradeFilter): boolean {
  return trade.symbol.toLowerCase().includes(symbol.trim().toLowerCase()) && (status === '' || trade.status === status);
}

/** What the trades came to: how many are closed, how many of those won, and their profit by the currency they were settled in. */
export function totalOf(trades: readonly BotTrade[]): { closed: number; won: number; pnl: ReadonlyMap<string, number> } {
  const closed = trades.filter(({ status }) => status === 'closed');
  return {
    closed: closed.length,
    won: closed.filter(({ pnl }) => (pnl ?? 0) > 0).length,
    pnl: new Map(
      [...Map.groupBy(closed, ({ symbol }) => settleOf(symbol))].map(([currency, its]) => [
        currency,
        its.reduce((sum, { pnl }) => sum + (pnl ?? 0), 0),
      ]),
    ),
  };
}
