import { createStore, useStore } from 'zustand';
import type { BotConfig } from '../use-bot-details.ts';
import type { BotEntries } from './bot-entries.ts';

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

/** Notes that a step of saving is done: what was stored is now this. What was typed stays. */
export function noteStored(stored: BotConfig): void {
  draftStore.setState(({ botId, changes }) => ({ botId: stored.id, stored, changes: botId === stored.id ? changes : {} }));
}

/** Whether something is typed and not saved. */
export function hasDraft(): boolean {
  return Object.keys(draftStore.getState().changes).length > 0;
}

/** Forgets what was typed. */
export function resetDraft(): void {
  draftStore.setState(empty);
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
