import type { Bot } from '#contract/bots.ts';
import { useMemo, useState } from 'react';
import type { FleetBot } from '../../live/joined-fleet.ts';
import { botColumns } from './bot-columns.tsx';
import type { ListView } from './list-view.ts';
import { useFigures } from './use-figures.ts';

/** See `useSortedBots`. */
export interface ToSort {
  bots: readonly Bot[];
  live: ReadonlyMap<string, FleetBot>;
  exchangeName: (exchangeId: string) => string;
  sortedBy: ListView['sortedBy']; // null: as they are given
  sortedAt: number; // grows when the person asks for the list again
}

/** The bots of the cards by a column of the table, so that a phone sorts them too. No card moves while it is read, as in the table. */
export function useSortedBots({ bots, live, exchangeName, sortedBy, sortedAt }: ToSort): readonly Bot[] {
  const { figuresOf, note } = useFigures({ bots, live, sortedAt });
  const [notedFor, setNotedFor] = useState(sortedBy);
  if (notedFor !== sortedBy) {
    setNotedFor(sortedBy);
    note();
  }
  return useMemo(() => {
    if (sortedBy === null) return bots;
    const column = Object.values(botColumns).find(({ key }) => key === sortedBy.key);
    const valueOf = (bot: Bot) => {
      const row = {
        bot,
        live: live.get(bot.id),
        exchangeName: exchangeName(bot.exchange_id),
        at: figuresOf(bot),
        isInert: false,
        isChosen: null,
      };
      return column === undefined ? bot.nickname.toLowerCase() : column.value(row);
    };
    return bots
      .map((bot) => ({ bot, value: valueOf(bot) }))
      .toSorted((a, b) => {
        if (a.value === b.value) return 0;
        const isLess = a.value === null || (b.value !== null && a.value < b.value); // as in the table null is lowest
        return isLess === sortedBy.descending ? 1 : -1;
      })
      .map(({ bot }) => bot);
  }, [bots, live, exchangeName, figuresOf, sortedBy]);
}
