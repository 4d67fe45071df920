import { createStore, useStore } from 'zustand';
import { forgetWhenLeft } from '../ui/forget-when-left.ts';

/** Comments that were typed and not saved, by trade. They outlive the tab, so that a look at another one loses nothing. */
const draftsStore = createStore<{ drafts: Readonly<Record<string, string>> }>(() => ({ drafts: {} }));

/** The comments that were typed and not saved, followed. */
export function useDrafts(): Readonly<Record<string, string>> {
  return useStore(draftsStore, ({ drafts }) => drafts);
}

/** Notes what was typed for a trade. */
export function setDraft(tradeId: string, comment: string): void {
  draftsStore.setState(({ drafts }) => ({ drafts: { ...drafts, [tradeId]: comment } }));
}

/** Forgets what was typed for a trade, unless something else has been typed since. */
export function dropDraft(tradeId: string, comment: string): void {
  draftsStore.setState(({ drafts }) => {
    const { [tradeId]: draft, ...others } = drafts;
    return { drafts: draft === comment ? others : drafts };
  });
}

/** Forgets all that was typed. */
export function discardDrafts(): void {
  draftsStore.setState({ drafts: {} });
}
forgetWhenLeft(discardDrafts);
