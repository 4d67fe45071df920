import { expect, test } from 'vitest';
import type { ReplayFigures } from '../replay/replay-summary.ts';
import { honestWords } from './honest-words.ts';

const figures = (netPnl: number, maxDrawdown: number, trades: number): ReplayFigures => ({
  netPnl,
  maxDrawdown,
  trades,
  winRate: null,
  profitFactor: null,
  averageTrade: null,
  worstTrade: null,
  fees: 0,
  averageTimeMs: null,
});
const title = (draft: ReplayFigures, saved: ReplayFigures | null, tries: number) =>
  honestWords({ draft, saved, tries, days: 90 })?.title ?? null;

test('a first look at something that is not compared says nothing', () => {
  expect(title(figures(1, 1, 50), null, 1)).toBeNull();
  expect(title(figures(1, 1, 50), figures(1.001, 1, 50), 1)).toBeNull(); // the same to the cent
});

test('the cost of an edit stands beside its gain, with how often was tried', () => {
  expect(title(figures(2, 2, 50), figures(1, 1, 50), 23)).toBe('More profit, a deeper fall, and the 23rd try on these 90 days.');
  expect(title(figures(1, 1, 50), figures(2, 2, 50), 1)).toBe('Less profit, a smaller fall.');
  expect(title(figures(1, 2, 50), figures(1, 1, 50), 1)).toBe('The same profit, a deeper fall.');
  expect(title(figures(1, 2, 50), null, 2)).toBe('The 2nd try on these 90 days.');
  expect([11, 12, 13, 21, 101, 111].map((tries) => title(figures(1, 2, 50), null, tries)?.split(' ')[1])).toEqual([
    '11th',
    '12th',
    '13th',
    '21st',
    '101st',
    '111th',
  ]);
});

test('few trades prove nothing, and many tries find something by luck', () => {
  const text = (trades: number, tries: number) => honestWords({ draft: figures(1, 1, trades), saved: null, tries, days: 90 })?.text ?? '';
  expect(text(0, 2)).toMatch(/^Without a trade there is nothing to judge\./u);
  expect(text(1, 2)).toMatch(/^One trade proves nothing\./u);
  expect(text(58, 9)).toBe(
    '58 trades on one pair prove little. Of many tries on the same days the best one is partly luck: look at days and pairs you have not looked at.',
  );
  expect(text(300, 3)).toBe('300 trades are of one pair only. Look at other days and pairs too.');
});
