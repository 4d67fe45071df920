import { emaCross } from '#engine/rules/templates/ema-cross.ts';
import { expect, test } from 'vitest';
import { documentWords } from './document-words.ts';
import { markedWords } from './marked-words.ts';

const marks = (before: string[], after: string[]) =>
  markedWords(before, after).map((words) => words.map(({ text, isNew }) => (isNew ? `[${text}]` : text)).join(' '));

test('the words that an edit has brought are marked, sentence by sentence', () => {
  expect(
    marks(
      ['Enter when RSI 14 is below 30.', 'Exit when it is above 70.'],
      ['Enter when RSI 9 is below 30 today.', 'Exit when it is above 70.'],
    ),
  ).toEqual(['Enter when RSI [9] is below [30] [today.]', 'Exit when it is above 70.']);
  expect(marks(['One.'], ['One.'])).toEqual(['One.']);
  expect(marks([], ['A new one.'])).toEqual(['[A] [new] [one.]']);
  expect(marks(['Gone.', 'Stays.'], ['Stays.'])).toEqual(['Stays.']);
});

test('the settings that end a trade are said too', () => {
  expect(documentWords(emaCross).at(-1)).toBe(
    'Leave in any case by stop at -5.00%; by trailing stop 1.50% below the highest price, only from +3.00% on; by ROI at +6.00%, at +3.00% after 240 minutes, at +1.00% after 720 minutes. Candles of 5m.',
  );
});
