import { otherMode } from '#contract/bots.ts';
import type { CallReply } from '#contract/client.ts';
import { texts } from '#contract/errors.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { changeAddress } from '../../address/address.ts';
import { api } from '../../api/api.ts';
import { detailOf, messageOf } from '../../api/api-error.ts';
import { botDetailsKey } from '../../api/query-keys.ts';
import type { SendOptions } from '../../api/send.ts';
import { UnansweredKeys } from '../../api/unanswered-keys.ts';
import { apiKeysKey } from '../../api/use-api-keys.ts';
import { isAbort } from '../../live/until-aborted.ts';
import { isAdmin } from '../../session/permissions.ts';
import { useUser } from '../../session/use-session.ts';
import { showToast } from '../../ui/toast.ts';
import { cancelledWords } from '../../live/cancelled-words.ts';
import type { BotConfig } from '../use-bot-details.ts';
import { useSending } from '../../live/use-sending.ts';
import { toApiKey, toBotChanges, toNewBot } from './bot-bodies.ts';
import { isKeyTyped } from './bot-issue.ts';
import { dropDraftOf, noteSaved, noteStored } from './draft-store.ts';
import type { BotForm } from './use-bot-form.ts';
import { useShown } from './use-shown.ts';

/** Saving the form. */
export interface BotSaving {
  isBusy: boolean;
  failure: string | null;
  isOutdated: boolean; // somebody else has changed the bot meanwhile, or a cancelled step may have
  save: () => Promise<void>;
  cancel: () => void; // no further step or try of changing a bot goes out; what is saved stays saved
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
  const shown = useShown(form);
  const [keys] = useState(() => new UnansweredKeys());
  const sending = useSending();
  const keySaved = useRef<{ text: string; key: CallReply<'addApiKey'> } | null>(null); // that is stored already, when a later step failed

  const addKey = async (owner: { bot_id: string } | { user_email: string } | object, options: SendOptions = {}) => {
    const key = { ...toApiKey(form.entries, form.storedEntries), ...owner };
    const text = JSON.stringify(key);
    if (keySaved.current?.text !== text) keySaved.current = { text, key: await api.addApiKey({ body: key }, { ...options, keys }) };
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
    // Who has gone on meanwhile stays there, with what is typed there.
    if (shown.current === null) return noteSaved(null, null, typed);
    noteSaved(null, bot.id, typed);
    changeAddress({ bot: bot.id, pair: null });
  };
  /** Sends what has changed, step by step: `reached` gets the name of each step before it is sent. */
  const sendChanges = async (stored: BotConfig, reached: string[], signal: AbortSignal) => {
    const { entries, storedEntries } = form;
    const { id } = stored;
    const begin = (step: string) => {
      signal.throwIfAborted();
      reached.push(step);
    };
    const typesKey = entries.mode === 'live' && isKeyTyped(entries, storedEntries);
    const moves = entries.exchangeId !== stored.exchange_id;
    // A live bot goes to another exchange together with its key of there.
    let key = entries.mode === 'live' ? chosenKey : null;
    if (typesKey && moves) {
      begin('the API key');
      key = (await addKey(ofOwner(), { signal })).id;
    }
    const changes = toBotChanges(entries, storedEntries, key);
    begin('the settings');
    const input = { params: { id }, query: { mode: stored.mode }, body: changes };
    const bot = await api.updateBot(input, { version: stored.version, signal });
    let { version } = bot;
    noteStored({ ...stored, ...bot });
    if (typesKey && !moves) {
      begin('the API key');
      // With another key the bot trades with another account, which makes a version of its own.
      version = Math.max(version, (await addKey({ bot_id: id }, { version, signal })).bot_version ?? 0);
      noteStored({ ...stored, ...bot, version });
    }
    if (entries.mode !== stored.mode) {
      begin('the mode');
      const seen = entries.mode === 'live' ? { version } : {};
      await api.changeBotMode({ params: { id }, query: { mode: entries.mode } }, { ...seen, signal });
      showToast('success', `Bot mode changed to ${entries.mode}`);
    }
  };
  const update = async (stored: BotConfig, reached: string[]) => {
    const { id } = stored;
    const { typed } = form;
    await sending.send((signal) => sendChanges(stored, reached, signal));
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
    dropDraftOf(form.stored?.id ?? null);
    setFailure(null);
    setOutdated(false);
  };
  const save = async () => {
    if (underWay.current) return;
    underWay.current = true;
    setBusy(true);
    setFailure(null);
    const reached: string[] = [];
    try {
      await (form.stored === null ? create() : update(form.stored, reached));
      setOutdated(false);
    } catch (error) {
      const isCancelled = isAbort(error);
      const text = isCancelled
        ? cancelledWords(`The change of ${reached.at(-1)}`, reached.slice(0, -1))
        : `Failed to save bot: ${messageOf(error)}`;
      setFailure(text);
      const detail = detailOf(error);
      setOutdated(isCancelled || detail === texts.changedMeanwhile || detail === otherMode);
      showToast('error', text);
      // What was saved is seen there.
      if (isCancelled) void Promise.all([readAgain(), reload(), queryClient.invalidateQueries({ queryKey: apiKeysKey })]);
    } finally {
      underWay.current = false;
      setBusy(false);
    }
  };
  return { isBusy, failure, isOutdated, save, cancel: sending.cancel, loadNewest };
}
