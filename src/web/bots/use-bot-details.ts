import type { Bot } from '#contract/bots.ts';
import type { CallReply } from '#contract/client.ts';
import { useQuery } from '@tanstack/react-query';
import { api } from '../api/api.ts';
import { messageOf } from '../api/api-error.ts';
import { heldData } from '../api/outage.ts';
import { botDetailsKey } from '../api/query-keys.ts';

/** How often the records of the tab in sight are loaded again, in ms. */
export const recordsPollMs = 30_000;

/** A bot with its masked key and the values it really trades with. */
export type BotConfig = CallReply<'getBot'>;

/** A trade of a bot. */
export type BotTrade = CallReply<'botTrades'>[number];

/** The balance of a bot at a moment. */
export type PnlSnapshot = CallReply<'botPnl'>[number];

/** What is loaded of the selected bot; undefined while not loaded or failed. */
export interface BotDetails {
  config: BotConfig | undefined;
  trades: readonly BotTrade[] | undefined;
  snapshots: readonly PnlSnapshot[] | undefined;
  error: string | null;
}

/** Loads configuration, trades and balance snapshots of a bot as soon as it is selected; what `view` shows is kept up to date, in the mode that the bot is in. */
export function useBotDetails(bot: Pick<Bot, 'id' | 'mode'> | null, view: string): BotDetails {
  const enabled = bot !== null;
  const params = { id: bot?.id ?? '' };
  // What is being edited does not change below the hands of the person: it is loaded again on request only.
  const config = useQuery({
    queryKey: [...botDetailsKey(params.id), 'config'],
    queryFn: ({ signal }) => api.getBot({ params }, { signal }),
    enabled,
    meta: { what: 'bot configuration' },
  });
  const trades = useQuery({
    queryKey: [...botDetailsKey(params.id), 'trades', bot?.mode],
    queryFn: ({ signal }) => api.botTrades({ params }, { signal }),
    enabled,
    refetchInterval: view === 'trades' ? recordsPollMs : false,
    meta: { what: 'trades of a bot' },
  });
  const snapshots = useQuery({
    queryKey: [...botDetailsKey(params.id), 'pnl', bot?.mode],
    queryFn: ({ signal }) => api.botPnl({ params }, { signal }),
    enabled,
    refetchInterval: view === 'pnl' ? recordsPollMs : false,
    meta: { what: 'PnL snapshots of a bot' },
  });
  const error = enabled ? (config.error ?? trades.error ?? snapshots.error) : null;
  return {
    config: heldData(config),
    trades: heldData(trades),
    snapshots: heldData(snapshots),
    error: error === null ? null : `Failed to load bot details: ${messageOf(error)}`,
  };
}
