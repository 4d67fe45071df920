import { describe, expect, test } from 'vitest';
import type { WhatIfFigures, WhatIfReport } from '#engine/lab/what-if/what-if-report.ts';
import { drawnTrades } from './drawn-trades.ts';
import { figureRows } from './figure-rows.ts';
import { changesOf, stepped } from './slider-list.ts';
import { verdictOf } from './verdict.ts';

const figures: WhatIfFigures = { netPnl: 100, trades: 40, winRate: 0.5, maxDrawdown: 50, losingStreak: 4, fees: 20, sharpe: 1 };
const report = (changes: Partial<WhatIfFigures>, fingerprint = 'b'): WhatIfReport => ({
  fingerprint,
  startTime: 0,
  endTime: 1,
  figures: { ...figures, ...changes },
  trades: [],
  equity: [],
  noTrades: null,
  stopped: null,
});

describe('what a change is worth, in words', () => {
  test.each<[Partial<WhatIfFigures>, string]>([
    [
      { netPnl: 150, maxDrawdown: 70, sharpe: 0.8 },
      'More profit, a deeper fall and a lower Sharpe ratio: this is more risk, not a better bot.',
    ],
    [
      { netPnl: 150, maxDrawdown: 70, sharpe: 1.2 },
      'More profit, a deeper fall and a higher Sharpe ratio: this is more risk, better paid on these candles.',
    ],
    [
      { netPnl: 150, maxDrawdown: 40, sharpe: 1.2 },
      'More profit, a smaller fall and a higher Sharpe ratio: better on these candles; others have to show whether it was luck.',
    ],
    [{ netPnl: 150, sharpe: 0.8 }, 'More profit and a lower Sharpe ratio: the profit comes less evenly.'],
    [
      { netPnl: 50, maxDrawdown: 40, sharpe: 0.8 },
      'Less profit, a smaller fall and a lower Sharpe ratio: this is less risk, and less for it.',
    ],
    [{ netPnl: 50, maxDrawdown: 70, sharpe: null }, 'Less profit and a deeper fall: worse in both.'],
    [{ maxDrawdown: 40 }, 'The same profit and a smaller fall: the same for less risk.'],
    [{ netPnl: 100.001 }, 'The same profit: another way to the same end.'],
  ])('%j', (changes, title) => {
    expect(verdictOf(report({}, 'a'), report(changes), 1).title).toBe(title);
  });

  test('the same trades are said as such, whatever rounds otherwise', () => {
    expect(verdictOf(report({}), report({}), 3).title).toBe('The same trades: on these candles the change decides nothing.');
  });

  test('few trades prove nothing, and many tries are luck', () => {
    expect(verdictOf(report({}, 'a'), report({ trades: 1 }), 12).text).toBe(
      'One trade proves nothing. 12 settings were tried here: the more are tried, the more of the best result is luck.',
    );
    expect(verdictOf(report({}, 'a'), report({}), 1).text).toBe('Other pairs and other days have to show whether it holds.');
  });
});

test('a difference is coloured by whether it is a gain, and not at all where it is neither or cannot be seen', () => {
  const rows = figureRows(
    figures,
    { netPnl: 101, trades: 30, winRate: 0.4, maxDrawdown: 60, losingStreak: 4, fees: 10, sharpe: null },
    'USDT',
  );
  expect(rows.map(({ name, difference, tone }) => [name, difference, tone])).toEqual([
    ['Net PNL', '+$1.00', 'up'],
    ['Trades', '-10', 'flat'],
    ['Win Rate', '-10.0 pp', 'down'],
    ['Max Drawdown', '$10.00 deeper', 'down'],
    ['Longest losing streak', '+0', 'flat'],
    ['Fees', '-$10.00', 'up'],
    ['Sharpe', '—', 'flat'],
  ]);
});

test('what was turned becomes changes, parameters by themselves', () => {
  expect(changesOf({ stoploss: -0.01, 'parameters.fast': 3, 'parameters.slow': 9 })).toEqual({
    stoploss: -0.01,
    parameters: { fast: 3, slow: 9 },
  });
  expect(changesOf({ fee: 0 })).toEqual({ fee: 0 });
});

test('a slider stands on its steps, without the noise of adding them', () => {
  expect(stepped({ min: -0.2, step: 0.001 }, -0.05200000000000002)).toBe(-0.052);
  expect(stepped({ min: 0, step: 0.00005 }, 0.00105)).toBe(0.00105);
  expect(stepped({ min: 5, step: 1 }, 12)).toBe(12);
});

test('trades of the change are drawn, and how it really went beside those that ended otherwise or are gone', () => {
  const trade = (openTime: number, closeTime: number, changes: object = {}) => ({
    symbol: 'A/B',
    direction: 'long' as const,
    openTime,
    closeTime,
    entryPrice: 1,
    exitPrice: 2,
    profit: 1,
    exitReason: 'trailing_stop_loss',
    ...changes,
  });
  const real = [trade(1, 5), trade(10, 15), trade(20, 25), trade(20, 26, { symbol: 'C/D' })];
  const whatIf = [trade(1, 5), trade(10, 12), trade(30, 35)];
  const drawn = drawnTrades(real, whatIf, 'A/B');
  expect(drawn.map(({ kind, openTime, closeTime }) => [kind, openTime, closeTime])).toEqual([
    ['same', 1, 5],
    ['changed', 10, 12],
    ['added', 30, 35],
    ['real', 10, 15],
    ['removed', 20, 25],
  ]);
  expect(drawn.every(({ isStop }) => isStop)).toBe(true);
  expect(new Set(drawn.map(({ id }) => id)).size).toBe(drawn.length);
});
