import type { Bot } from '#contract/bots.ts';
import { useMemo, useState } from 'react';
import type { FleetBot } from '../../live/joined-fleet.ts';

interface Figures {
  bots: ReadonlyMap<string, Bot>;
  live: ReadonlyMap<string, FleetBot>;
  sortedAt: number;
}

/**
 * What bots are sorted by: their figures as they were when the person sorted, or asked for the list again, so that no row moves while it is
 * read. Of a bot that came later they are those of now.
 */
export function useFigures({ bots, live, sortedAt }: { bots: readonly Bot[]; live: ReadonlyMap<string, FleetBot>; sortedAt: number }) {
  const now = (): Figures => ({ bots: new Map(bots.map((bot) => [bot.id, bot])), live, sortedAt });
  const [noted, setNoted] = useState(now);
  const isFirst = noted.live.size === 0 && live.size > 0; // the live state was not there yet
  if (isFirst || noted.sortedAt !== sortedAt) setNoted(now());
  return {
    figuresOf: useMemo(
      () => (bot: Bot) => ({ bot: noted.bots.get(bot.id) ?? bot, live: noted.live.get(bot.id) ?? live.get(bot.id) }),
      [noted, live],
    ),
    note: () => setNoted(now()),
  };
}
