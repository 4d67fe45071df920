import type { CallReply } from '#contract/client.ts';
import { useQuery } from '@tanstack/react-query';
import { useAddressValue } from '../address/address.ts';
import { api } from '../api/api.ts';

/** How often the state of the fleet is asked for, in ms. */
export const livePollMs = 5000;

/** What the visible bots are doing. */
export type LiveStatus = CallReply<'liveStatus'>;

/** Where the live state lies in the query store; what is asked less often lies below it. */
export const liveKey = ['live-status'] as const;

/**
 * The live state of the visible bots, polled while the dashboard is open, whatever tab is shown: it feeds the fleet and
 * tells the header whether the server answers. After a failure the last state is kept.
 */
export function useLiveStatus() {
  const isChartPolled = useIsChartPolled();
  return useQuery({
    queryKey: liveKey,
    queryFn: ({ signal }) => api.liveStatus({ query: {} }, { signal }),
    // The chart's own calls say every two seconds whether the server answers, and the fleet's bring the state.
    refetchInterval: isChartPolled ? false : livePollMs,
    refetchIntervalInBackground: true,
    meta: { what: 'live status' },
  });
}

/** Whether the chart of Status is polled: its tab, the one of an address that names none, is shown, with a pair chosen. */
export function useIsChartPolled(): boolean {
  const isOnStatus = useAddressValue('tab') === null;
  return useAddressValue('pair') !== null && isOnStatus;
}
