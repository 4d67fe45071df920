import { tooSmallToSell } from '#engine/bot/execution.ts';
import { soldOnExchange } from '#engine/bot/held-elsewhere.ts';
import { manualPartTag, manualTag } from '#engine/bot/manual-action.ts';
import { stopOnExchange } from '#engine/bot/stop-order.ts';
import { expect, test } from 'vitest';
import { exitWords, tagWords, testedExitWords } from './exit-words.ts';

test('why a trade ended is said in words, not by the names of the engine', () => {
  expect(['force_exit', 'roi', 'trailing_stop_loss', 'cross-down', 'middle'].map(exitWords)).toEqual([
    'closed by hand',
    'profit target',
    'trailing stop',
    'signal: cross down',
    'signal: middle',
  ]);
});

test('what exchanges and people have done is said as well, by the names that the engine gives it', () => {
  expect([stopOnExchange, soldOnExchange, manualPartTag, tooSmallToSell].map(exitWords)).toEqual([
    'stop loss at the exchange',
    'sold outside the bot',
    'part taken out by hand',
    'rest too small to sell',
  ]);
  expect(tagWords(manualTag)).toBe('by hand');
});

test('what is open when a backtest ends was not closed by hand', () => {
  expect(testedExitWords('force_exit')).toBe('end of the test');
  expect(testedExitWords('stop_loss')).toBe('stop loss');
});

test('the name of a signal is read as words', () => {
  expect(tagWords('squeeze-breakout')).toBe('squeeze breakout');
});
