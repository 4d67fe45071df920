import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '../../api/api.ts';
import { heldData } from '../../api/outage.ts';
import { canControlBot, canCreateBots } from '../../session/permissions.ts';
import { useUser } from '../../session/use-session.ts';
import type { StudyItem } from './use-studies.ts';

/** A bot that a try can be used for. */
export interface BotForTry {
  id: string;
  nickname: string;
  isLive: boolean;
}

/** What the person can use the tries of a study for. */
export interface BotsForTries {
  mayUse: boolean;
  mayCreate: boolean; // also for a new bot
  bots: readonly BotForTry[]; // those that trade its strategy; the one whose settings the study began with first
}

/** The bots of the person (of admins: all) that trade the strategy of a study, in the same kind of market. */
export function useBotsForTries({ strategy_id: strategyId, plan: { trading_mode: market }, bot: studied }: StudyItem): BotsForTries {
  const user = useUser();
  const query = useQuery({
    queryKey: ['bots-for-tries'],
    queryFn: ({ signal }) => api.listBots({}, { signal }),
    staleTime: 10_000,
    meta: { what: 'bots' },
  });
  const all = heldData(query);
  const studiedId = studied?.id ?? null;
  return useMemo(() => {
    const bots = (all ?? [])
      .filter((bot) => bot.strategy_id === strategyId && bot.margin_mode === market && bot.archived_at === null && canControlBot(user, bot))
      .map(({ id, nickname, mode }) => ({ id, nickname, isLive: mode === 'live' }))
      .toSorted((a, b) => Number(b.id === studiedId) - Number(a.id === studiedId) || a.nickname.localeCompare(b.nickname));
    const mayCreate = canCreateBots(user);
    return { mayUse: mayCreate || bots.length > 0, mayCreate, bots };
  }, [all, strategyId, market, studiedId, user]);
}
