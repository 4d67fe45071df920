import type { CallReply } from '#contract/client.ts';
import { useQuery } from '@tanstack/react-query';
import { api } from '../api/api.ts';

/** How often the state of the fleet is asked for, on every screen, in ms. */
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
  return useQuery({
    queryKey: liveKey,
    queryFn: ({ signal }) => api.liveStatus({ query: {} }, { signal }),
    refetchInterval: livePollMs,
    refetchIntervalInBackground: true,
    meta: { what: 'live status' },
  });
}
