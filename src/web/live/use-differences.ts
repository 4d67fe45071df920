import type { CallReply } from '#contract/client.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../api/api.ts';
import { heldData } from '../api/outage.ts';
import { livePollMs } from './use-live-status.ts';

/** Where accounts do not hold what the trades of their bots say. */
export type Differences = CallReply<'listDifferences'>;

/** An open difference. */
export type Difference = Differences['open'][number];

/** One thing that a person may do about a difference. */
export type Choice = Difference['choices'][number];

/** An open trade without a stop that the exchange has confirmed. */
export type Unprotected = Differences['unprotected'][number];

const key = ['differences'] as const;

/** The differences of the viewer's bots, polled while the dashboard is open. After a failure the last ones are kept. */
export function useDifferences() {
  const queryClient = useQueryClient();
  const query = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => api.listDifferences({}, { signal }),
    refetchInterval: livePollMs,
    meta: { what: 'differences' },
  });
  return {
    found: heldData(query),
    error: query.error,
    isLoading: query.isFetching,
    /** Loads them again; gives the newest. */
    reload: async (): Promise<Differences | undefined> => {
      await queryClient.invalidateQueries({ queryKey: key });
      return queryClient.getQueryData<Differences>(key);
    },
  };
}
