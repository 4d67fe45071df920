import type { DataColumn } from '../../ui/data-table.tsx';
import { formatMoney, formatPnl, toneOf } from '../../ui/money.ts';
import { formatMoment } from '../../ui/moment.ts';
import { formatRatio, formatSignedRatio, notAvailable } from '../../ui/ratio.ts';
import type { PnlSnapshot } from '../use-bot-details.ts';

/** The columns of a bot's balance snapshots; money in `currency`. */
export function pnlColumns(currency: string): readonly DataColumn<PnlSnapshot>[] {
  const pnl = (key: 'net_pnl' | 'unrealized_pnl' | 'realized_pnl', title: string): DataColumn<PnlSnapshot> => ({
    key,
    title,
    value: (row) => row[key],
    show: (row) => <span className={`fl-${toneOf(row[key], currency)}`}>{formatPnl(row[key], currency)}</span>,
    numeric: true,
    width: 118,
  });
  const amount = (key: 'total_fees' | 'current_balance', title: string): DataColumn<PnlSnapshot> => ({
    key,
    title,
    value: (row) => row[key],
    show: (row) => formatMoney(row[key], currency),
    numeric: true,
    width: 128,
  });
  return [
    { key: 'timestamp', title: 'Timestamp', value: (row) => row.timestamp, show: (row) => formatMoment(row.timestamp), width: 160 },
    pnl('net_pnl', 'Net PNL'),
    {
      key: 'net_pnl_pct',
      title: 'Net PNL %',
      value: (row) => row.net_pnl_pct,
      show: ({ net_pnl_pct }) => <Percent percent={net_pnl_pct} />,
      numeric: true,
      width: 100,
    },
    pnl('unrealized_pnl', 'Unrealized PNL'),
    pnl('realized_pnl', 'Realized PNL'),
    amount('total_fees', 'Total Fees'),
    {
      key: 'win_rate',
      title: 'Win Rate',
      value: (row) => row.win_rate,
      show: ({ win_rate }) => (win_rate === 0 ? notAvailable : formatRatio(win_rate, 2)),
      numeric: true,
      width: 96,
    },
    amount('current_balance', 'Current Balance'),
  ];
}

function Percent({ percent }: { percent: number }) {
  const text = formatSignedRatio(percent / 100);
  return <span className={text.startsWith('-') ? 'fl-down' : text.startsWith('+') ? 'fl-up' : 'fl-flat'}>{text}</span>;
}
