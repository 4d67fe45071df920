import { IconAlertTriangle, IconCheck, IconEqual } from '@tabler/icons-react';
import { useMemo } from 'react';
import { CardPanel } from '../ui/card-panel.tsx';
import type { DataColumn } from '../ui/data-table.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { Direction } from '../ui/direction.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { formatMoment, formatTimeOfDay } from '../ui/moment.ts';
import { formatPnl, toneOf } from '../ui/money.ts';
import type { Outcome } from './certificate-text.ts';
import { differenceOf, explanationOf, resultOf } from './certificate-text.ts';
import type { Certificate, CertifiedTrade } from './use-certificate.ts';

type Row = { trade: CertifiedTrade } | { total: Outcome & { trades: number; unexplained: string | null } };

/** See `TradesPanel`. */
export interface TradesPanelProps {
  day: string;
  outcome: Outcome;
  certificate: Certificate;
}

/** The trades of both sides, each with what explains its difference. */
export function TradesPanel({ day, outcome, certificate: { trades, parts } }: TradesPanelProps) {
  const columns = useMemo(() => columnsOf(day, outcome.currency), [day, outcome.currency]);
  const rows = useMemo(() => trades.map((trade) => ({ trade })), [trades]);
  return (
    <CardPanel title="Trades" flush aside="what was open at midnight counts from, and up to, the price of midnight">
      {trades.length === 0 ? (
        <EmptyState text="Neither the backtest nor the account has made a trade" minHeight={120} />
      ) : (
        <DataTable<Row>
          label="Trades of the day"
          columns={columns}
          rows={rows}
          rowKey={(_, index) => String(index)}
          maxHeight={560}
          total={{ total: { ...outcome, trades: trades.length, unexplained: parts.unexplained ?? null } }}
        />
      )}
    </CardPanel>
  );
}

function columnsOf(day: string, currency: string): DataColumn<Row>[] {
  const money = (
    key: string,
    title: string,
    ofTrade: (trade: CertifiedTrade) => string | null,
    ofAll: (outcome: Outcome) => string,
  ): DataColumn<Row> => ({
    key,
    title,
    numeric: true,
    value: (row) => {
      const amount = 'trade' in row ? ofTrade(row.trade) : ofAll(row.total);
      return amount === null ? null : Number(amount);
    },
    show: (row) => <Money amount={'trade' in row ? ofTrade(row.trade) : ofAll(row.total)} currency={currency} />,
  });
  return [
    {
      key: 'entry',
      title: 'Entry',
      value: (row) => ('trade' in row ? row.trade.entry_at : `${row.total.trades} ${row.total.trades === 1 ? 'trade' : 'trades'}`),
      show: (row) =>
        'trade' in row ? (
          row.trade.entry_at.startsWith(day) ? (
            formatTimeOfDay(row.trade.entry_at)
          ) : (
            <span title={formatMoment(row.trade.entry_at)}>before</span>
          )
        ) : (
          `${row.total.trades} ${row.total.trades === 1 ? 'trade' : 'trades'}`
        ),
    },
    {
      key: 'direction',
      title: 'Direction',
      value: (row) => ('trade' in row ? row.trade.direction : ''),
      show: (row) => ('trade' in row ? <Direction direction={row.trade.direction} /> : ''),
    },
    { key: 'symbol', title: 'Symbol', value: (row) => ('trade' in row ? row.trade.symbol : '') },
    money(
      'promised',
      'Backtest',
      (trade) => trade.promised,
      (outcome) => outcome.promised,
    ),
    money(
      'made',
      'Account',
      (trade) => trade.made,
      (outcome) => outcome.made,
    ),
    money('difference', 'Difference', (trade) => trade.difference, differenceOf),
    {
      key: 'explained',
      title: 'Explained By',
      value: (row) => ('trade' in row ? explanationOf(row.trade, currency) : 'sum of the parts equals the difference exactly'),
      show: (row) => (
        <span className="certificates-explained">
          {'trade' in row ? explanationOf(row.trade, currency) : 'sum of the parts equals the difference exactly'}
        </span>
      ),
    },
    {
      key: 'result',
      title: 'Result',
      value: (row) => ('trade' in row ? resultOf(row.trade) : ''),
      show: (row) =>
        'trade' in row ? <Result result={resultOf(row.trade)} /> : `${formatPnl(Number(row.total.unexplained ?? 0), currency)} unexplained`,
    },
  ];
}

function Money({ amount, currency }: { amount: string | null; currency: string }) {
  if (amount === null) return <span className="certificates-explained">none</span>;
  return <span className={`fl-${toneOf(Number(amount), currency)}`}>{formatPnl(Number(amount), currency)}</span>;
}

const results = {
  equal: { Icon: IconEqual, tone: 'good' },
  explained: { Icon: IconCheck, tone: 'good' },
  unexplained: { Icon: IconAlertTriangle, tone: 'some' },
  'decision differs': { Icon: IconAlertTriangle, tone: 'bad' },
} as const;

function Result({ result }: { result: keyof typeof results }) {
  const { Icon, tone } = results[result];
  return (
    <span className={`fl-tag certificates-tag certificates-tag-${tone}`}>
      <Icon size={11} aria-hidden />
      {result}
    </span>
  );
}
