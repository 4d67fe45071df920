import type { CallReply } from '#contract/client.ts';
import { useQuery } from '@tanstack/react-query';
import { api } from '../api/api.ts';
import { heldData } from '../api/outage.ts';

/** How the closed trades of a strategy went. */
export type Performance = CallReply<'strategyPerformance'>;

/** Loads the figures of a strategy; a failure is logged, and nothing is kept. */
export function usePerformance(strategyId: string): { figures: Performance | undefined; isLoading: boolean; reload: () => void } {
  const query = useQuery({
    queryKey: ['strategy-performance', strategyId],
    queryFn: ({ signal }) => api.strategyPerformance({ params: { id: strategyId } }, { signal }),
    meta: { what: 'strategy performance' },
  });
  return { figures: heldData(query), isLoading: query.isFetching, reload: () => void query.refetch() };
}
