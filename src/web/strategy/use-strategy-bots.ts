import { useQuery } from '@tanstack/react-query';
import { api } from '../api/api.ts';
import { heldData } from '../api/outage.ts';
import type { BotsSectionProps } from './bots-section.tsx';

/** Loads the bots of a strategy. */
export function useStrategyBots(strategyId: string): BotsSectionProps {
  const query = useQuery({
    queryKey: ['strategy-bots', strategyId],
    queryFn: async ({ signal }) => (await api.strategyBots({ params: { id: strategyId } }, { signal })).bots,
    meta: { what: 'bots of the strategy' },
  });
  return { bots: heldData(query), isLoading: query.isFetching, reload: () => void query.refetch() };
}
