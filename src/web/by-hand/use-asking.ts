import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { SendOptions } from '../api/send.ts';
import type { CancellableCall } from '../live/use-cancellable-call.ts';
import { useCancellableCall } from '../live/use-cancellable-call.ts';
import type { TradeOrders } from '../live/use-trade-orders.ts';
import { tradeOrdersKey } from '../live/use-trade-orders.ts';
import type { Sent, Wish } from './asked-by-me.ts';
import { askedByMe } from './asked-by-me.ts';
import type { ManualAction } from './by-hand-words.ts';

/** See `useAsking`. */
export interface AskingOptions {
  trade: TradeOrders;
  wish: Wish;
  name: string; // of the question
  call: (options: SendOptions) => Promise<unknown>;
  onDone: () => void;
}

/** What is asked of a trade by hand. */
export interface AskedOfTrade extends CancellableCall {
  arrived: ManualAction | null; // what the trade says was asked of it, where no answer came
}

/** Asks for something of a trade by hand: after it was taken in, the trade is loaded again, and `onDone` is called. */
export function useAsking({ trade, wish, name, call, onDone }: AskingOptions): AskedOfTrade {
  const queryClient = useQueryClient();
  const [sent, setSent] = useState<Sent>({ wishes: [], before: [] });
  const asked = useCancellableCall({
    name,
    wish: JSON.stringify(wish),
    call,
    onAnswer: async () => {
      await queryClient.invalidateQueries({ queryKey: tradeOrdersKey(trade.trade_id) });
      onDone();
    },
    onClose: onDone,
  });
  const send = () => {
    setSent(asked.isUnsure ? { ...sent, wishes: [...sent.wishes, wish] } : { wishes: [wish], before: trade.by_hand });
    asked.send();
  };
  return { ...asked, send, arrived: asked.isUnsure ? askedByMe(trade.by_hand, sent) : null };
}
