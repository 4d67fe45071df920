import type { Bot } from '#contract/bots.ts';
import { useQuery } from '@tanstack/react-query';
import { api } from './api.ts';
import { messageOf } from './api-error.ts';
import { heldData } from './outage.ts';
import { archivedBotsKey } from './query-keys.ts';

/** The archived bots, loaded once they are asked for; undefined while not loaded or failed. */
export function useArchivedBots(enabled: boolean): { bots: readonly Bot[] | undefined; error: string | null } {
  const list = useQuery({
    queryKey: archivedBotsKey,
    queryFn: ({ signal }) => api.listArchivedBots({}, { signal }),
    enabled,
    meta: { what: 'archived bots' },
  });
  return {
    bots: enabled ? heldData(list) : undefined,
    error: enabled && list.isError ? `Failed to load archived bots: ${messageOf(list.error)}` : null,
  };
}
