import './by-hand.css';
import { messageOf } from '../api/api-error.ts';
import { useTradeOrders } from '../live/use-trade-orders.ts';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { RowsSkeleton } from '../ui/skeleton.tsx';
import { MoveStop } from './move-stop.tsx';

/** Asks about a stop that was dragged on the chart, once its trade is loaded. */
export function MoveDraggedStop({ tradeId, price, onDone }: { tradeId: string; price: number; onDone: () => void }) {
  const { data, error } = useTradeOrders(tradeId);
  if (data !== undefined) return <MoveStop trade={data} price={price} onDone={onDone} />;
  return (
    <ConfirmDialog opened title="Move Stop" message="" confirmDisabled onConfirm={onDone} onCancel={onDone}>
      {error === null ? <RowsSkeleton rows={4} /> : <p role="alert">Failed to load the trade: {messageOf(error)}</p>}
    </ConfirmDialog>
  );
}
