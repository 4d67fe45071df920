import { CardPanel } from '../ui/card-panel.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Fact } from '../ui/fact.tsx';
import { baseOf, formatAmount, formatPnl, formatPrice, quoteOf, toneOf } from '../ui/money.ts';
import { notAvailable } from '../ui/ratio.ts';
import { CloseNow } from './close-now.tsx';
import { breakEven } from './current-price.ts';
import { PriceAge } from './price-age.tsx';
import type { Monitoring } from './use-monitoring.ts';

/** The open position of the selected pair. */
export function PnlOverview({
  bot,
  selectedBotId,
  selectedPair,
  pnl,
  unrealizedPnl,
  currentPrice,
  priceTick,
  overlays,
  stopPrice,
}: Monitoring) {
  const open = overlays?.trades.find(({ status }) => status === 'open');
  const mayClose = bot?.may_change === true;
  return (
    <CardPanel title="PnL Overview" aside={pnl === undefined || currentPrice === null ? undefined : <PriceAge price={currentPrice} />}>
      {selectedBotId === null || selectedPair === null ? (
        <EmptyState text="Select a bot and trading pair to view PNL overview" />
      ) : pnl === undefined ? (
        <EmptyState text="Loading..." />
      ) : (
        <>
          <Figures
            pnl={pnl}
            unrealizedPnl={unrealizedPnl}
            price={currentPrice?.price ?? null}
            tick={priceTick}
            symbol={selectedPair}
            open={open === undefined ? null : { ...open, stop_price: stopPrice ?? open.stop_price }}
          />
          {mayClose && open?.trade_id !== undefined ? <CloseNow key={open.trade_id} tradeId={open.trade_id} /> : null}
        </>
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
  open: Pick<NonNullable<Monitoring['overlays']>['trades'][number], 'stop_price' | 'target_price'> | null; // the trade; null without one
}

function Figures({ pnl, unrealizedPnl, price: current, tick, symbol, open }: FiguresProps) {
  const quote = quoteOf(symbol);
  const price = (value: number | null) => (value === null ? notAvailable : formatPrice(value, quote, tick));
  return (
    <dl className="mon-figures fl-number">
      <Fact name="Unrealized PnL">
        <strong className={`fl-${toneOf(unrealizedPnl, quote)}`}>{formatPnl(unrealizedPnl, quote)}</strong>
      </Fact>
      <Fact name="Position Size">{pnl.position_size === null ? notAvailable : `${formatAmount(pnl.position_size)} ${baseOf(symbol)}`}</Fact>
      <Fact name="Entry Price">{price(pnl.entry_price)}</Fact>
      <Fact name="Current Price">{price(current)}</Fact>
      <Fact name="Leverage">{formatAmount(pnl.leverage)}x</Fact>
      <Fact name="Liquidation Price">{price(pnl.liquidation_price)}</Fact>
      {open === null ? null : (
        <>
          <Fact name="Stop Loss">{price(open.stop_price ?? null)}</Fact>
          <Fact name="Target">{price(open.target_price ?? null)}</Fact>
          <Fact name="Break-even">{price(breakEven(pnl))}</Fact>
          {symbol.includes(':') && pnl.profit_terms ? (
            <Fact name="Funding">{formatPnl(pnl.profit_terms.all_funding ?? pnl.profit_terms.funding_fees, quote)}</Fact>
          ) : null}
          {pnl.profit_terms?.taken_out ? <Fact name="Of that taken out">{formatPnl(pnl.profit_terms.taken_out, quote)}</Fact> : null}
        </>
      )}
    </dl>
  );
}
