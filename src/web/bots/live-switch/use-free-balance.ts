import type { CallReply } from '#contract/client.ts';
import type { UseQueryResult } from '@tanstack/react-query';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/api.ts';

/** What the account of a bot has free in its stake currency, or why that is not known. */
export type FreeBalance = CallReply<'freeBalance'>;

/** Asks the exchange what the account of a bot has free, each time the question is opened; `isStored`: its key and its market are. */
export function useFreeBalance(botId: string, isStored: boolean): UseQueryResult<FreeBalance> {
  return useQuery({
    queryKey: ['free-balance', botId],
    queryFn: ({ signal }) => api.freeBalance({ params: { id: botId } }, { signal }),
    enabled: isStored,
    gcTime: 0,
    staleTime: 0,
    meta: { what: 'free balance' },
  });
}
