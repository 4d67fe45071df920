import type { CallReply } from '#contract/client.ts';
import { useQuery } from '@tanstack/react-query';
import { api } from '../api/api.ts';
import { heldData } from '../api/outage.ts';

/** The accounts that live bots trade with, and the server's time. */
export type LiveAccounts = CallReply<'listLiveAccounts'>;

/** One of them. */
export type LiveAccount = LiveAccounts['accounts'][number];

/** How often they are asked for while they are shown, in ms. */
const pollMs = 10_000;

/** How the accounts of the viewer's live bots stand, for admins those of all. */
export function useLiveAccounts() {
  const query = useQuery({
    queryKey: ['live-accounts'],
    queryFn: ({ signal }) => api.listLiveAccounts({}, { signal }),
    refetchInterval: pollMs,
    meta: { what: 'live accounts' },
  });
  return { found: heldData(query), error: query.error, isLoading: query.isFetching, reload: query.refetch };
}
