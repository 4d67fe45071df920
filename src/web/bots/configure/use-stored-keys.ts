import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { api } from '../../api/api.ts';
import { messageOf } from '../../api/api-error.ts';
import { apiKeysKey, useApiKeys } from '../../api/use-api-keys.ts';
import { isAdmin } from '../../session/permissions.ts';
import { useUser } from '../../session/use-session.ts';
import { showToast } from '../../ui/toast.ts';
import { keyChoice, keyName, sharedWith } from '../keys/key-names.ts';
import type { BotForm } from './use-bot-form.ts';
import { useShown } from './use-shown.ts';

/** The keys that the bot of a form may be given. */
export interface StoredKeys {
  keys: { value: string; label: string }[];
  sharing: string | null; // whose account the bot has with the key that is chosen, or with its own
  isGetting: boolean;
  getSandboxKey: (() => Promise<void>) | null; // gets one of the sandbox, stores and chooses it; null at other exchanges
}

/** Follows the keys that the bot of the form may be given: those of its exchange, while the person who looks owns the bot. */
export function useStoredKeys(form: BotForm): StoredKeys {
  const { entries, stored } = form;
  const user = useUser();
  const queryClient = useQueryClient();
  const [got, setGot] = useState<{ value: string; label: string } | null>(null);
  const [isGetting, setGetting] = useState(false);
  const underWay = useRef(false);
  const shown = useShown(form);
  const isOwn = user !== null && (stored === null ? entries.userEmail.trim().toLowerCase() === user.email : stored.user_id === user.userId);
  const { data = [] } = useApiKeys(isOwn);
  const botId = stored?.id ?? null;
  const own = isOwn ? data.filter(({ exchange }) => exchange === entries.exchangeId) : [];
  const chosen = own.find(({ id, bots }) => (entries.storedKey === '' ? bots.some((bot) => bot.id === botId) : id === entries.storedKey));

  const getSandboxKey = async () => {
    if (underWay.current) return;
    underWay.current = true;
    setGetting(true);
    try {
      const key = await api.newSandboxKey({});
      const label = entries.nickname.trim();
      const ofOwner = isAdmin(user) && !isOwn ? { user_email: entries.userEmail.trim() } : {};
      const { id } = await api.addApiKey({ body: { ...key, exchange_id: 'sandbox', ...(label === '' ? {} : { label }), ...ofOwner } });
      setGot({ value: id, label: keyName({ label: label === '' ? null : label, key_hint: key.key.slice(-4) }) });
      await queryClient.invalidateQueries({ queryKey: apiKeysKey });
      // Where the form is of another bot, exchange or owner by now, the key is not one to choose.
      const now = shown.current;
      const isFor = now !== null && now.entries.exchangeId === 'sandbox' && now.entries.userEmail === entries.userEmail;
      if (isFor) now.change({ storedKey: id });
      showToast('success', isFor ? 'A sandbox key is stored and chosen' : 'A sandbox key is stored');
    } catch (error) {
      showToast('error', `Failed to get a sandbox key: ${messageOf(error)}`);
    }
    underWay.current = false;
    setGetting(false);
  };

  const offered = own.map((key) => ({ value: key.id, label: keyChoice(key, botId) }));
  const isUnlisted = got !== null && got.value === entries.storedKey && !own.some(({ id }) => id === got.value);
  return {
    keys: isUnlisted ? [got, ...offered] : offered,
    sharing: chosen === undefined ? null : sharedWith(chosen, botId),
    isGetting,
    getSandboxKey: entries.exchangeId === 'sandbox' ? getSandboxKey : null,
  };
}
