import type { CallReply } from '#contract/client.ts';
import type { UseQueryResult } from '@tanstack/react-query';
import { useQuery } from '@tanstack/react-query';
import { api } from './api.ts';

/** The exchanges that this server offers, by id and name; they do not change while the page is open. */
export function useExchanges(): UseQueryResult<CallReply<'listExchanges'>['exchanges']> {
  return useQuery({
    queryKey: ['exchanges'],
    queryFn: async ({ signal }) => (await api.listExchanges({}, { signal })).exchanges,
    staleTime: Infinity,
    meta: { what: 'exchanges' },
  });
}
