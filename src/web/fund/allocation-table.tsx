import { CardPanel } from '../ui/card-panel.tsx';
import type { DataColumn } from '../ui/data-table.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { formatMoney } from '../ui/money.ts';
import { StatusBadge } from '../ui/status-badge.tsx';
import type { Allocation } from './overview.ts';

const columns: readonly DataColumn<Allocation>[] = [
  { key: 'strategy', title: 'Strategy', value: (row) => row.strategy },
  { key: 'capital', title: 'Capital', value: (row) => row.capital, show: (row) => formatMoney(row.capital), numeric: true },
  { key: 'leverage', title: 'Leverage', value: (row) => row.leverage, show: (row) => `${row.leverage}x`, numeric: true },
  { key: 'margin_mode', title: 'Margin Mode', value: (row) => row.marginMode },
  { key: 'status', title: 'Status', value: (row) => row.botStatus, show: (row) => <Status status={row.botStatus} /> },
];

/** How the money of live bots is spread over strategies. */
export function AllocationTable({ rows }: { rows: readonly Allocation[] }) {
  return (
    <CardPanel title="Strategy Allocation" aside="current balances of live bots that are not stopped" flush>
      {rows.length === 0 ? (
        <EmptyState text="No strategy allocations" hint="Switch a bot to live, and its strategy appears here." />
      ) : (
        <DataTable
          label="Strategy Allocation"
          columns={columns}
          rows={rows}
          rowKey={(row) => row.strategy}
          sortedBy={{ key: 'capital', descending: true }}
        />
      )}
    </CardPanel>
  );
}

function Status({ status }: { status: string }) {
  return status === 'active' || status === 'paused' ? <StatusBadge status={status} /> : status;
}
