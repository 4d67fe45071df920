import { useMemo } from 'react';
import type { DataColumn } from '../ui/data-table.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { tagWords, testedExitWords } from '../ui/exit-words.ts';
import { formatAmount, formatMoney, formatPnl, formatPrice, toneOf } from '../ui/money.ts';
import { formatDuration, formatMoment } from '../ui/moment.ts';
import { formatRatio } from '../ui/ratio.ts';
import type { BacktestTrade } from './trade-markers.ts';

type Row = BacktestTrade & { place: number };

/** See `TradeTable`. */
export interface TradeTableProps {
  rows: readonly Row[];
  quote: string; // the currency of the prices
  chosen: number | null;
  onChoose: (place: number) => void;
}

/** The trades of a run, thousands of them if need be. */
export function TradeTable({ rows, quote, chosen, onChoose }: TradeTableProps) {
  const columns = useMemo(() => columnsFor(quote), [quote]);
  return (
    <DataTable
      label="Trades"
      long
      maxHeight={Math.min(420, 60 + rows.length * 28)}
      columns={columns}
      rows={rows}
      rowKey={(row) => String(row.place)}
      onSelect={(row) => onChoose(row.place)}
      selectedKey={chosen === null ? null : String(chosen)}
    />
  );
}

function columnsFor(quote: string): readonly DataColumn<Row>[] {
  const tone = ({ pnl }: Row) => `fl-${toneOf(pnl, quote)}`;
  return [
    { key: 'place', title: '#', value: (row) => row.place, show: (row) => row.place + 1, width: 56 },
    { key: 'entry', title: 'Entry', value: (row) => row.timestamp, show: (row) => toMinute(row.timestamp), width: 146 },
    { key: 'exit', title: 'Exit', value: (row) => row.exit_timestamp, show: (row) => toMinute(row.exit_timestamp), width: 146 },
    { key: 'duration', title: 'Duration', value: lengthOf, show: (row) => formatDuration(lengthOf(row)), width: 92 },
    {
      key: 'direction',
      title: 'Direction',
      value: (row) => row.direction,
      show: (row) => <Direction direction={row.direction} />,
      width: 92,
    },
    {
      key: 'entry_price',
      title: 'Entry Price',
      value: (row) => row.entry_price,
      show: (row) => formatPrice(row.entry_price, quote),
      numeric: true,
      width: 110,
    },
    {
      key: 'exit_price',
      title: 'Exit Price',
      value: (row) => row.exit_price,
      show: (row) => formatPrice(row.exit_price, quote),
      numeric: true,
      width: 110,
    },
    { key: 'amount', title: 'Amount', value: (row) => row.amount, show: (row) => formatAmount(row.amount), numeric: true, width: 110 },
    { key: 'stake', title: 'Stake', value: (row) => row.stake, show: (row) => formatMoney(row.stake, quote), numeric: true, width: 100 },
    {
      key: 'pnl',
      title: 'PnL',
      value: (row) => row.pnl,
      show: (row) => <span className={tone(row)}>{formatPnl(row.pnl, quote)}</span>,
      numeric: true,
      width: 100,
    },
    {
      key: 'pnl_ratio',
      title: 'PnL of Stake',
      value: (row) => row.pnl_ratio,
      show: (row) => <span className={tone(row)}>{signed(row.pnl_ratio)}</span>,
      numeric: true,
      width: 104,
    },
    {
      key: 'exit_reason',
      title: 'Exit Reason',
      value: (row) => testedExitWords(row.exit_reason),
      show: (row) => <span title={testedExitWords(row.exit_reason)}>{testedExitWords(row.exit_reason)}</span>,
      width: 130,
    },
    {
      key: 'entry_tag',
      title: 'Entry Tag',
      value: (row) => tagWords(row.entry_tag ?? ''),
      show: (row) => <span title={tagWords(row.entry_tag ?? '')}>{tagWords(row.entry_tag ?? '') || '—'}</span>,
      width: 120,
    },
  ];
}

/** A moment without its seconds, which candles do not have. */
function toMinute(time: number): string {
  return formatMoment(time).slice(0, 16);
}

function lengthOf(row: Row): number {
  return row.exit_timestamp - row.timestamp;
}

function signed(ratio: number): string {
  return `${ratio < 0 ? '' : '+'}${formatRatio(ratio, 2)}`;
}

function Direction({ direction }: Pick<BacktestTrade, 'direction'>) {
  return (
    <span className={`bt-${direction}`}>
      <span aria-hidden>{direction === 'long' ? '▲' : '▼'}</span> {direction}
    </span>
  );
}
