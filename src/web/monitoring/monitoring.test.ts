import { beforeEach, describe, expect, test } from 'vitest';
import { currentPrice } from './current-price.ts';
import { dashboardStore, keptOrFirst, resetDashboard, selectBot, selectPair, setPnlRange } from './dashboard-store.ts';
import { metricsText } from './metrics-text.ts';
import { pnlAfterLoad, pnlPointsMax } from './pnl-points.ts';

beforeEach(resetDashboard);

describe('choices', () => {
  test('OP-09, OP-48 both panels start shown, the range starts daily, nothing is selected', () => {
    expect(dashboardStore.getState()).toEqual({
      selectedBotId: null,
      selectedPair: null,
      pnlRange: 'daily',
      showPnl: true,
      showOrders: true,
      chosenBy: 'page',
    });
  });

  test('MON-30 another bot clears the pair; the same bot again keeps it', () => {
    selectBot('a');
    selectPair('BTC/USDT');
    selectBot('a');
    expect(dashboardStore.getState().selectedPair).toBe('BTC/USDT');
    selectBot('b');
    expect(dashboardStore.getState().selectedPair).toBeNull();
  });

  test('MON-37, MON-38 the range takes its four words and ignores any other', () => {
    for (const range of ['weekly', 'monthly', 'yearly', 'daily']) {
      setPnlRange(range);
      expect(dashboardStore.getState().pnlRange).toBe(range);
    }
    setPnlRange('hourly');
    setPnlRange('');
    expect(dashboardStore.getState().pnlRange).toBe('daily');
  });

  test('MON-26, MON-28 a loaded list selects its first entry; a choice still in it stays', () => {
    expect(keptOrFirst(null, ['a', 'b'])).toBe('a');
    expect(keptOrFirst('b', ['a', 'b'])).toBe('b');
    expect(keptOrFirst('c', ['a', 'b'])).toBe('a');
    expect(keptOrFirst('c', [])).toBeNull();
  });
});

describe('profit and loss points', () => {
  const points = (from: number, count: number) => Array.from({ length: count }, (_, i) => ({ time: from + i, pnl: i }));

  test('OP-51 the first answer gives the points, each later one appends its newest', () => {
    const first = pnlAfterLoad([], points(0, 3));
    expect(first).toEqual(points(0, 3));
    expect(pnlAfterLoad(first, [...points(1, 2), { time: 9, pnl: 7 }])).toEqual([...points(0, 3), { time: 9, pnl: 7 }]);
  });

  test('OP-51 a point with the time of a known one replaces it; an empty answer changes nothing', () => {
    expect(pnlAfterLoad(points(0, 3), [{ time: 2, pnl: 50 }])).toEqual([...points(0, 2), { time: 2, pnl: 50 }]);
    expect(pnlAfterLoad(points(0, 3), [])).toEqual(points(0, 3));
  });

  test('MON-36 only the last 100 points are kept', () => {
    expect(pnlPointsMax).toBe(100);
    expect(pnlAfterLoad([], points(0, 130))).toEqual(points(0, 130).slice(30));
    const after = pnlAfterLoad(points(0, 100), [{ time: 500, pnl: 1 }]);
    expect([after.length, after[0]?.time, after.at(-1)?.time]).toEqual([100, 1, 500]);
  });
});

describe('figures', () => {
  test('OP-46, MON-24 the metrics line', () => {
    expect(metricsText({ win_rate: 0.53333, trade_count: 12 }, 'EMA Cross')).toBe('Win Rate: 53.3% | Trades: 12 | Strategy: EMA Cross');
    expect(metricsText({ win_rate: 0, trade_count: 0 }, null)).toBe('Win Rate: 0.0% | Trades: 0 | Strategy: ');
  });

  test('OP-46 the current price is that of the last PnL answer until a chart poll brings a newer close', () => {
    const none = { value: undefined, loadedAt: 0 };
    expect(currentPrice(none, none)).toBeNull();
    expect(currentPrice({ value: 10, loadedAt: 5 }, none)).toBe(10);
    expect(currentPrice({ value: 10, loadedAt: 5 }, { value: 11, loadedAt: 6 })).toBe(11);
    expect(currentPrice({ value: 10, loadedAt: 9 }, { value: 11, loadedAt: 6 })).toBe(10);
    expect(currentPrice({ value: null, loadedAt: 9 }, { value: 11, loadedAt: 6 })).toBe(11);
  });
});
