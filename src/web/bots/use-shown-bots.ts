import type { Bot } from '#contract/bots.ts';
import { useCallback, useMemo, useState } from 'react';
import type { Fleet } from '../live/use-fleet.ts';
import { keepOrder, sortBots } from './bot-list.ts';
import type { BotsState } from './use-bots.ts';

/**
 * The bots of the list as they are now, in an order that stays: status and mode follow the live status where that is
 * newer, but a card moves only when the person asks for the list again.
 */
export function useShownBots(
  { bots, loadedAt }: Pick<BotsState, 'bots' | 'loadedAt'>,
  { bots: liveBots, loadedAt: liveAt }: Pick<Fleet, 'bots' | 'loadedAt'>,
): { bots: readonly Bot[] | undefined; sortAgain: () => void } {
  const [order, setOrder] = useState<readonly string[]>([]);
  const sortAgain = useCallback(() => setOrder([]), []);
  const shown = useMemo(() => {
    if (bots === undefined) return undefined;
    const live = liveAt > loadedAt ? new Map(liveBots?.map((bot) => [bot.bot_id, bot])) : new Map<string, never>();
    const current = bots.map((bot) => {
      const now = live.get(bot.id);
      return now === undefined || (now.status === bot.status && now.mode === bot.mode)
        ? bot
        : { ...bot, status: now.status, mode: now.mode };
    });
    return keepOrder(order, sortBots(current));
  }, [bots, loadedAt, liveBots, liveAt, order]);
  const ids = shown?.map(({ id }) => id);
  // Noted while drawing: the next change of a status finds the order it must keep.
  if (ids !== undefined && ids.join() !== order.join()) setOrder(ids);
  return { bots: shown, sortAgain };
}
