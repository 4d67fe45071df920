import { otherMode } from '#contract/bots.ts';
import type { CallReply } from '#contract/client.ts';
import { texts } from '#contract/errors.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { changeAddress } from '../../address/address.ts';
import { api } from '../../api/api.ts';
import { detailOf, messageOf } from '../../api/api-error.ts';
import { botDetailsKey } from '../../api/query-keys.ts';
import { UnansweredKeys } from '../../api/unanswered-keys.ts';
import { isAdmin } from '../../session/permissions.ts';
import { useUser } from '../../session/use-session.ts';
import { showToast } from '../../ui/toast.ts';
import type { BotConfig } from '../use-bot-details.ts';
import { toApiKey, toBotChanges, toNewBot } from './bot-bodies.ts';
import { isKeyTyped } from './bot-issue.ts';
import { noteSaved, noteStored, resetDraft } from './draft-store.ts';
import type { BotForm } from './use-bot-form.ts';

/** Saving the form. */
export interface BotSaving {
  isBusy: boolean;
  failure: string | null;
  isOutdated: boolean; // somebody else has changed the bot meanwhile
  save: () => Promise<void>;
  loadNewest: () => Promise<void>; // drops what was typed
}

/** Saves a new or changed bot by its calls, one after the other; a second click while they run does nothing. */
export function useSaveBot(form: BotForm, reload: () => Promise<void>): BotSaving {
  const queryClient = useQueryClient();
  const user = useUser();
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const [isOutdated, setOutdated] = useState(false);
  const underWay = useRef(false);
  const [keys] = useState(() => new UnansweredKeys());
  const keySaved = useRef<{ text: string; key: CallReply<'addApiKey'> } | null>(null); // that is stored already, when a later step failed

  const addKey = async (owner: { bot_id: string } | { user_email: string } | object, version?: number) => {
    const key = { ...toApiKey(form.entries, form.storedEntries), ...owner };
    const text = JSON.stringify(key);
    if (keySaved.current?.text !== text)
      keySaved.current = { text, key: await api.addApiKey({ body: key }, version === undefined ? {} : { version }) };
    return keySaved.current.key;
  };
  const ofOwner = () => (isAdmin(user) ? { user_email: form.entries.userEmail.trim() } : {});
  const chosenKey = form.entries.storedKey === '' ? null : form.entries.storedKey;
  const create = async () => {
    const { entries, typed } = form;
    const key = entries.mode === 'live' ? (chosenKey ?? (await addKey(ofOwner())).id) : null;
    const bot = await api.createBot({ body: toNewBot(entries, key) }, { keys });
    showToast('success', 'Bot created successfully');
    await reload();
    noteSaved(null, bot.id, typed);
    changeAddress({ bot: bot.id, pair: null });
  };
  const update = async (stored: BotConfig) => {
    const { entries, storedEntries, typed } = form;
    const { id } = stored;
    const typesKey = entries.mode === 'live' && isKeyTyped(entries, storedEntries);
    const moves = entries.exchangeId !== stored.exchange_id;
    // A live bot goes to another exchange together with its key of there.
    const key = typesKey && moves ? (await addKey(ofOwner())).id : entries.mode === 'live' ? chosenKey : null;
    const changes = toBotChanges(entries, storedEntries, key);
    const bot = await api.updateBot({ params: { id }, query: { mode: stored.mode }, body: changes }, { version: stored.version });
    let { version } = bot;
    noteStored({ ...stored, ...bot });
    if (typesKey && !moves) {
      // With another key the bot trades with another account, which makes a version of its own.
      version = Math.max(version, (await addKey({ bot_id: id }, version)).bot_version ?? 0);
      noteStored({ ...stored, ...bot, version });
    }
    if (entries.mode !== stored.mode) {
      await api.changeBotMode({ params: { id }, query: { mode: entries.mode } }, entries.mode === 'live' ? { version } : {});
      showToast('success', `Bot mode changed to ${entries.mode}`);
    }
    showToast('success', 'Bot updated successfully');
    await readAgain();
    noteSaved(id, id, typed);
    await reload();
  };
  const readAgain = async () => {
    if (form.stored !== null) await queryClient.refetchQueries({ queryKey: botDetailsKey(form.stored.id) });
  };
  const loadNewest = async () => {
    await Promise.all([readAgain(), reload()]);
    resetDraft();
    setFailure(null);
    setOutdated(false);
  };
  const save = async () => {
    if (underWay.current) return;
    underWay.current = true;
    setBusy(true);
    setFailure(null);
    try {
      await (form.stored === null ? create() : update(form.stored));
      setOutdated(false);
    } catch (error) {
      const text = `Failed to save bot: ${messageOf(error)}`;
      setFailure(text);
      const detail = detailOf(error);
      setOutdated(detail === texts.changedMeanwhile || detail === otherMode);
      showToast('error', text);
    } finally {
      underWay.current = false;
      setBusy(false);
    }
  };
  return { isBusy, failure, isOutdated, save, loadNewest };
}
