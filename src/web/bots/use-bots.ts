import type { Bot } from '#contract/bots.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { api } from '../api/api.ts';
import { ApiError, messageOf } from '../api/api-error.ts';
import { reasonOf } from '../session/login-flow.ts';
import { heldData } from '../api/outage.ts';
import { availableBotsKey, availablePairsKey, botDetailsKey, botsKey } from '../api/query-keys.ts';
import { useExchanges } from '../api/use-exchanges.ts';
import { liveKey } from '../live/live-key.ts';
import { isAbort } from '../live/until-aborted.ts';
import { showToast } from '../ui/toast.ts';
import { cancelledWords } from '../live/cancelled-words.ts';
import { useSending } from '../live/use-sending.ts';

/** How often the list is loaded again, in ms. What changes by the second comes with the live status. */
export const listPollMs = 30_000;

/** A bot in the list and what is to be done with it. */
export interface BotChange {
  bot: Bot;
  change: { status: Bot['status'] } | { mode: Bot['mode'] };
  savesKey?: boolean; // a new API key is saved before the change
  changesAccount?: boolean; // another exchange, market type or stake currency is saved before the change
  changesSettings?: boolean; // what it trades, or how, is saved before the change
}

/** The bots of the list and what can be done with them. */
export interface BotsState {
  bots: readonly Bot[] | undefined; // undefined while not loaded or failed
  exchanges: readonly { id: string; name: string }[]; // empty while not loaded or failed
  error: string | null; // shown above the list
  listError: string | null; // of it, that the list could not be loaded
  cancelled: string | null; // what may have become of a change that was cancelled while it was sent
  loadedAt: number; // ms
  isLoading: boolean; // the first time, or again because the person asked
  isBusy: boolean; // while a change is under way
  reload: () => Promise<void>;
  apply: (change: BotChange) => Promise<string | null>; // why a status was not changed; null when it was
  cancel: (change: BotChange) => void; // sends nothing more of it, where it is being sent
}

/** Loads the bots and the names of their exchanges; changes status and mode of a bot and reports how it went. */
export function useBots(): BotsState {
  const queryClient = useQueryClient();
  const [actionError, setActionError] = useState<string | null>(null);
  const [cancelled, setCancelled] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [isReloading, setReloading] = useState(false);
  const sending = useSending();
  const applied = useRef<BotChange | null>(null);
  const list = useQuery({
    queryKey: botsKey,
    queryFn: ({ signal }) => api.listBots({}, { signal }),
    refetchInterval: listPollMs,
    meta: { what: 'bots' },
  });
  const exchanges = useExchanges();

  const load = async () => {
    setReloading(true);
    await Promise.all([
      queryClient.refetchQueries({ queryKey: botsKey }),
      queryClient.invalidateQueries({ queryKey: liveKey, exact: true }),
      queryClient.invalidateQueries({ queryKey: availableBotsKey }),
      queryClient.invalidateQueries({ queryKey: availablePairsKey }),
    ]);
    setReloading(false);
  };
  const clear = () => {
    setActionError(null);
    setCancelled(null);
  };
  const reload = async () => {
    clear();
    await load();
  };
  /** The form is about the bot as it is now, too; what was typed into it stays. */
  const loadForm = (id: string) => queryClient.invalidateQueries({ queryKey: [...botDetailsKey(id), 'config'] });
  const apply = async (asked: BotChange): Promise<string | null> => {
    const { bot, change } = asked;
    applied.current = asked;
    setBusy(true);
    clear();
    try {
      if ('status' in change) {
        // Whoever starts a bot has confirmed what its orders are and what it trades with. Pausing and stopping are never refused for that.
        const seen = change.status === 'active' ? { mode: bot.mode } : {};
        const settings = change.status === 'active' ? { version: bot.version } : {};
        const input = { params: { id: bot.id }, query: { ...change, was: bot.status, ...seen } };
        await sending.send((signal) => api.toggleBot(input, { ...settings, signal }));
        showToast('success', `Bot ${change.status} successfully`);
      } else {
        const settings = change.mode === 'live' ? { version: bot.version } : {};
        await sending.send((signal) => api.changeBotMode({ params: { id: bot.id }, query: change }, { ...settings, signal }));
        showToast('success', `Bot mode changed to ${change.mode}`);
      }
    } catch (error) {
      if (isAbort(error)) {
        const words = cancelledWords(`The change of ${bot.nickname} to ${'status' in change ? change.status : change.mode}`);
        showToast('error', words);
        setCancelled(words);
        setBusy(false);
        void Promise.all([load(), loadForm(bot.id)]); // whether it was done is seen there, and not by a dialog that stays
        return words;
      }
      const isStatus = 'status' in change;
      const text = `${isStatus ? 'Failed to toggle bot' : 'Failed to change bot mode'}: ${messageOf(error)}`;
      showToast('error', text);
      if (isStatus) setActionError(text);
      // What was shown is not what is there: another press must be about that.
      if (error instanceof ApiError && error.status === 409) await Promise.all([load(), loadForm(bot.id)]);
      setBusy(false);
      return isStatus ? text : null;
    }
    await Promise.all([reload(), loadForm(bot.id)]); // until then its dialog is open, and asks about what is done already
    setBusy(false);
    return null;
  };

  const cancel = (asked: BotChange) => {
    if (asked === applied.current) sending.cancel();
  };

  const listError = list.isError ? `Failed to load bots: ${reasonOf(list.error) ?? messageOf(list.error)}` : null;
  return {
    bots: heldData(list),
    exchanges: exchanges.data ?? [],
    error: listError ?? actionError,
    listError,
    cancelled,
    loadedAt: list.dataUpdatedAt,
    isLoading: list.isPending || isReloading,
    isBusy,
    reload,
    apply,
    cancel,
  };
}
