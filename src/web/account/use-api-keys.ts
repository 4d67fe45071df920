import type { CallReply } from '#contract/client.ts';
import { useQuery } from '@tanstack/react-query';
import { api } from '../api/api.ts';

/** A key of the person's. */
export type OwnApiKey = CallReply<'listApiKeys'>[number];

/** While a key is being checked the list is asked for again this often, in ms. */
const checkingMs = 1_000;

/** The person's keys of exchanges, followed while one is being checked. */
export function useApiKeys() {
  return useQuery({
    queryKey: ['own-api-keys'],
    queryFn: ({ signal }) => api.listApiKeys({}, { signal }),
    refetchInterval: ({ state }) => (state.data?.some(({ is_checking }) => is_checking) === true ? checkingMs : false),
    meta: { what: 'API keys' },
  });
}
