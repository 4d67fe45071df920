import { AsOf, useStaleAge } from '../../live/as-of.tsx';
import { useOpenProfit } from '../../live/use-open-profit.ts';
import { useUnprotectedTrade } from '../../live/use-unprotected.ts';
import type { DataColumn } from '../../ui/data-table.tsx';
import { formatPnl, formatPrice, quoteOf, settleOf } from '../../ui/money.ts';
import { exitWords } from '../../ui/exit-words.ts';
import { ImportedMark } from '../../ui/imported-mark.tsx';
import { formatDuration, formatMoment } from '../../ui/moment.ts';
import { NoStopMark } from '../../ui/no-stop-mark.tsx';
import { noStopWords } from '../../ui/no-stop-words.ts';
import { formatSignedRatio, notAvailable } from '../../ui/ratio.ts';
import type { BotTrade } from '../use-bot-details.ts';
import { CommentCell } from './comment-cell.tsx';

/** What is unknown sorts below every number. */
const lowest = Number.NEGATIVE_INFINITY;

/**
 * The columns of a bot's trades; profit in the currency a trade was settled in, which the bot may not stake any more. On a phone the first
 * one has the profit too: its own column is out of sight.
 */
export function tradeColumns(botId: string, isNarrow: boolean): readonly DataColumn<BotTrade>[] {
  return [
    {
      key: 'symbol',
      title: 'Symbol',
      value: (trade) => trade.symbol,
      ...(isNarrow ? { show: (trade: BotTrade) => <SymbolWithResult trade={trade} /> } : {}),
      width: 130,
    },
    { key: 'side', title: 'Side', value: (trade) => trade.side, show: ({ side }) => <Side side={side} />, width: 72 },
    {
      key: 'entry_price',
      title: 'Entry Price',
      value: (trade) => trade.entry_price ?? lowest,
      show: (trade) => price(trade.entry_price, trade),
      numeric: true,
      width: 110,
    },
    {
      key: 'exit_price',
      title: 'Exit Price',
      value: (trade) => trade.exit_price ?? lowest,
      show: (trade) => price(trade.exit_price, trade),
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
      show: (trade) => <Result trade={trade} />,
      numeric: true,
      width: 100,
    },
    { key: 'entry_time', title: 'Entry Time', value: (trade) => trade.entry_time, show: (t) => formatMoment(t.entry_time), width: 158 },
    {
      key: 'status',
      title: 'Status',
      value: (trade) => trade.status,
      show: (trade) => <Status trade={trade} botId={botId} />,
      width: 250,
    },
    { key: 'comment', title: 'Comment', value: () => null, show: (trade) => <CommentCell trade={trade} />, sortable: false, width: 250 },
  ];
}

/** A gain in green with a plus sign, a loss in red. Nothing counts as a gain. */
export function Money({ amount, currency }: { amount: number; currency: string }) {
  const text = formatPnl(amount, currency);
  return <span className={text.startsWith('-') ? 'fl-down' : 'fl-up'}>{text}</span>;
}

function price(value: number | null, { symbol, price_tick: tick }: BotTrade): string {
  return value === null ? notAvailable : formatPrice(value, quoteOf(symbol), tick ?? null);
}

function SymbolWithResult({ trade }: { trade: BotTrade }) {
  return (
    <>
      {trade.symbol}
      {trade.pnl === null ? null : (
        <span className="bot-second">
          <Money amount={trade.pnl} currency={settleOf(trade.symbol)} />
          {(trade.imported_from ?? null) === null ? null : ' imported'}
        </span>
      )}
    </>
  );
}

function Result({ trade: { symbol, pnl, pnl_ratio: ratio } }: { trade: BotTrade }) {
  if (pnl === null) return notAvailable;
  return (
    <>
      <Money amount={pnl} currency={settleOf(symbol)} />
      {ratio === null || ratio === undefined ? null : <span className="bot-second">{formatSignedRatio(ratio)}</span>}
    </>
  );
}

function Side({ side }: Pick<BotTrade, 'side'>) {
  return (
    <span className={`bot-side-${side}`}>
      <span aria-hidden>{side === 'buy' ? '▲' : '▼'}</span> {side}
    </span>
  );
}

function Status({ trade, botId }: { trade: BotTrade; botId: string }) {
  const bare = useUnprotectedTrade(trade.trade_id);
  if (trade.status === 'failed') return <span className="bot-failed">✕ failed</span>;
  const words = bare === null ? null : noStopWords(bare);
  return (
    <>
      {trade.status}
      <ImportedMark from={trade.imported_from} />
      {words === null ? null : (
        <>
          {' '}
          <NoStopMark text={words.short} title={words.text} />
        </>
      )}
      {trade.status === 'open' ? <OpenResult trade={trade} botId={botId} /> : <Ending trade={trade} />}
    </>
  );
}

/** What an open trade would bring now. */
function OpenResult({ trade, botId }: { trade: BotTrade; botId: string }) {
  const open = useOpenProfit({ bot_id: botId, symbol: trade.symbol, status: trade.status });
  const isStale = useStaleAge(open?.times ?? null) > 0;
  if (open === null) return null;
  return (
    <span className="bot-second">
      {isStale ? 'last' : 'now'} <Money amount={open.unrealizedPnl} currency={settleOf(trade.symbol)} />
      {isStale ? (
        <>
          {' '}
          <AsOf times={open.times} />
        </>
      ) : null}
    </span>
  );
}

/** Why and when a trade ended, and how long it was held. */
function Ending({ trade: { exit_reason: reason, entry_time: from, exit_time: to } }: { trade: BotTrade }) {
  if (reason === null || reason === undefined || to === null) return null;
  const length = formatDuration(Date.parse(to) - Date.parse(from));
  return (
    <span className="bot-second" title={`${exitWords(reason)}, ${formatMoment(to)} UTC, held ${length}`}>
      {`${exitWords(reason)}, ${formatMoment(to).slice(5, 16)}, ${length}`}
    </span>
  );
}
