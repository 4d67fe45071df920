import { useQuery } from '@tanstack/react-query';
import { fromText, plus, toNumber, zero } from '#engine/market/decimal.ts';
import { api } from '../api/api.ts';
import { heldData } from '../api/outage.ts';
import { isDollar } from '../ui/money.ts';
import type { PaperTrade } from './trade-list.ts';
import { summaryOf } from './trade-list.ts';

/** How many trades the server lists at most. */
export const newestMax = 1000;

/** What all paper trades come to, those that are not listed among them; money is that of trades in dollars. */
export interface PaperSum {
  count: number;
  open: number;
  pnl: number;
  winRate: number;
  commented: number; // of those that are listed
  leavesOut: boolean; // trades in other currencies
}

/** The sum of all paper trades; null until it is known. Beyond what is listed the server adds up. */
export function usePaperSum(trades: readonly PaperTrade[] | undefined): PaperSum | null {
  const isCut = trades !== undefined && trades.length >= newestMax;
  const query = useQuery({
    queryKey: ['paper-sum'],
    queryFn: ({ signal }) => api.profits({ query: { group: 'year' } }, { signal }),
    enabled: isCut,
    meta: { what: 'sum of the paper trades' },
  });
  if (trades === undefined) return null;
  const listed = summaryOf(trades);
  if (!isCut) return listed;
  const ledgers = heldData(query)?.ledgers.filter(({ mode }) => mode === 'paper');
  if (ledgers === undefined) return null;
  const inDollars = ledgers.filter(({ currency }) => isDollar(currency));
  const count = (of: 'trades' | 'wins') => ledgers.reduce((sum, { figures }) => sum + figures[of], 0);
  const open = ledgers.reduce((sum, { open_trades: each }) => sum + each, 0);
  const closed = count('trades');
  return {
    count: closed + open,
    open,
    pnl: toNumber(inDollars.reduce((sum: typeof zero, { figures }) => plus(sum, fromText(figures.profit)), zero)),
    winRate: closed === 0 ? 0 : count('wins') / closed,
    commented: listed.commented,
    leavesOut: inDollars.length < ledgers.length,
  };
}
