import { memo } from 'react';
import { CardPanel } from '../ui/card-panel.tsx';
import type { DataColumn } from '../ui/data-table.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { formatAmount, formatPrice, quoteOf } from '../ui/money.ts';
import { formatMoment } from '../ui/moment.ts';
import { formatOptionalRatio, notAvailable } from '../ui/ratio.ts';
import { RowsSkeleton } from '../ui/skeleton.tsx';
import type { Monitoring, OrderLogEntry } from './use-monitoring.ts';

const price = (value: number | null, symbol: string) => (value === null ? notAvailable : formatPrice(value, quoteOf(symbol)));

/** The columns of the order log, in their order. */
const columns: readonly DataColumn<OrderLogEntry>[] = [
  { key: 'timestamp', title: 'Timestamp', value: (row) => row.timestamp, show: (row) => formatMoment(row.timestamp) },
  { key: 'symbol', title: 'Symbol', value: (row) => row.symbol },
  { key: 'direction', title: 'Direction', value: (row) => row.direction, show: (row) => <Direction direction={row.direction} /> },
  { key: 'size', title: 'Size', value: (row) => row.size, show: (row) => formatAmount(row.size), numeric: true },
  { key: 'entry', title: 'Entry', value: (row) => row.entry, show: (row) => price(row.entry, row.symbol), numeric: true },
  { key: 'status', title: 'Status', value: (row) => row.status },
  {
    key: 'confidence',
    title: 'Confidence',
    value: (row) => row.confidence,
    show: (row) => formatOptionalRatio(row.confidence),
    numeric: true,
  },
  { key: 'stop_loss', title: 'Stop Loss', value: (row) => row.stop_loss, show: (row) => price(row.stop_loss, row.symbol), numeric: true },
];

/** See `OrderLog`. */
export interface OrderLogProps {
  isSelected: boolean; // whether a bot and a pair are
  metrics: Monitoring['metrics'];
}

/** The newest trades of the selected pair. */
export const OrderLog = memo(function OrderLog({ isSelected, metrics }: OrderLogProps) {
  return (
    <CardPanel title="Order Log" aside={<span>times in UTC</span>} flush>
      {!isSelected ? (
        <EmptyState text="Select a bot and trading pair to view order log" minHeight={260} />
      ) : metrics === undefined ? (
        <RowsSkeleton rows={8} />
      ) : metrics.trades.length === 0 ? (
        <EmptyState text="No orders available" minHeight={260} />
      ) : (
        <DataTable
          label="Order Log"
          columns={columns}
          rows={metrics.trades}
          rowKey={(row, index) => `${row.timestamp} ${index}`}
          maxHeight={324}
        />
      )}
    </CardPanel>
  );
});

function Direction({ direction }: Pick<OrderLogEntry, 'direction'>) {
  return (
    <span className={`mon-direction mon-${direction}`}>
      <span aria-hidden>{direction === 'long' ? '▲' : '▼'}</span> {direction}
    </span>
  );
}
