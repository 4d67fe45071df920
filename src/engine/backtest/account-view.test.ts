import { expect, test } from 'vitest';
import type { AccountView } from './account-view.ts';
import { f, simulate, z } from './testing/scenario.ts';

test('who watches a backtest sees its trades and its wallet as they are at each question', () => {
  let account: AccountView | null = null;
  const seen: unknown[] = [];
  const note = (what: string): void => {
    const { free, tied, available } = account!.wallet();
    const symbols = (trades: readonly { symbol: string }[]): string => trades.map(({ symbol }) => symbol).join('');
    seen.push([
      what,
      symbols(account!.openTrades()),
      symbols(account!.closedTrades()),
      Math.round(free),
      Math.round(tied),
      Math.round(available),
    ]);
  };
  simulate({
    pairs: { A: { candles: [z, f, f, f, f, f], enter: [0], exit: [2] }, B: { candles: [z, f, f, f, f, f], enter: [1, 3] } },
    callbacks: {
      confirmEntry: ({ symbol }) => (note(`enter ${symbol}`), symbol === 'A' || seen.length > 3),
      confirmExit: ({ trade }) => (note(`exit ${trade.symbol}`), true),
    },
    watch: (given) => (account = given),
  });
  expect(seen).toEqual([
    ['enter A', '', '', 10_000, 0, 10_000],
    ['enter B', 'A', '', 9_000, 1_000, 9_000],
    ['exit A', 'A', '', 9_000, 1_000, 9_000],
    ['enter B', '', 'A', 9_998, 0, 9_998],
  ]);
});
