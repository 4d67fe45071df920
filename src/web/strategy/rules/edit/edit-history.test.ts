import { emaCross } from '#engine/rules/templates/ema-cross.ts';
import { expect, test } from 'vitest';
import { edited, freshHistory, redone, undone } from './edit-history.ts';

const titled = (title: string) => ({ ...emaCross, title });
const title = ({ document }: { document: { title: string } }) => document.title;

test('an edit is undone and done again; a new one ends what could be done again', () => {
  const a = freshHistory(titled('a'));
  const c = edited(edited(a, titled('b'), 'one', 0), titled('c'), 'two', 10);
  expect([title(undone(c)), title(undone(undone(c))), title(undone(undone(undone(c))))]).toEqual(['b', 'a', 'a']);
  expect(title(redone(undone(c)))).toBe('c');
  expect(title(redone(redone(undone(undone(c)))))).toBe('c');
  const other = edited(undone(c), titled('d'), 'two', 20);
  expect([title(redone(other)), title(undone(other))]).toEqual(['d', 'b']);
});

test('edits of one place that follow each other quickly are undone together, later ones are not', () => {
  const first = edited(freshHistory(titled('a')), titled('3'), 'n', 1_000);
  const typed = edited(first, titled('34'), 'n', 1_400);
  expect(title(undone(typed))).toBe('a');
  expect(title(undone(edited(first, titled('34'), 'n', 2_500)))).toBe('3');
  expect(title(undone(edited(first, titled('34'), 'other', 1_100)))).toBe('3');
  expect(title(undone(edited(undone(typed), titled('5'), 'n', 1_500)))).toBe('a'); // not together with what was undone
});

test('an edit that changes nothing is none', () => {
  const history = freshHistory(emaCross);
  expect(edited(history, emaCross, 'n', 0)).toBe(history);
});
