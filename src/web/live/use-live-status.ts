import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useAddressValue } from '../address/address.ts';
import { api } from '../api/api.ts';
import { useIsFollowing } from './following.ts';
import { liveKey } from './live-key.ts';
import { askLiveStatus } from './newest-live-status.ts';

/** How often the state of the fleet is asked for, in ms. */
export const livePollMs = 5000;

/** How often it is asked for beside the chart of Status, in ms. */
const besideChartMs = 10_000;

/** How often the chart of Status is loaded again, in ms. */
export const chartPollMs = 2000;

/**
 * The live state of the visible bots, polled while the dashboard is open, whatever tab is shown: it feeds the fleet and
 * shows the header whether the server answers. After a failure the last state is kept.
 */
export function useLiveStatus() {
  const queryClient = useQueryClient();
  const isChartPolled = useIsChartPolled();
  const isFollowing = useIsFollowing();
  return useQuery({
    queryKey: liveKey,
    queryFn: async ({ signal }) => (await askLiveStatus(queryClient, () => api.liveStatus({ query: {} }, { signal }))).newest,
    // The chart's own calls say every two seconds whether the server answers; beside it only the fleet's money needs this.
    refetchInterval: isFollowing ? false : isChartPolled ? besideChartMs : livePollMs,
    refetchOnWindowFocus: true, // a hidden tab asks for nothing
    meta: { what: 'live status' },
  });
}

/** Whether the chart of Status is polled: its tab, the one of an address that names none, is shown, with a pair chosen. */
export function useIsChartPolled(): boolean {
  const isOnStatus = useAddressValue('tab') === null;
  return useAddressValue('pair') !== null && isOnStatus;
}
