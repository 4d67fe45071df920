import type { CallReply } from '#contract/client.ts';
import { isFinal } from '#engine/account/order-life.ts';
import type { UseQueryResult } from '@tanstack/react-query';
import { useQuery } from '@tanstack/react-query';
import { api } from '../api/api.ts';

/** A trade with its orders. */
export type TradeOrders = CallReply<'tradeOrders'>;

/** An order of a trade. */
export type TradeOrder = TradeOrders['orders'][number];

/** How often something that can still change is asked for, in ms. */
const pollMs = 2_000;

/** Where the orders of a trade lie in the query store. */
export const tradeOrdersKey = (tradeId: string) => ['trade-orders', tradeId] as const;

/** A trade with its orders; asked for again while anything of it can change. */
export function useTradeOrders(tradeId: string): UseQueryResult<TradeOrders> {
  return useQuery({
    queryKey: tradeOrdersKey(tradeId),
    queryFn: ({ signal }) => api.tradeOrders({ params: { id: tradeId }, query: {} }, { signal }),
    refetchInterval: ({ state }) => (state.data === undefined || canChange(state.data) ? pollMs : false),
    meta: { what: 'orders' },
  });
}

function canChange({ status, orders }: TradeOrders): boolean {
  return status === 'open' || orders.some(({ state }) => !isFinal(state));
}
