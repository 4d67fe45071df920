import type { SessionUser } from '#contract/auth.ts';
import type { Bot } from '#contract/bots.ts';
import { useCallback, useMemo, useState } from 'react';
import { canControlBot } from '../../session/permissions.ts';

/** The bots that a person has chosen of those in the list, for what is done to several at once. */
export interface ChosenBots {
  isChoosing: boolean;
  mayChoose: boolean; // there is one that can be chosen
  choosable: readonly Bot[];
  chosen: ReadonlySet<string>; // ids, all of bots that the list shows: what the filter hides is not changed unseen
  bots: readonly Bot[]; // those that are chosen
  start: (isChoosing: boolean) => void;
  choose: (bot: Pick<Bot, 'id'>, isChosen: boolean) => void;
  chooseOnly: (ids: readonly string[]) => void;
}

const none: ReadonlySet<string> = new Set();

/** See `ChosenBots`. Bots of others and archived ones cannot be chosen. */
export function useChosenBots(shown: readonly Bot[], user: SessionUser | null): ChosenBots {
  const [isChoosing, setChoosing] = useState(false);
  const [ids, setIds] = useState(none);
  const choosable = useMemo(() => shown.filter((bot) => canControlBot(user, bot) && bot.archived_at === null), [shown, user]);
  const bots = useMemo(() => (isChoosing ? choosable.filter(({ id }) => ids.has(id)) : []), [isChoosing, choosable, ids]);
  const chosen = useMemo(() => (bots.length === 0 ? none : new Set(bots.map(({ id }) => id))), [bots]);
  const choose = useCallback(({ id }: Pick<Bot, 'id'>, isChosen: boolean) => {
    setIds((before) => {
      const after = new Set(before);
      if (isChosen) after.add(id);
      else after.delete(id);
      return after;
    });
  }, []);
  return {
    isChoosing,
    mayChoose: choosable.length > 0,
    choosable,
    chosen,
    bots,
    start: (isNow) => {
      setChoosing(isNow);
      setIds(none);
    },
    choose,
    chooseOnly: (some) => setIds(new Set(some)),
  };
}
