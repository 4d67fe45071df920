import type { Bot } from '#contract/bots.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { api } from '../../api/api.ts';
import { messageOf } from '../../api/api-error.ts';
import { botDetailsKey, botsKey } from '../../api/query-keys.ts';
import { apiKeysKey } from '../../api/use-api-keys.ts';
import { liveKey } from '../../live/live-key.ts';
import { isAbort } from '../../live/until-aborted.ts';
import { useSending } from '../../live/use-sending.ts';
import { showToast } from '../../ui/toast.ts';
import { cancelledWords } from '../../live/cancelled-words.ts';

/** Giving a bot a key. */
export interface KeyGiving {
  isBusy: boolean;
  give: (keyId: string) => Promise<void>; // one that is stored already
  giveSandboxKey: () => Promise<void>; // a new one of the sandbox: got, stored and given
  cancel: () => void; // nothing more of it goes out
}

/** Gives this bot a key; a second press while one runs does nothing. A live bot is paused by it, and its password asked for. */
export function useGiveKey(bot: Pick<Bot, 'id' | 'nickname' | 'mode'>): KeyGiving {
  const queryClient = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const underWay = useRef(false);
  const sending = useSending();
  const act = async (call: (signal: AbortSignal) => Promise<unknown>) => {
    if (underWay.current) return;
    underWay.current = true;
    setBusy(true);
    try {
      await sending.send(call);
      showToast('success', `${bot.nickname} has its API key`);
    } catch (error) {
      const words = isAbort(error)
        ? cancelledWords(`The change of the API key of ${bot.nickname}`)
        : `Failed to give the API key: ${messageOf(error)}`;
      showToast('error', words);
    }
    await Promise.all([apiKeysKey, botsKey, liveKey, botDetailsKey(bot.id)].map((queryKey) => queryClient.invalidateQueries({ queryKey })));
    underWay.current = false;
    setBusy(false);
  };
  return {
    isBusy,
    give: (keyId) =>
      act((signal) => api.updateBot({ params: { id: bot.id }, query: { mode: bot.mode }, body: { api_key_id: keyId } }, { signal })),
    giveSandboxKey: () =>
      act(async () => {
        const key = await api.newSandboxKey({});
        await api.addApiKey({ body: { ...key, exchange_id: 'sandbox', label: bot.nickname, bot_id: bot.id } });
      }),
    cancel: () => void sending.cancel(),
  };
}
