import type { CallReply } from '#contract/client.ts';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/api.ts';
import { isAdmin } from '../../session/permissions.ts';
import { useUser } from '../../session/use-session.ts';

type Bot = CallReply<'listBots'>[number];

/** The bots of a strategy whose settings the caller may take: own ones, for admins all. */
export function useBotsOf(strategyId: string | null): readonly Bot[] {
  const user = useUser();
  const query = useQuery({
    queryKey: ['bots-of-strategy', strategyId],
    queryFn: async ({ signal }) => (await api.listBots({ query: {} }, { signal })).filter((bot) => bot.strategy_id === strategyId),
    enabled: strategyId !== null,
    staleTime: 10_000,
    meta: { what: 'bots' },
  });
  return (query.data ?? none).filter((bot) => isAdmin(user) || bot.user_id === user?.userId);
}

const none: readonly Bot[] = [];
