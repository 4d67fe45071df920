import { emaCross } from '#engine/rules/templates/ema-cross.ts';
import { rsiReversal } from '#engine/rules/templates/rsi-reversal.ts';
import { beforeEach, expect, test } from 'vitest';
import { beginDraft, draftsStore, dropDraft, editDraft, isNewKey, noteSaved, openDrafts, rebaseDraft, undoDraft } from './drafts-store.ts';
import { recalledDrafts } from './draft-memory.ts';

const saved = { key: 'strategy-1', document: emaCross, version: 3 };
const titled = (title: string) => ({ ...emaCross, title });
const kept = (user = 'u1') =>
  [...recalledDrafts(user)].map(([key, { document, basedOn }]) => `${isNewKey(key) ? 'new' : key} ${document.title} ${basedOn}`);

beforeEach(() => {
  localStorage.clear();
  draftsStore.setState(draftsStore.getInitialState());
  openDrafts('u1');
});

test('a draft is kept with each edit, and comes back with the next visit of the same person', () => {
  editDraft('strategy-1', saved, titled('Dips'), 'title');
  beginDraft(rsiReversal);
  expect(kept()).toEqual(['new RSI reversal null', 'strategy-1 Dips 3']);
  expect(kept('u2')).toEqual([]);
  draftsStore.setState(draftsStore.getInitialState());
  openDrafts('u1');
  expect(kept()).toEqual(['new RSI reversal null', 'strategy-1 Dips 3']);
});

test('a draft that says what is saved again is not kept, and one that is dropped is gone', () => {
  editDraft('strategy-1', saved, titled('Dips'), 'title');
  undoDraft('strategy-1');
  expect(kept()).toEqual([]);
  const key = beginDraft(rsiReversal);
  dropDraft(key);
  expect(kept()).toEqual([]);
});

test('a draft continues from a version that somebody saved meanwhile, once its person has seen it', () => {
  editDraft('strategy-1', saved, titled('Dips'), 'title');
  rebaseDraft('strategy-1', { ...saved, document: titled('Theirs'), version: 4 });
  expect(kept()).toEqual(['strategy-1 Dips 4']);
});

test('what is edited while rules are being saved stays as a draft of what is saved', () => {
  editDraft('strategy-1', saved, titled('Dips'), 'title');
  noteSaved('strategy-1', { ...saved, document: titled('Dips'), version: 4 });
  expect(kept()).toEqual([]);
  editDraft('strategy-1', { ...saved, version: 4 }, titled('Dips'), 'title');
  const sent = titled('Dips');
  editDraft('strategy-1', { ...saved, version: 4 }, titled('Dips, later'), 'title');
  noteSaved('strategy-1', { ...saved, document: sent, version: 5 });
  expect(kept()).toEqual(['strategy-1 Dips, later 5']);
});

test('what is edited while new rules are being saved stays under the id that they get', () => {
  const key = beginDraft(rsiReversal);
  editDraft(key, null, { ...rsiReversal, title: 'Later' }, 'title');
  noteSaved(key, { key: 'strategy-2', document: rsiReversal, version: 1 });
  expect(kept()).toEqual(['strategy-2 Later 1']);
});

test('what the browser holds and cannot be read is left, and breaks nothing', () => {
  localStorage.setItem('rules-draft u1 broken', '{');
  localStorage.setItem('rules-draft u1 odd', JSON.stringify({ document: { version: 1 }, basedOn: 1 }));
  localStorage.setItem('rules-draft u1 odder', JSON.stringify({ document: emaCross, basedOn: '1' }));
  expect(kept()).toEqual([]);
  expect(localStorage.length).toBe(3);
});
