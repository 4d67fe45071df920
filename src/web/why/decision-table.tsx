import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useMemo } from 'react';
import { decisionSentence } from '../live/decision-words.ts';
import type { DataColumn } from '../ui/data-table.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { Direction } from '../ui/direction.tsx';
import { formatMoment } from '../ui/moment.ts';
import { formatPrice, quoteOf, toneOf } from '../ui/money.ts';
import { seenText } from '../live/seen-words.ts';
import { replayedText } from './replay-words.ts';
import type { Decision } from './use-decisions.ts';
import type { ReplayedEntry } from './use-replay.ts';

/** See `DecisionTable`. */
export interface DecisionTableProps {
  decisions: readonly Decision[];
  maxOpenTrades: number | undefined;
  replayed?: readonly ReplayedEntry[] | null; // what refused ones would have made
}

/** Decisions, the newest first. Only the rows in sight are drawn. */
export function DecisionTable({ decisions, maxOpenTrades, replayed = null }: DecisionTableProps) {
  const isNarrow = useMediaQuery('(max-width: 40em)', false, { getInitialValueInEffect: false });
  const columns = useMemo(() => {
    const all = columnsOf(maxOpenTrades);
    const shown = isNarrow ? onPhone(all) : all;
    return replayed === null ? shown : withReplay(shown, replayed);
  }, [maxOpenTrades, replayed, isNarrow]);
  return (
    <DataTable
      label="Decisions"
      long
      maxHeight={520}
      {...(isNarrow ? { rowHeight: 40 } : {})}
      columns={columns}
      rows={decisions}
      rowKey={({ candle_time: time, symbol }) => `${time} ${symbol}`}
    />
  );
}

/** On a phone the first column has the decision too, which names the pair: its own column would be out of sight. */
function onPhone([time, ...others]: readonly DataColumn<Decision>[]): DataColumn<Decision>[] {
  const decision = others.find(({ key }) => key === 'why');
  if (time === undefined || decision === undefined) return [];
  const show = (row: Decision) => (
    <>
      {time.value(row)}
      <span className="why-second">{decision.show?.(row)}</span>
    </>
  );
  return [{ ...time, width: 270, show }, ...others.filter(({ key }) => key !== 'symbol' && key !== 'why')];
}

/** After the reason of each decision, what its entry would have made. */
function withReplay(columns: DataColumn<Decision>[], replayed: readonly ReplayedEntry[]): DataColumn<Decision>[] {
  const found = new Map(replayed.map((entry) => [`${entry.candle_time} ${entry.symbol}`, entry]));
  const of = ({ candle_time: time, symbol }: Decision) => found.get(`${time} ${symbol}`);
  const text = (row: Decision): string => {
    const entry = of(row);
    return entry === undefined ? '—' : replayedText(entry);
  };
  const show = (row: Decision): ReactNode => {
    const profit = of(row)?.profit ?? null;
    const tone = profit === null ? undefined : `fl-${toneOf(profit, quoteOf(row.symbol))}`;
    return (
      <span className={tone} title={text(row)}>
        {text(row)}
      </span>
    );
  };
  const at = columns.findIndex(({ key }) => key === 'seen');
  return columns.toSpliced(at, 0, { key: 'replayed', title: 'If It Had Entered', sortable: false, width: 210, value: text, show });
}

function columnsOf(maxOpenTrades: number | undefined): DataColumn<Decision>[] {
  const words = (row: Decision) => {
    const { what, why } = decisionSentence(row, maxOpenTrades);
    return why === '' ? what : `${what}: ${why}`;
  };
  return [
    { key: 'time', title: 'Candle (UTC)', sortable: false, width: 160, value: (row) => formatMoment(row.candle_time).slice(0, 16) },
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
      width: 260,
      value: words,
      show: (row) => <span title={words(row)}>{words(row)}</span>,
    },
    {
      key: 'seen',
      title: 'What Was Seen',
      sortable: false,
      width: 470,
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
