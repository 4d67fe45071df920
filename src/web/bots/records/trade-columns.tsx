import { useUnprotectedTrade } from '../../live/use-unprotected.ts';
import type { DataColumn } from '../../ui/data-table.tsx';
import { formatPnl, formatPrice, quoteOf } from '../../ui/money.ts';
import { formatMoment } from '../../ui/moment.ts';
import { NoStopMark } from '../../ui/no-stop-mark.tsx';
import { noStopWords } from '../../ui/no-stop-words.ts';
import { notAvailable } from '../../ui/ratio.ts';
import type { BotTrade } from '../use-bot-details.ts';
import { CommentCell } from './comment-cell.tsx';

/** What is unknown sorts below every number. */
const lowest = Number.NEGATIVE_INFINITY;

/** The columns of a bot's trades; profit in `currency`. */
export function tradeColumns(currency: string): readonly DataColumn<BotTrade>[] {
  return [
    { key: 'symbol', title: 'Symbol', value: (trade) => trade.symbol, width: 130 },
    { key: 'side', title: 'Side', value: (trade) => trade.side, show: ({ side }) => <Side side={side} />, width: 72 },
    {
      key: 'entry_price',
      title: 'Entry Price',
      value: (trade) => trade.entry_price ?? lowest,
      show: ({ entry_price, symbol }) => price(entry_price, symbol),
      numeric: true,
      width: 110,
    },
    {
      key: 'exit_price',
      title: 'Exit Price',
      value: (trade) => trade.exit_price ?? lowest,
      show: ({ exit_price, symbol }) => price(exit_price, symbol),
      numeric: true,
      width: 110,
    },
    {
      key: 'volume',
      title: 'Volume',
      value: (trade) => trade.volume,
      show: (trade) => trade.volume.toFixed(4),
      numeric: true,
      width: 100,
    },
    {
      key: 'pnl',
      title: 'PNL',
      value: (trade) => trade.pnl ?? lowest,
      show: ({ pnl }) => (pnl === null ? notAvailable : <Money amount={pnl} currency={currency} />),
      numeric: true,
      width: 100,
    },
    { key: 'entry_time', title: 'Entry Time', value: (trade) => trade.entry_time, show: (t) => formatMoment(t.entry_time), width: 158 },
    { key: 'status', title: 'Status', value: (trade) => trade.status, show: (trade) => <Status trade={trade} />, width: 136 },
    { key: 'comment', title: 'Comment', value: () => null, show: (trade) => <CommentCell trade={trade} />, sortable: false, width: 330 },
  ];
}

/** A gain in green with a plus sign, a loss in red. Nothing counts as a gain. */
export function Money({ amount, currency }: { amount: number; currency: string }) {
  const text = formatPnl(amount, currency);
  return <span className={text.startsWith('-') ? 'fl-down' : 'fl-up'}>{text}</span>;
}

function price(value: number | null, symbol: string): string {
  return value === null ? notAvailable : formatPrice(value, quoteOf(symbol));
}

function Side({ side }: Pick<BotTrade, 'side'>) {
  return (
    <span className={`bot-side-${side}`}>
      <span aria-hidden>{side === 'buy' ? '▲' : '▼'}</span> {side}
    </span>
  );
}

function Status({ trade }: { trade: BotTrade }) {
  const bare = useUnprotectedTrade(trade.trade_id);
  if (trade.status === 'failed') return <span className="bot-failed">✕ failed</span>;
  if (bare === null) return trade.status;
  const { short, text } = noStopWords(bare);
  return (
    <>
      {trade.status} <NoStopMark text={short} title={text} />
    </>
  );
}
