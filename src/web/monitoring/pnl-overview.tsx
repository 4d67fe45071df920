import type { ReactNode } from 'react';
import { CardPanel } from '../ui/card-panel.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { baseOf, formatAmount, formatPnl, formatPrice, quoteOf, toneOf } from '../ui/money.ts';
import { notAvailable } from '../ui/ratio.ts';
import { PriceAge } from './price-age.tsx';
import type { Monitoring } from './use-monitoring.ts';

/** The open position of the selected pair. */
export function PnlOverview({ selectedBotId, selectedPair, pnl, unrealizedPnl, currentPrice, priceTick }: Monitoring) {
  return (
    <CardPanel title="PnL Overview" aside={pnl === undefined || currentPrice === null ? undefined : <PriceAge price={currentPrice} />}>
      {selectedBotId === null || selectedPair === null ? (
        <EmptyState text="Select a bot and trading pair to view PNL overview" />
      ) : pnl === undefined ? (
        <EmptyState text="Loading..." />
      ) : (
        <Figures pnl={pnl} unrealizedPnl={unrealizedPnl} price={currentPrice?.price ?? null} tick={priceTick} symbol={selectedPair} />
      )}
    </CardPanel>
  );
}

interface FiguresProps {
  pnl: NonNullable<Monitoring['pnl']>;
  unrealizedPnl: number;
  price: number | null; // now
  tick: number | null;
  symbol: string;
}

function Figures({ pnl, unrealizedPnl, price: current, tick, symbol }: FiguresProps) {
  const quote = quoteOf(symbol);
  const price = (value: number | null) => (value === null ? notAvailable : formatPrice(value, quote, tick));
  return (
    <dl className="mon-figures fl-number">
      <Figure name="Unrealized PnL">
        <strong className={`fl-${toneOf(unrealizedPnl, quote)}`}>{formatPnl(unrealizedPnl, quote)}</strong>
      </Figure>
      <Figure name="Position Size">
        {pnl.position_size === null ? notAvailable : `${formatAmount(pnl.position_size)} ${baseOf(symbol)}`}
      </Figure>
      <Figure name="Entry Price">{price(pnl.entry_price)}</Figure>
      <Figure name="Current Price">{price(current)}</Figure>
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
