import './trade-orders.css';
import { IconChevronLeft, IconListDetails } from '@tabler/icons-react';
import { useEffect } from 'react';
import { messageOf } from '../api/api-error.ts';
import { heldData } from '../api/outage.ts';
import { ByHandButtons } from '../by-hand/by-hand-buttons.tsx';
import { ByHandList } from '../by-hand/by-hand-list.tsx';
import { Direction } from '../ui/direction.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { FailedLoad } from '../ui/failed-load.tsx';
import { ImportedMark } from '../ui/imported-mark.tsx';
import { ModeBand } from '../ui/mode-band.tsx';
import { formatMoment } from '../ui/moment.ts';
import { RowsSkeleton } from '../ui/skeleton.tsx';
import { NoStop } from './no-stop.tsx';
import { CloseTrade } from '../by-hand/close-trade.tsx';
import { OrderCards } from './order-cards.tsx';
import { OrderRecord } from './order-record.tsx';
import { StopMoves } from './stop-moves.tsx';
import { TradeCosts } from './trade-costs.tsx';
import { TradeFigures } from './trade-figures.tsx';
import { WhyTraded } from './why-traded.tsx';
import type { TradeOrders } from '../live/use-trade-orders.ts';
import { useTradeOrders } from '../live/use-trade-orders.ts';

/** See `TradeOrdersPage`. */
export interface TradeOrdersPageProps {
  tradeId: string;
  onLeave: () => void;
}

/** The orders of one trade: who did what when, to the millisecond, and what is not known yet. */
export function TradeOrdersPage({ tradeId, onLeave }: TradeOrdersPageProps) {
  const query = useTradeOrders(tradeId);
  const trade = heldData(query);
  useEffect(() => {
    window.scrollTo(0, 0);
  }, []);
  return (
    <div className="orders">
      <header className="orders-head">
        <button type="button" className="orders-back" onClick={onLeave}>
          <IconChevronLeft size={16} aria-hidden />
          Back
        </button>
        {trade === undefined ? (
          <h1>Orders of a Trade</h1>
        ) : (
          <>
            <Title {...trade} />
            <ByHandButtons trade={trade} />
            <CloseTrade trade={trade} />
          </>
        )}
      </header>
      {trade !== undefined ? (
        <Loaded trade={trade} />
      ) : query.isError ? (
        <FailedLoad
          text="Failed to load the orders of the trade"
          detail={messageOf(query.error)}
          isLoading={query.isFetching}
          onRetry={() => void query.refetch()}
        />
      ) : (
        <section className="fl-panel" aria-label="Loading the orders">
          <RowsSkeleton rows={14} />
        </section>
      )}
    </div>
  );
}

function Title({ symbol, nickname, opened_at: openedAt, direction, status, imported_from: from }: TradeOrders) {
  return (
    <>
      <span className="orders-of">{nickname}</span>
      <h1 className="fl-number">
        {symbol}, {formatMoment(openedAt).slice(0, 16)}
      </h1>
      <Direction direction={direction} />
      <span className={`fl-status fl-status-${status === 'open' ? 'active' : 'stopped'}`}>
        <span className="fl-status-mark" aria-hidden />
        {status}
      </span>
      <ImportedMark from={from} />
    </>
  );
}

function Loaded({ trade }: { trade: TradeOrders }) {
  const isImported = (trade.imported_from ?? null) !== null; // with money or without, elsewhere
  return (
    <>
      <NoStop trade={trade} />
      <section className="fl-panel orders-figures" aria-label="The trade">
        {isImported ? null : <ModeBand mode={trade.mode === 'paper' ? 'paper' : 'live'} exchangeId={trade.exchange_id} />}
        <TradeFigures trade={trade} />
      </section>
      {trade.orders.length === 0 ? (
        <section className="fl-panel" aria-label="Record">
          <EmptyState
            icon={<IconListDetails size={22} />}
            text="No orders are kept of this trade"
            hint={
              isImported
                ? `It was imported from ${trade.imported_from}, whose database has its orders.`
                : 'It was made before orders were kept, or its figures were entered for the demonstration.'
            }
            minHeight={240}
          />
        </section>
      ) : (
        <div className="orders-columns">
          <OrderRecord trade={trade} />
          <div className="orders-aside">
            <WhyTraded trade={trade} />
            <OrderCards trade={trade} />
            <TradeCosts trade={trade} />
            <ByHandList actions={trade.by_hand} priceTick={trade.price_tick} />
            <StopMoves trade={trade} />
          </div>
        </div>
      )}
    </>
  );
}
