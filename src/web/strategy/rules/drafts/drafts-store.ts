import type { RulesDocument } from '#engine/rules/document.ts';
import { createStore, useStore } from 'zustand';
import type { EditHistory } from '../edit/edit-history.ts';
import { edited, freshHistory, redone, undone } from '../edit/edit-history.ts';
import { isSamePiece } from '../edit/same-piece.ts';
import { forgetDraft, recalledDrafts, rememberDraft } from './draft-memory.ts';

/** Rules that were edited, or begun, and are not saved. */
export interface RulesDraft {
  key: string; // the id of the strategy, or `newKey` of one that is not saved yet
  history: EditHistory;
  basedOn: number | null; // the version it began with; null: nothing is saved yet
  saved: RulesDocument | null; // that version, where it is known
  editedAt: number; // ms since the page was opened; for how long an answer takes
}

interface Drafts {
  userId: string | null; // whose they are
  drafts: ReadonlyMap<string, RulesDraft>;
}

/** What people have edited and not saved; it outlives the tab. */
export const draftsStore = createStore<Drafts>(() => ({ userId: null, drafts: new Map() }));

/** Where the key of rules that are not saved yet begins. */
const newPrefix = 'new-';

/** Whether the key is that of rules that are not saved yet. */
export function isNewKey(key: string): boolean {
  return key.startsWith(newPrefix);
}

/** Brings the drafts of a person back from the last visit; those of another person are left. */
export function openDrafts(userId: string): void {
  if (draftsStore.getState().userId === userId) return;
  const recalled = [...recalledDrafts(userId)].map(([key, { document, basedOn }]): [string, RulesDraft] => [
    key,
    { key, history: freshHistory(document), basedOn, saved: null, editedAt: 0 },
  ]);
  draftsStore.setState({ userId, drafts: new Map(recalled) });
}

/** The drafts, followed. */
export function useDrafts(): ReadonlyMap<string, RulesDraft> {
  return useStore(draftsStore, ({ drafts }) => drafts);
}

/** Whose drafts are open, followed; null before any are. */
export function useDraftsOwner(): string | null {
  return useStore(draftsStore, ({ userId }) => userId);
}

/** Begins rules that are not saved yet; gives their key. */
export function beginDraft(document: RulesDocument): string {
  const key = `${newPrefix}${crypto.randomUUID()}`;
  put({ key, history: freshHistory(document), basedOn: null, saved: null, editedAt: performance.now() });
  return key;
}

/** What is saved of rules when an edit begins a draft of them. */
export interface SavedRules {
  key: string;
  document: RulesDocument;
  version: number;
}

/** Notes an edit. `place` is what was edited: edits of one place are undone together. */
export function editDraft(key: string, saved: SavedRules | null, document: RulesDocument, place: string): void {
  const now = performance.now();
  const before = draftsStore.getState().drafts.get(key) ?? begun(saved);
  if (before !== null) put({ ...before, history: edited(before.history, document, place, now), editedAt: now });
}

/** Takes the last edit back. */
export function undoDraft(key: string): void {
  change(key, undone);
}

/** Redoes what was undone. */
export function redoDraft(key: string): void {
  change(key, redone);
}

/** Lets a draft continue from another version than it began with: the person has seen that there is one. */
export function rebaseDraft(key: string, { document, version }: SavedRules): void {
  const draft = draftsStore.getState().drafts.get(key);
  if (draft !== undefined) put({ ...draft, basedOn: version, saved: document });
}

/** Notes that rules are saved now. What was edited while they were on their way stays as a draft of what is saved. */
export function noteSaved(key: string, saved: SavedRules): void {
  const draft = draftsStore.getState().drafts.get(key);
  dropDraft(key);
  if (draft !== undefined && !isSamePiece(draft.history.document, saved.document))
    put({ ...draft, key: saved.key, basedOn: saved.version, saved: saved.document });
}

/** Drops a draft. */
export function dropDraft(key: string): void {
  const { userId, drafts } = draftsStore.getState();
  const left = new Map(drafts);
  left.delete(key);
  draftsStore.setState({ drafts: left });
  if (userId !== null) forgetDraft(userId, key);
}

function begun(saved: SavedRules | null): RulesDraft | null {
  if (saved === null) return null;
  const { key, document, version } = saved;
  return { key, history: freshHistory(document), basedOn: version, saved: document, editedAt: 0 };
}

function change(key: string, to: (history: EditHistory) => EditHistory): void {
  const draft = draftsStore.getState().drafts.get(key);
  if (draft !== undefined) put({ ...draft, history: to(draft.history), editedAt: performance.now() });
}

function put(draft: RulesDraft): void {
  const { userId, drafts } = draftsStore.getState();
  draftsStore.setState({ drafts: new Map(drafts).set(draft.key, draft) });
  if (userId === null) return;
  const { document } = draft.history;
  // A draft that says what is saved is none; undo still leads back to what it was.
  if (draft.saved !== null && isSamePiece(document, draft.saved)) forgetDraft(userId, draft.key);
  else rememberDraft(userId, draft.key, { document, basedOn: draft.basedOn });
}
