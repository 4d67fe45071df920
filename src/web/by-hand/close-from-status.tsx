import './by-hand.css';
import { useEffect } from 'react';
import { messageOf } from '../api/api-error.ts';
import { useTradeOrders } from '../live/use-trade-orders.ts';
import { showToast } from '../ui/toast.ts';
import { CloseQuestion, Closing } from './close-trade.tsx';

/** Closes a trade without its page: asks, and then says that it is being closed until it is. */
export function CloseFromStatus({ tradeId, onCancel }: { tradeId: string; onCancel: () => void }) {
  const { data: trade, error } = useTradeOrders(tradeId);
  useEffect(() => {
    if (error === null || trade !== undefined) return; // what fails once it is loaded is a poll: it says nothing of the close
    showToast('error', `Failed to close the trade: ${messageOf(error)}`);
    onCancel();
    // oxlint-disable-next-line react/exhaustive-deps -- said once for each error
  }, [error]);
  if (trade?.status !== 'open') return null;
  if (trade.close_asked_at !== null) return <Closing {...trade} askedAt={trade.close_asked_at} />;
  return <CloseQuestion trade={trade} onCancel={onCancel} />;
}
