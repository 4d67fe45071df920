import { createStore, useStore } from 'zustand';
import type { Draft, DraftField } from './settings-draft.ts';
import { forgetWhenLeft } from '../ui/forget-when-left.ts';

/** What was entered. It outlives the page, so that opening another one loses nothing. */
const draftStore = createStore<{ draft: Draft }>(() => ({ draft: {} }));

forgetWhenLeft(() => draftStore.setState({ draft: {} }));

/** What was entered and not saved, followed. */
export function useDraft(): Draft {
  return useStore(draftStore, ({ draft }) => draft);
}

/** Puts another draft in place of the one before; an empty one discards it. */
export function setDraft(draft: Draft): void {
  draftStore.setState({ draft });
}

/** Forgets what was saved of a draft. What was entered meanwhile, after a look at another page, stays. */
export function dropSaved(saved: Draft): void {
  draftStore.setState(({ draft }) => ({
    draft: Object.fromEntries(Object.entries(draft).filter(([field, value]) => value !== saved[field as DraftField])),
  }));
}
