import { createStore, useStore } from 'zustand';
import type { Draft } from './strategy-draft.ts';
import { forgetWhenLeft } from '../ui/forget-when-left.ts';

interface Kept {
  strategyId: string | null;
  draft: Draft;
}

/** What was typed, of one strategy. It outlives the tab, so that a look at another one loses nothing. */
const draftStore = createStore<Kept>(() => ({ strategyId: null, draft: {} }));

const none: Draft = {};

/** What was typed for the strategy and not saved, followed. */
export function useDraft(strategyId: string): Draft {
  return useStore(draftStore, (kept) => (kept.strategyId === strategyId ? kept.draft : none));
}

/** Changes what was typed for the strategy; what was typed for another one is dropped. */
export function changeDraft(strategyId: string, change: (draft: Draft) => Draft): void {
  draftStore.setState((kept) => ({ strategyId, draft: change(kept.strategyId === strategyId ? kept.draft : none) }));
}

/** Drops what was typed for this strategy; what is typed for another one by now stays. */
export function discardDraftOf(strategyId: string): void {
  if (draftStore.getState().strategyId === strategyId) discardDraft();
}

/** Drops what was typed. */
export function discardDraft(): void {
  draftStore.setState({ strategyId: null, draft: none });
}
forgetWhenLeft(discardDraft);
