import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { SendOptions } from '../api/send.ts';
import type { CancellableCall } from '../live/use-cancellable-call.ts';
import { useCancellableCall } from '../live/use-cancellable-call.ts';
import type { TradeOrders } from '../live/use-trade-orders.ts';
import { tradeOrdersKey } from '../live/use-trade-orders.ts';
import type { ManualAction } from './by-hand-words.ts';

/** See `useAsking`. */
export interface AskingOptions {
  trade: TradeOrders;
  kind: ManualAction['kind'];
  name: string; // of the question
  call: (options: SendOptions) => Promise<unknown>;
  onDone: () => void;
}

/** What is asked of a trade by hand. */
export interface AskedOfTrade extends CancellableCall {
  arrived: ManualAction | null; // what the trade says was asked of it, where no answer came
}

/** Asks for something of a trade by hand: after it was taken in, the trade is loaded again, and `onDone` is called. */
export function useAsking({ trade, kind, name, call, onDone }: AskingOptions): AskedOfTrade {
  const queryClient = useQueryClient();
  const [before, setBefore] = useState<TradeOrders['by_hand']>([]); // what had been asked of the trade when this was sent
  const asked = useCancellableCall({
    name,
    call,
    onAnswer: async () => {
      await queryClient.invalidateQueries({ queryKey: tradeOrdersKey(trade.trade_id) });
      onDone();
    },
    onClose: onDone,
  });
  const send = () => {
    if (!asked.isUnsure) setBefore(trade.by_hand);
    asked.send();
  };
  const isNew = (action: ManualAction) => action.kind === kind && before.every(({ action_id: id }) => id !== action.action_id);
  return { ...asked, send, arrived: asked.isUnsure ? (trade.by_hand.find(isNew) ?? null) : null };
}
