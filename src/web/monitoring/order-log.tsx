import { memo, useCallback, useMemo } from 'react';
import { useUnprotectedTrade } from '../live/use-unprotected.ts';
import { CardPanel } from '../ui/card-panel.tsx';
import type { DataColumn } from '../ui/data-table.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { Direction } from '../ui/direction.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { amountDecimals, formatAmount, formatPrice, quoteOf } from '../ui/money.ts';
import { formatMoment } from '../ui/moment.ts';
import { NoStopMark } from '../ui/no-stop-mark.tsx';
import { noStopWords } from '../ui/no-stop-words.ts';
import { formatOptionalRatio, notAvailable } from '../ui/ratio.ts';
import { RowsSkeleton } from '../ui/skeleton.tsx';
import { openTrade, useOpenedTrade } from './chart-store.ts';
import { OrderDetails } from './order-details.tsx';
import type { Monitoring, OrderLogEntry } from './use-monitoring.ts';

/** The columns of the order log, in their order; prices with the market's step, sizes with the decimals that all of them need. */
function columnsFor(tick: number | null, sizeDecimals: number): readonly DataColumn<OrderLogEntry>[] {
  const price = (value: number | null, symbol: string) => (value === null ? notAvailable : formatPrice(value, quoteOf(symbol), tick));
  return [
    { key: 'timestamp', title: 'Timestamp', value: (row) => row.timestamp, show: (row) => formatMoment(row.timestamp) },
    { key: 'symbol', title: 'Symbol', value: (row) => row.symbol },
    { key: 'direction', title: 'Direction', value: (row) => row.direction, show: (row) => <Direction direction={row.direction} /> },
    { key: 'size', title: 'Size', value: (row) => row.size, show: (row) => formatAmount(row.size, sizeDecimals), numeric: true },
    { key: 'entry', title: 'Entry', value: (row) => row.entry, show: (row) => price(row.entry, row.symbol), numeric: true },
    { key: 'status', title: 'Status', value: (row) => row.status, show: (row) => <Status row={row} /> },
    {
      key: 'confidence',
      title: 'Confidence',
      value: (row) => row.confidence,
      show: (row) => formatOptionalRatio(row.confidence),
      numeric: true,
    },
    { key: 'stop_loss', title: 'Stop Loss', value: (row) => row.stop_loss, show: (row) => price(row.stop_loss, row.symbol), numeric: true },
  ];
}

function Status({ row }: { row: OrderLogEntry }) {
  const bare = useUnprotectedTrade(row.trade_id);
  if (bare === null) return row.status;
  const { short, text } = noStopWords(bare);
  return (
    <>
      {row.status} <NoStopMark text={short} title={text} />
    </>
  );
}

/** See `OrderLog`. */
export interface OrderLogProps {
  isSelected: boolean; // whether a bot and a pair are
  metrics: Monitoring['metrics'];
  priceTick: number | null;
  stopPrice: number | null; // of the open trade, now
}

/** The newest trades of the selected pair. A row opens its details, and the chart shows its trade. */
export const OrderLog = memo(function OrderLog({ isSelected, metrics, priceTick, stopPrice }: OrderLogProps) {
  const openedTradeId = useOpenedTrade();
  const rows = useMemo(
    () => metrics?.trades.map((row) => (row.status === 'open' && stopPrice !== null ? { ...row, stop_loss: stopPrice } : row)) ?? [],
    [metrics, stopPrice],
  );
  const columns = useMemo(() => columnsFor(priceTick, amountDecimals(rows.map(({ size }) => size))), [priceTick, rows]);
  const detail = useCallback((row: OrderLogEntry) => <OrderDetails row={row} priceTick={priceTick} />, [priceTick]);
  return (
    <CardPanel title="Order Log" aside={<span>{rows.length > 0 ? 'select a row for details, ' : ''}times in UTC</span>} flush>
      {!isSelected ? (
        <EmptyState text="Select a bot and trading pair to view order log" minHeight={260} />
      ) : metrics === undefined ? (
        <RowsSkeleton rows={8} />
      ) : rows.length === 0 ? (
        <EmptyState text="No orders available" minHeight={260} />
      ) : (
        <DataTable
          label="Order Log"
          columns={columns}
          rows={rows}
          rowKey={(row, index): string => row.trade_id ?? `${row.timestamp} ${index}`}
          maxHeight={324}
          {...(rows[0]?.trade_id === undefined
            ? {}
            : {
                selectedKey: openedTradeId,
                onSelect: ({ trade_id: id }: OrderLogEntry) => openTrade(id === undefined || id === openedTradeId ? null : id),
                detail,
              })}
        />
      )}
    </CardPanel>
  );
});
