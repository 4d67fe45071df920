import { useMemo } from 'react';
import { CardPanel } from '../ui/card-panel.tsx';
import type { DataColumn } from '../ui/data-table.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { testedExitWords } from '../ui/exit-words.ts';
import { formatPnl, toneOf } from '../ui/money.ts';
import { formatRatio } from '../ui/ratio.ts';
import type { BacktestDetails } from './run-list.ts';

type Row = BacktestDetails['exit_reasons'][number];

const columnsIn = (currency: string): readonly DataColumn<Row>[] => [
  { key: 'reason', title: 'Exit Reason', value: (row) => testedExitWords(row.reason) },
  { key: 'trades', title: 'Trades', value: (row) => row.trades, numeric: true },
  { key: 'wins', title: 'Wins', value: (row) => row.wins, numeric: true },
  {
    key: 'win_rate',
    title: 'Win Rate',
    value: (row) => row.wins / Math.max(1, row.trades),
    show: (row) => formatRatio(row.wins / Math.max(1, row.trades)),
    numeric: true,
  },
  {
    key: 'pnl',
    title: `PnL (${currency})`,
    value: (row) => row.pnl,
    show: (row) => <span className={`fl-${toneOf(row.pnl, currency)}`}>{formatPnl(row.pnl, currency)}</span>,
    numeric: true,
  },
];

/** Why trades ended, and what each reason brought in the currency of the run. */
export function ExitReasons({ rows, currency }: { rows: readonly Row[]; currency: string }) {
  const columns = useMemo(() => columnsIn(currency), [currency]);
  return (
    <CardPanel title="Exit Reasons" flush>
      {rows.length === 0 ? (
        <EmptyState text="No trades in this period." />
      ) : (
        <DataTable label="Exit Reasons" columns={columns} rows={rows} rowKey={(row) => row.reason} />
      )}
    </CardPanel>
  );
}
