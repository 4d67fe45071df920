import { exitWords } from '../ui/exit-words.ts';
import type { DataColumn } from '../ui/data-table.tsx';
import { Direction } from '../ui/direction.tsx';
import { ModeTag } from '../ui/mode-tag.tsx';
import { formatPnl, formatPrice, quoteOf, toneOf } from '../ui/money.ts';
import { formatTimeOfDay } from '../ui/moment.ts';
import { notAvailable } from '../ui/ratio.ts';
import type { DayDetails } from './day-curves.ts';

type DayTrade = DayDetails['trades'][number];

/** What is unknown sorts below every number. */
const lowest = Number.NEGATIVE_INFINITY;

/** The columns of a day's closed trades. */
export const dayTradeColumns: readonly DataColumn<DayTrade>[] = [
  { key: 'closed_at', title: 'Closed', value: (t) => t.closed_at, show: (t) => formatTimeOfDay(t.closed_at), width: 90 },
  { key: 'mode', title: 'Mode', value: (t) => t.mode, show: ({ mode }) => <ModeTag mode={mode} />, width: 100 },
  { key: 'bot', title: 'Bot', value: (t) => t.bot, show: ({ bot }) => <span title={bot}>{bot}</span>, width: 220 },
  { key: 'symbol', title: 'Symbol', value: (t) => t.symbol, width: 140 },
  {
    key: 'direction',
    title: 'Direction',
    value: (t) => t.direction,
    show: ({ direction }) => <Direction direction={direction} />,
    width: 90,
  },
  {
    key: 'entry',
    title: 'Entry',
    value: (t) => t.entry_price ?? lowest,
    show: (t) => price(t.entry_price, t.symbol),
    numeric: true,
    width: 110,
  },
  {
    key: 'exit',
    title: 'Exit',
    value: (t) => t.exit_price ?? lowest,
    show: (t) => price(t.exit_price, t.symbol),
    numeric: true,
    width: 110,
  },
  { key: 'reason', title: 'Exit Reason', value: (t) => (t.exit_reason === null ? '' : exitWords(t.exit_reason)), width: 150 },
  {
    key: 'pnl',
    title: 'PNL',
    value: (t) => t.pnl,
    show: (t) => <Profit pnl={t.pnl} currency={t.stake_currency} />,
    numeric: true,
    width: 110,
  },
];

/** The same for a phone: the first one has the profit too, whose own column would be out of sight. */
export const dayTradeColumnsOnPhone: readonly DataColumn<DayTrade>[] = dayTradeColumns.map((column) =>
  column.key === 'closed_at' ? { ...column, show: (t) => <ClosedWithProfit trade={t} /> } : column,
);

function ClosedWithProfit({ trade }: { trade: DayTrade }) {
  return (
    <>
      {formatTimeOfDay(trade.closed_at)}
      <span className="reports-second">
        <Profit pnl={trade.pnl} currency={trade.stake_currency} />
      </span>
    </>
  );
}

function Profit({ pnl, currency }: { pnl: number; currency: string }) {
  return <span className={`fl-${toneOf(pnl, currency)}`}>{formatPnl(pnl, currency)}</span>;
}

function price(value: number | null, symbol: string): string {
  return value === null ? notAvailable : formatPrice(value, quoteOf(symbol));
}
