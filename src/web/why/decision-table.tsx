import { useMemo } from 'react';
import { decisionSentence } from '../live/decision-words.ts';
import type { DataColumn } from '../ui/data-table.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { Direction } from '../ui/direction.tsx';
import { formatMoment } from '../ui/moment.ts';
import { formatPrice, quoteOf } from '../ui/money.ts';
import { seenText } from '../live/seen-words.ts';
import type { Decision } from './use-decisions.ts';

/** Decisions, the newest first. Only the rows in sight are drawn. */
export function DecisionTable({ decisions, maxOpenTrades }: { decisions: readonly Decision[]; maxOpenTrades: number | undefined }) {
  const columns = useMemo(() => columnsOf(maxOpenTrades), [maxOpenTrades]);
  return (
    <DataTable
      label="Decisions"
      long
      maxHeight={520}
      columns={columns}
      rows={decisions}
      rowKey={({ candle_time: time, symbol }) => `${time} ${symbol}`}
    />
  );
}

function columnsOf(maxOpenTrades: number | undefined): DataColumn<Decision>[] {
  const words = (row: Decision) => {
    const { what, why } = decisionSentence(row, maxOpenTrades);
    return why === '' ? what : `${what}: ${why}`;
  };
  return [
    { key: 'time', title: 'Candle (UTC)', sortable: false, width: 150, value: (row) => formatMoment(row.candle_time).slice(0, 16) },
    { key: 'symbol', title: 'Pair', sortable: false, width: 120, value: (row) => row.symbol },
    {
      key: 'signal',
      title: 'Signal',
      sortable: false,
      width: 80,
      value: (row) => row.direction,
      show: (row) => (row.direction === null ? '—' : <Direction direction={row.direction} />),
    },
    {
      key: 'why',
      title: 'Decision',
      sortable: false,
      width: 340,
      value: words,
      show: (row) => <span title={words(row)}>{words(row)}</span>,
    },
    {
      key: 'seen',
      title: 'What Was Seen',
      sortable: false,
      width: 300,
      value: (row) => seenText(row) || '—',
      show: (row) => <span title={seenText(row)}>{seenText(row) || '—'}</span>,
    },
    { key: 'tag', title: 'Tag', sortable: false, width: 100, value: (row) => row.tag ?? '—' },
    {
      key: 'confidence',
      title: 'Confidence',
      numeric: true,
      sortable: false,
      width: 90,
      value: (row) => (row.confidence === null ? '—' : row.confidence.toFixed(2)),
    },
    {
      key: 'price',
      title: 'Price Seen',
      numeric: true,
      sortable: false,
      width: 110,
      value: (row) => {
        const price = row.price ?? row.seen?.price;
        return price === undefined ? '—' : formatPrice(price, quoteOf(row.symbol));
      },
    },
  ];
}
