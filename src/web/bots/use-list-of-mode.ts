import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { botsKey } from '../api/query-keys.ts';
import type { Fleet } from '../live/use-fleet.ts';
import type { BotsState } from './use-bots.ts';

/** Has the list loaded again as soon as the live status shows a bot in another mode: its figures are of the money that it does not trade with any more. */
export function useListOfMode(
  { bots, loadedAt }: Pick<BotsState, 'bots' | 'loadedAt'>,
  { bots: liveBots, loadedAt: liveAt }: Pick<Fleet, 'bots' | 'loadedAt'>,
): void {
  const queryClient = useQueryClient();
  const modes = new Map(liveAt > loadedAt ? liveBots?.map(({ bot_id, mode }) => [bot_id, mode]) : []);
  const changed = bots?.filter(({ id, mode }) => (modes.get(id) ?? mode) !== mode).map(({ id, mode }) => `${id} ${mode}`);
  const names = changed?.join() ?? '';
  useEffect(() => {
    if (names !== '') void queryClient.invalidateQueries({ queryKey: botsKey });
  }, [names, queryClient]);
}
