import type { CallReply } from '#contract/client.ts';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/api.ts';
import { heldData } from '../../api/outage.ts';

/** What a strategy says of itself, and how its last backtest went. */
export type StrategyDetails = CallReply<'strategyDetails'>;

/** The details of a strategy as far as they are loaded. */
export interface DetailsState {
  details: StrategyDetails | undefined;
  isLoading: boolean;
  reload: () => void;
}

/** Loads what a strategy says of itself; a failure is logged, and nothing is kept. */
export function useDetails(strategyId: string): DetailsState {
  const query = useQuery({
    queryKey: ['strategy-details', strategyId],
    queryFn: ({ signal }) => api.strategyDetails({ params: { id: strategyId } }, { signal }),
    meta: { what: 'strategy details' },
  });
  return { details: heldData(query), isLoading: query.isFetching, reload: () => void query.refetch() };
}
