import './by-hand.css';
import { useState } from 'react';
import type { TradeOrders } from '../live/use-trade-orders.ts';
import { Button } from '../ui/button.tsx';
import { onDemand } from '../ui/on-demand.tsx';

const AddToTrade = onDemand(() => import('./add-to-trade.tsx').then((module) => module.AddToTrade));
const TakeOut = onDemand(() => import('./take-out.tsx').then((module) => module.TakeOut));
const MoveStop = onDemand(() => import('./move-stop.tsx').then((module) => module.MoveStop));

/** What a person can do with an open trade by hand besides closing it. */
export function ByHandButtons({ trade }: { trade: TradeOrders }) {
  const [asked, setAsked] = useState<'add' | 'take-out' | 'stop' | null>(null);
  if (trade.status !== 'open' || !trade.may_close || trade.close_asked_at !== null) return null;
  const isWaiting = trade.by_hand.some(({ state }) => state === 'waiting');
  const [Dialog] = asked === null ? [null] : [{ add: AddToTrade, 'take-out': TakeOut, stop: MoveStop }[asked]];
  const waits = isWaiting ? { title: 'Something else waits to be done by hand' } : {};
  return (
    <div className="hand-buttons" role="group" aria-label="By hand">
      <Button variant="secondary" disabled={isWaiting} {...waits} onClick={() => setAsked('add')}>
        Add
      </Button>
      <Button variant="secondary" disabled={isWaiting} {...waits} onClick={() => setAsked('take-out')}>
        Take Out
      </Button>
      <Button variant="secondary" disabled={isWaiting} {...waits} onClick={() => setAsked('stop')}>
        Move Stop
      </Button>
      {Dialog === null ? null : <Dialog trade={trade} onDone={() => setAsked(null)} />}
    </div>
  );
}
