import { createStore, useStore } from 'zustand';
import { forgetWhenLeft } from '../ui/forget-when-left.ts';

/** What was entered, by `limitKey`; an empty text goes back to the default. */
export type Draft = Readonly<Record<string, string>>;

/** What was entered, by whose limits they are. It outlives the panel, so that opening another page loses nothing. */
const draftStore = createStore<Readonly<Record<string, Draft>>>(() => ({}));
const noDraft: Draft = {};

/** What was entered for somebody's limits and not saved, followed. */
export function useDraft(whose: string): Draft {
  return useStore(draftStore, (drafts) => drafts[whose] ?? noDraft);
}

/** Puts another draft in place of the one before; an empty one discards it. */
export function setDraft(whose: string, draft: Draft): void {
  draftStore.setState({ [whose]: draft });
}

/** Forgets what was saved of a draft. What was typed meanwhile, after a look at another page, stays. */
export function dropSaved(whose: string, saved: Draft): void {
  draftStore.setState(({ [whose]: draft = noDraft }) => ({
    [whose]: Object.fromEntries(Object.entries(draft).filter(([limit, text]) => text !== saved[limit])),
  }));
}

forgetWhenLeft(() => draftStore.setState({}, true));
