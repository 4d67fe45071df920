import type { CallReply } from '#contract/client.ts';
import type { UseQueryResult } from '@tanstack/react-query';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/api.ts';

/** What is known of a bot before it is switched to live. */
export type LiveCheck = CallReply<'liveCheck'>;

const keyOf = (botId: string) => ['live-check', botId];

/** What is known of a bot before it is switched to live, asked for again each time the question is opened. */
export function useLiveCheck(botId: string): UseQueryResult<LiveCheck> {
  return useQuery({
    queryKey: keyOf(botId),
    queryFn: ({ signal }) => api.liveCheck({ params: { id: botId } }, { signal }),
    gcTime: 0,
    staleTime: 0,
    meta: { what: 'live check' },
  });
}

/** Puts a drill that has just been run where the others of the bot's checks are. */
export function useDrillShown(botId: string): (drill: NonNullable<LiveCheck['drill']>) => void {
  const client = useQueryClient();
  return (drill) => client.setQueryData<LiveCheck>(keyOf(botId), (check) => check && { ...check, drill });
}
