import type { CallReply } from '#contract/client.ts';
import type { UseQueryResult } from '@tanstack/react-query';
import { useQuery } from '@tanstack/react-query';
import { api } from '../api/api.ts';

type ManualActions = CallReply<'manualActions'>;

const pollMs = 1_000;

/** What people have asked a bot to do by hand; asked for again as long as `isAwaited` says so of what is there. */
export function useManualActions(botId: string, isAwaited: (known: ManualActions | undefined) => boolean): UseQueryResult<ManualActions> {
  return useQuery({
    queryKey: ['manual-actions', botId],
    queryFn: ({ signal }) => api.manualActions({ params: { id: botId } }, { signal }),
    refetchInterval: ({ state }) => (isAwaited(state.data) ? pollMs : false),
    gcTime: 0,
    meta: { what: 'what was asked' },
  });
}
