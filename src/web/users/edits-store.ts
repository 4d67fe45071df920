import { createStore, useStore } from 'zustand';
import type { UserEdits } from './user-edits.ts';
import { noEdits } from './user-edits.ts';
import { forgetWhenLeft } from '../ui/forget-when-left.ts';

/** The pending edits. They outlive the tab, so that a look at another one loses nothing; not the person's dashboard. */
const editsStore = createStore<{ edits: UserEdits }>(() => ({ edits: noEdits }));

/** The pending edits, followed. */
export function useEdits(): UserEdits {
  return useStore(editsStore, ({ edits }) => edits);
}

/** Changes the pending edits. */
export function changeEdits(change: (edits: UserEdits) => UserEdits): void {
  editsStore.setState(({ edits }) => ({ edits: change(edits) }));
}

/** Drops all pending edits. */
export function discardEdits(): void {
  editsStore.setState({ edits: noEdits });
}
forgetWhenLeft(discardEdits);
