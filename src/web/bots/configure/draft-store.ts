import { createStore, useStore } from 'zustand';
import type { BotConfig } from '../use-bot-details.ts';
import type { BotEntries } from './bot-entries.ts';
import { forgetWhenLeft } from '../../ui/forget-when-left.ts';

/** What was typed into the form and is not saved yet. */
interface Draft {
  botId: string | null; // null: of a new bot
  stored: BotConfig | null; // as the bot was when typing began; what is newer must not be overwritten unseen
  changes: Partial<BotEntries>;
}

const empty: Draft = { botId: null, stored: null, changes: {} };

const draftStore = createStore<Draft>(() => empty);

/** Adds to what was typed about this bot; what was typed about another one is dropped. */
export function typeInto(botId: string | null, stored: BotConfig | null, changes: Partial<BotEntries>): void {
  draftStore.setState((before) =>
    before.botId === botId ? { stored: before.stored ?? stored, changes: { ...before.changes, ...changes } } : { botId, stored, changes },
  );
}

/** Notes that a step of saving is done: what was stored is now this. What was typed stays, about this bot or another one. */
export function noteStored(stored: BotConfig): void {
  draftStore.setState(({ botId, stored: before, changes }) =>
    botId === stored.id ? { botId, stored, changes } : { botId, stored: before, changes },
  );
}

/**
 * Notes that what was typed about `from` is saved now, in the bot with the id `to`, or in one that is not shown. What has been typed since
 * it was sent stays, over what is stored now.
 */
export function noteSaved(from: string | null, to: string | null, sent: Partial<BotEntries>): void {
  draftStore.setState(({ botId, stored, changes }) => {
    if (botId !== from) return { botId, stored, changes };
    const since = Object.entries(changes).filter(([field, value]) => value !== sent[field as keyof BotEntries]);
    return since.length === 0 ? empty : { botId: to, stored: null, changes: Object.fromEntries(since) };
  });
}

/** Whether something is typed and not saved. */
export function hasDraft(): boolean {
  return Object.keys(draftStore.getState().changes).length > 0;
}

/** Forgets what was typed. */
export function resetDraft(): void {
  draftStore.setState(empty);
}
forgetWhenLeft(resetDraft);

/** Forgets what was typed about this bot. */
export function dropDraftOf(botId: string | null): void {
  if (draftStore.getState().botId === botId) resetDraft();
}

/** Forgets what was typed about another bot than this one. */
export function keepDraftOf(botId: string | null): void {
  if (draftStore.getState().botId !== botId) resetDraft();
}

/** What was typed about this bot. */
export function useDraft(botId: string | null): Draft {
  const draft = useStore(draftStore);
  return draft.botId === botId ? draft : empty;
}
