import type { DataColumn } from '../ui/data-table.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { ModeTag } from '../ui/mode-tag.tsx';
import { formatMoney, formatPnl, toneOf } from '../ui/money.ts';
import { formatRatio, formatSignedRatio, notAvailable } from '../ui/ratio.ts';
import type { InvestorRow } from './investor-rows.ts';

const columns: readonly DataColumn<InvestorRow>[] = (
  [
    {
      key: 'trader',
      title: 'Trader',
      value: (row) => row.trader_name,
      show: (row) => <span title={row.trader_id}>{row.trader_name}</span>,
    },
    { key: 'mode', title: 'Mode', value: (row) => row.mode, show: (row) => <ModeTag mode={row.mode} /> },
    {
      key: 'total_pnl',
      title: 'Total PnL',
      value: (row) => row.total_pnl,
      show: (row) => <span className={`fl-${toneOf(row.total_pnl)}`}>{formatPnl(row.total_pnl)}</span>,
      numeric: true,
    },
    {
      key: 'roi',
      title: 'ROI%',
      value: (row) => row.roi_percent,
      show: (row) => <span className={`fl-${toneOf(row.roi_percent)}`}>{formatSignedRatio(row.roi_percent / 100)}</span>,
      numeric: true,
    },
    { key: 'drawdown', title: 'Drawdown', value: (row) => row.max_drawdown, show: (row) => formatMoney(row.max_drawdown), numeric: true },
    { key: 'trades', title: 'Trades', value: (row) => row.num_trades, numeric: true },
    { key: 'win_rate', title: 'Win Rate', value: (row) => row.win_rate, show: (row) => formatRatio(row.win_rate, 2), numeric: true },
    {
      key: 'sharpe',
      title: 'Sharpe Ratio',
      value: (row) => row.sharpe_ratio,
      show: (row) => row.sharpe_ratio?.toFixed(4) ?? notAvailable,
      numeric: true,
    },
    {
      key: 'latency',
      title: 'Avg Latency',
      value: (row) => row.avg_latency,
      show: (row) => (row.avg_latency === null ? notAvailable : `${Math.round(row.avg_latency)} ms`),
      numeric: true,
    },
    { key: 'labels', title: 'ML Labels', value: (row) => row.ml_label_count, numeric: true },
  ] satisfies DataColumn<InvestorRow>[]
).map((column) => ({ ...column, sortable: false })); // a page is not the whole: the server sorts by profit

/** A page of the investor summary. */
export function InvestorTable({ rows }: { rows: readonly InvestorRow[] }) {
  return (
    <DataTable label="Investor Summary" columns={columns} rows={rows} rowKey={(row, index) => `${row.trader_id} ${row.mode} ${index}`} />
  );
}
