import type { CallReply } from '#contract/client.ts';
import { useQuery } from '@tanstack/react-query';
import { api } from './api.ts';

/** A key of the person's. */
export type OwnApiKey = CallReply<'listApiKeys'>[number];

/** While a key is being checked the list is asked for again this often, in ms. */
const checkingMs = 1_000;

/** Where the person's keys are kept. */
export const apiKeysKey = ['own-api-keys'] as const;

/** The person's keys of exchanges, followed while one is being checked; asked for where `enabled`. */
export function useApiKeys(enabled = true) {
  return useQuery({
    queryKey: apiKeysKey,
    queryFn: ({ signal }) => api.listApiKeys({}, { signal }),
    enabled,
    refetchInterval: ({ state }) => (state.data?.some(({ is_checking }) => is_checking) === true ? checkingMs : false),
    meta: { what: 'API keys' },
  });
}
