import type { CallReply } from '#contract/client.ts';
import { csvText } from '../ui/csv.ts';

/** How a trader did in one mode. */
export type InvestorRow = CallReply<'investorSummary'>[number];

/** What the summary is asked for with; an empty text means all. */
export interface InvestorFilter {
  start: string; // UTC day, YYYY-MM-DD
  end: string;
  traderId: string;
  mode: '' | InvestorRow['mode'];
}

/** The filter of a screen that has just been opened. */
export const firstFilter: InvestorFilter = { start: '', end: '', traderId: '', mode: '' };

/** How many rows a page has. */
export const pageSize = 10;

/** What is wrong with a filter, and with which of its fields; null when nothing is. */
export function issueOf({ start, end, traderId }: InvestorFilter): { field: 'start' | 'traderId'; text: string } | null {
  if (start !== '' && end !== '' && start > end) return { field: 'start', text: 'Start date must be before end date' };
  if (traderId !== '' && !uuid.test(traderId)) return { field: 'traderId', text: 'Invalid trader ID format' };
  return null;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/iu;

/** The rows with 'Trader 1', 'Trader 2', ... in place of ids and names, numbered in their order. */
export function anonymized(rows: readonly InvestorRow[]): InvestorRow[] {
  const numbers = new Map([...new Set(rows.map(({ trader_id: id }) => id))].map((id, place) => [id, place + 1]));
  return rows.map((row) => {
    const name = `Trader ${numbers.get(row.trader_id)}`;
    return { ...row, trader_id: name, trader_name: name };
  });
}

/** The rows of a page, which counts from 1. */
export function rowsOfPage(rows: readonly InvestorRow[], page: number): readonly InvestorRow[] {
  return rows.slice((page - 1) * pageSize, page * pageSize);
}

/** Rows as the text of a CSV file, with a header. */
export function summaryCsv(rows: readonly InvestorRow[]): string {
  return csvText([
    [...columns],
    ...rows.map((row) => [
      row.trader_id,
      row.mode,
      row.total_pnl,
      rounded(row.roi_percent, 2),
      row.max_drawdown,
      row.num_trades,
      `${(row.win_rate * 100).toFixed(2)}%`,
      row.sharpe_ratio === null ? null : rounded(row.sharpe_ratio, 4),
      row.avg_latency,
      row.ml_label_count,
    ]),
  ]);
}

const columns = [
  'trader_id',
  'mode',
  'total_pnl',
  'roi_percent',
  'max_drawdown',
  'num_trades',
  'win_rate',
  'sharpe_ratio',
  'avg_latency',
  'ml_label_count',
] as const;

/** A number, not a text: a text that begins with a minus would be taken for a formula. */
function rounded(value: number, decimals: number): number {
  return Number(value.toFixed(decimals));
}
