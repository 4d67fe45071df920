import { saveFile } from '../ui/save-file.ts';
import { showToast } from '../ui/toast.ts';
import { recordText } from './record-text.ts';
import type { TradeOrders } from '../live/use-trade-orders.ts';

/** Copies the record as text; where the browser does not let a page copy, as over plain http, it is given as a file. */
export async function copyRecord(trade: TradeOrders): Promise<void> {
  const text = recordText(trade);
  try {
    await navigator.clipboard.writeText(text);
    showToast('success', 'Record copied');
  } catch {
    saveFile(`orders-${trade.trade_id}.txt`, 'text/plain;charset=utf-8', text);
    showToast('success', 'Record saved as a file', 'This browser does not let the page copy.');
  }
}
