import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../api/api.ts';
import { botsKey } from '../api/query-keys.ts';
import { changeAddress } from '../address/address.ts';
import { useAvailableBots } from '../monitoring/use-monitoring.ts';
import { logout } from '../session/logout.ts';
import { toggleTheme, useTheme } from '../session/theme-store.ts';
import { modeName } from '../ui/venue.ts';
import type { Command } from './command-list.ts';

/** What can be gone to or done now: `screens` are those that the person's role has. Their pairs are asked for once `isOpen`. */
export function useCommands(screens: readonly { value: string; label: string }[], firstScreen: string, isOpen: boolean): Command[] {
  const theme = useTheme();
  const queryClient = useQueryClient();
  const seen = useAvailableBots();
  const listed = useQuery({ queryKey: botsKey, queryFn: ({ signal }) => api.listBots({}, { signal }), enabled: isOpen });
  const bots = seen.data ?? [];
  const pairsOf = new Map((listed.data ?? []).map((bot) => [bot.id, bot.trading_pairs]));
  const watch = (bot: string, pair: string | null) => () => changeAddress({ tab: null, view: null, trade: null, order: null, bot, pair });
  return [
    ...screens.map(({ value, label }) => ({
      id: `screen ${value}`,
      group: 'Screens' as const,
      label,
      run: () => changeAddress({ tab: value === firstScreen ? null : value, view: null, trade: null, order: null }),
    })),
    ...bots.map(({ id, nickname, strategy_name, mode, exchange_id: exchangeId }) => ({
      id: `bot ${id}`,
      group: 'Bots' as const,
      label: nickname,
      hint: `${strategy_name}, ${modeName(mode, exchangeId)}`,
      run: watch(id, null),
    })),
    { id: 'theme', group: 'Actions', label: theme === 'dark' ? 'Light Theme' : 'Dark Theme', run: toggleTheme },
    { id: 'logout', group: 'Actions', label: 'Logout', run: () => void logout(() => queryClient.cancelQueries()) },
    ...bots.flatMap(({ id, nickname }) =>
      (pairsOf.get(id) ?? []).map((pair) => ({
        id: `pair ${id} ${pair}`,
        group: 'Pairs' as const,
        label: pair,
        hint: nickname,
        run: watch(id, pair),
      })),
    ),
  ];
}
