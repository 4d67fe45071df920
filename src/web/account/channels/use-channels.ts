import type { CallReply } from '#contract/client.ts';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/api.ts';

/** A channel of the person's. */
export type OwnChannel = CallReply<'listChannels'>[number];

/** While a message waits the list is asked for again this often, in ms. */
const waitingMs = 5_000;

/** The person's channels, followed while a message waits. */
export function useChannels() {
  return useQuery({
    queryKey: ['own-channels'],
    queryFn: ({ signal }) => api.listChannels({}, { signal }),
    refetchInterval: ({ state }) => (state.data?.some(({ waiting }) => waiting > 0) === true ? waitingMs : false),
    meta: { what: 'channels' },
  });
}
