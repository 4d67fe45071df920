import { expect, test } from 'vitest';
import type { WaitingQuestion } from './waiting-questions.ts';
import { WaitingQuestions } from './waiting-questions.ts';

/** Questions that wait, in the sequence of their letters: small ones are about candles, of the pair behind the colon. */
function waiting(...texts: string[]) {
  const questions = new WaitingQuestions<WaitingQuestion & { text: string }>();
  let id = 0;
  const ask = (...more: string[]): void => {
    for (const text of more) {
      const [letter = '', pair] = text.split(':');
      questions.add({ id: ++id, isAboutCandles: letter === letter.toLowerCase(), pair, text });
    }
  };
  ask(...texts);
  const take = (count: number): string => Array.from({ length: count }, () => questions.next()?.text ?? 'none').join(' ');
  return { questions, ask, take };
}

test('what is not about candles comes first, each kind in its sequence', () => {
  const { questions, take } = waiting('a', 'B', 'c', 'D');
  expect(questions.size).toBe(4);
  expect(take(5)).toBe('B D a c none');
  expect(questions.size).toBe(0);
});

test('candles on which an answer may depend come before it where they were asked for before, and no others', () => {
  expect(waiting('a:x', 'b:y', 'c:y', 'D:y', 'e:y', 'F:x').take(6)).toBe('b:y c:y D:y a:x F:x e:y');
  expect(waiting('a', 'B').take(2)).toBe('B a'); // of no pair: of none in common
});

test('what is about candles waits for none but those that waited before it began to be its turn', () => {
  const { ask, take } = waiting('a', 'b', 'C', 'D');
  expect(take(1)).toBe('C');
  ask('E', 'F'); // answered at once, a bot asks the next
  expect(take(1)).toBe('D');
  ask('G', 'H');
  expect(take(1)).toBe('a');
  ask('I');
  expect(take(5)).toBe('E F G H I');
  ask('J');
  expect(take(3)).toBe('b J none');
});

test('candles that come while others are answered wait for those that are there, also where none waited before', () => {
  const { ask, take } = waiting('A', 'B');
  expect(take(1)).toBe('A');
  ask('c', 'd', 'E');
  expect(take(4)).toBe('B E c d');
});

test('all that wait are given in the sequence in which they were asked', () => {
  const { questions, take } = waiting('a', 'B', 'c', 'D');
  expect(questions.takeAll().map(({ text }) => text)).toEqual(['a', 'B', 'c', 'D']);
  expect([questions.size, take(1)]).toEqual([0, 'none']);
});
