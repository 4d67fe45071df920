import type { CallReply } from '#contract/client.ts';
import { useQuery } from '@tanstack/react-query';
import { api } from '../api/api.ts';
import { heldData } from '../api/outage.ts';
import { livePollMs } from './use-live-status.ts';

/** The kill switch as the caller sees it. */
export type TradingView = CallReply<'getTradingState'>;

/** One switch that was set. */
export type TradingSwitch = TradingView['switches'][number];

/** What a switch leaves of trading. */
export type TradingState = TradingSwitch['state'];

/** Where the kill switch lies in the query store. */
export const tradingKey = ['trading-state'] as const;

/** The kill switch, polled while the dashboard is open; undefined while not loaded. After a failure the last state is kept. */
export function useTradingState(): { view: TradingView | undefined; error: unknown; isLoading: boolean; reload: () => Promise<unknown> } {
  const query = useQuery({
    queryKey: tradingKey,
    queryFn: ({ signal }) => api.getTradingState({}, { signal }),
    refetchInterval: livePollMs,
    refetchIntervalInBackground: true,
    meta: { what: 'trading state' },
  });
  return { view: heldData(query), error: query.error, isLoading: query.isFetching, reload: query.refetch };
}
