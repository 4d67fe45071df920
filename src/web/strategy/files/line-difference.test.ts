import { describe, expect, test } from 'vitest';
import { lineDifference } from './line-difference.ts';

const marks = { same: ' ', added: '+', removed: '-' } as const;
const said = (before: string, after: string): string[] => lineDifference(before, after).map(({ kind, text }) => `${marks[kind]}${text}`);

describe('the difference of two texts', () => {
  test.each([
    ['a\nb\nc', 'a\nb\nc', [' a', ' b', ' c']],
    ['a\nb\nc', 'a\nx\nc', [' a', '-b', '+x', ' c']],
    ['a\nb\nc\nd', 'b\nc\ny\nd', ['-a', ' b', ' c', '+y', ' d']],
    ['a', 'a\na', [' a', '+a']],
    ['a\na', 'a', [' a', '-a']],
    ['', 'a', ['-', '+a']],
  ])('of %j and %j', (before, after, lines) => {
    expect(said(before, after)).toEqual(lines);
  });

  test('gives back both texts, also where the table of lines would be too large', () => {
    const many = (count: number, word: string) => Array.from({ length: count }, (_, i) => `${word} ${(i * 7) % 13}`).join('\n');
    for (const [before, after] of [
      [many(40, 'x'), `${many(20, 'x')}\nnew\n${many(30, 'x')}`],
      [many(2_100, 'x'), many(2_100, 'y')],
    ] as const) {
      const lines = lineDifference(before, after);
      const of = (left: string) =>
        lines
          .filter(({ kind }) => kind !== left)
          .map(({ text }) => text)
          .join('\n');
      expect([of('added'), of('removed')]).toEqual([before, after]);
    }
  });
});
