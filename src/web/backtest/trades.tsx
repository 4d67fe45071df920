import { useMemo } from 'react';
import { changeAddress, useAddressValue } from '../address/address.ts';
import { CardPanel } from '../ui/card-panel.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { testedExitWords } from '../ui/exit-words.ts';
import { baseOf, formatAmount, formatPnl, formatPrice, quoteOf } from '../ui/money.ts';
import { formatDuration, formatMoment } from '../ui/moment.ts';
import { formatRatio } from '../ui/ratio.ts';
import type { BacktestDetails, BacktestRun } from './run-list.ts';
import { TradeChart } from './trade-chart.tsx';
import type { BacktestTrade } from './trade-markers.ts';
import { TradeTable } from './trade-table.tsx';

/** The trades of a run, on the candles and in a table. A trade chosen in one is chosen in the other. */
export function Trades({ run, details }: { run: BacktestRun; details: BacktestDetails }) {
  const chosen = placeOf(useAddressValue('trade'), details.trades.length);
  const trade = chosen === null ? null : (details.trades[chosen] ?? null);
  const total = run.metrics?.total_trades ?? details.trades.length;
  const count = total > details.trades.length ? `${details.trades.length} of ${total}` : String(total);
  const quote = quoteOf(run.symbol);
  const rows = useMemo(() => details.trades.map((one, place) => ({ ...one, place })), [details.trades]);
  return (
    <>
      <TradeChart symbol={run.symbol} details={details} chosen={chosen} onChoose={chooseTrade} />
      <CardPanel title="Trades" aside={<span>{count} trades, by exit time (UTC); PnL after fees and funding</span>} flush>
        {rows.length === 0 ? (
          <EmptyState text="No trades in this period." />
        ) : (
          <>
            <p className="bt-chosen fl-number">
              {trade === null ? 'Choose a trade to see it on the chart.' : tradeText(trade, run.symbol)}
            </p>
            <TradeTable rows={rows} quote={quote} chosen={chosen} onChoose={chooseTrade} />
          </>
        )}
      </CardPanel>
    </>
  );
}

/** The address names a trade by its number, as the table does. */
function chooseTrade(place: number): void {
  changeAddress({ trade: String(place + 1) });
}

/** The place in the list of the trade that the address names; null for none, and for one that does not exist. */
function placeOf(text: string | null, count: number): number | null {
  const place = text !== null && /^\d{1,6}$/u.test(text) ? Number(text) - 1 : -1;
  return place >= 0 && place < count ? place : null;
}

/** A trade in a sentence. */
function tradeText(trade: BacktestTrade, symbol: string): string {
  const quote = quoteOf(symbol);
  const price = (value: number) => formatPrice(value, quote);
  const length = formatDuration(trade.exit_timestamp - trade.timestamp);
  return [
    `${trade.direction} ${formatAmount(trade.amount)} ${baseOf(symbol)}`,
    `from ${price(trade.entry_price)} at ${formatMoment(trade.timestamp)}`,
    `to ${price(trade.exit_price)} at ${formatMoment(trade.exit_timestamp)} (${length})`,
    `${testedExitWords(trade.exit_reason)}: ${formatPnl(trade.pnl, quote)}, ${formatRatio(trade.pnl_ratio, 2)} of the stake`,
  ].join(', ');
}
