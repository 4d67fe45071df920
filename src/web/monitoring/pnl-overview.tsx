import type { ReactNode } from 'react';
import { CardPanel } from '../ui/card-panel.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { baseOf, formatAmount, formatPnl, formatPrice, quoteOf, toneOf } from '../ui/money.ts';
import { formatTimeOfDay } from '../ui/moment.ts';
import { notAvailable } from '../ui/ratio.ts';
import type { Monitoring } from './use-monitoring.ts';

/** The open position of the selected pair. */
export function PnlOverview({ selectedBotId, selectedPair, pnl, pnlLoadedAt }: Monitoring) {
  return (
    <CardPanel
      title="PnL Overview"
      aside={pnl === undefined ? undefined : <span className="fl-number">as of {formatTimeOfDay(pnlLoadedAt)} UTC</span>}
    >
      {selectedBotId === null || selectedPair === null ? (
        <EmptyState text="Select a bot and trading pair to view PNL overview" />
      ) : pnl === undefined ? (
        <EmptyState text="Loading..." />
      ) : (
        <Figures pnl={pnl} symbol={selectedPair} />
      )}
    </CardPanel>
  );
}

function Figures({ pnl, symbol }: { pnl: NonNullable<Monitoring['pnl']>; symbol: string }) {
  const quote = quoteOf(symbol);
  const price = (value: number | null) => (value === null ? notAvailable : formatPrice(value, quote));
  return (
    <dl className="mon-figures fl-number">
      <Figure name="Unrealized PnL">
        <strong className={`fl-${toneOf(pnl.unrealized_pnl, quote)}`}>{formatPnl(pnl.unrealized_pnl, quote)}</strong>
      </Figure>
      <Figure name="Position Size">
        {pnl.position_size === null ? notAvailable : `${formatAmount(pnl.position_size)} ${baseOf(symbol)}`}
      </Figure>
      <Figure name="Entry Price">{price(pnl.entry_price)}</Figure>
      <Figure name="Current Price">{price(pnl.current_price)}</Figure>
      <Figure name="Leverage">{formatAmount(pnl.leverage)}x</Figure>
      <Figure name="Liquidation Price">{price(pnl.liquidation_price)}</Figure>
    </dl>
  );
}

function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
