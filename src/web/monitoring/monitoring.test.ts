import { beforeEach, describe, expect, test } from 'vitest';
import { afterAnswer, lineAfter } from './chart-answer.ts';
import { currentPrice, unrealizedAt } from './current-price.ts';
import { dashboardStore, keptOrFirst, resetDashboard, selectBot, selectPair, setPnlRange } from './dashboard-store.ts';
import { metricsText } from './metrics-text.ts';
import { pnlAfterLoad, pnlNow, pnlPointsMax, withStart } from './pnl-points.ts';

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

  test('OP-51, OP-70 between two loads the current point moves with the price', () => {
    expect(pnlNow(points(0, 3), -1.5, 9)).toEqual([...points(0, 2), { time: 9, pnl: 0.5 }]);
    expect(pnlNow(points(0, 3), -1.5, 2)).toEqual(points(0, 3));
    expect(pnlNow(points(0, 3), -1.5, undefined)).toEqual(points(0, 3));
    expect(pnlNow([], 3, 9)).toEqual([]);
  });

  test('a line whose oldest points have made room for newer ones still begins where the range began', () => {
    const loaded = pnlAfterLoad([], points(0, 100));
    const after = pnlAfterLoad(loaded, [
      { time: 3, pnl: 3 },
      { time: 200, pnl: 7 },
    ]);
    expect(after[0]?.time).toBe(1);
    expect(withStart(after, { time: 3, pnl: 2.5 }).slice(0, 2)).toEqual([
      { time: 3, pnl: 2.5 },
      { time: 4, pnl: 4 },
    ]);
    expect(withStart(after, { time: 0.5, pnl: 0 }).slice(0, 2)).toEqual([
      { time: 0.5, pnl: 0 },
      { time: 1, pnl: 1 },
    ]);
    expect(withStart([], undefined)).toEqual([]);
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

  test('OP-46 the current price is that of the newer answer, by the time it was the price', () => {
    const at = (price: number, time: number | undefined, receivedAt = 0) => ({ price, time, ageMs: 0, receivedAt });
    expect(currentPrice(null, null)).toBeNull();
    expect(currentPrice(at(10, 5), null)?.price).toBe(10);
    expect(currentPrice(at(10, 5), at(11, 6))?.price).toBe(11);
    expect(currentPrice(at(10, 9), at(11, 6))?.price).toBe(10);
    // Without times the moment of the answer decides; at the same moment the chart, which is asked more often.
    expect(currentPrice(at(10, undefined, 5), at(11, undefined, 6))?.price).toBe(11);
    expect(currentPrice(at(10, undefined, 9), at(11, undefined, 6))?.price).toBe(10);
    expect(currentPrice(at(10, undefined, 6), at(11, undefined, 6))?.price).toBe(11);
  });

  test('DATA-12, OP-70 unrealized PnL is worked out at the price that is shown, after fees; without terms it is what the server said', () => {
    const terms = {
      direction: 'short' as const,
      market_type: 'futures' as const,
      leverage: 2,
      amount: 10,
      open_rate: 1.6,
      open_value: 15.992,
      open_time: 0,
      fee_close: 0.0005,
      funding_fees: -0.01,
      interest: null,
    };
    const price = { price: 1.5634, time: 1_000, ageMs: 0, receivedAt: 0 };
    expect(unrealizedAt({ unrealized_pnl: 7, profit_terms: terms }, price)).toBeCloseTo(15.992 - 15.634 * 1.0005 + -0.01, 8);
    expect(unrealizedAt({ unrealized_pnl: 7, profit_terms: null }, price)).toBe(7);
    expect(unrealizedAt({ unrealized_pnl: 7 }, price)).toBe(7);
    expect(unrealizedAt({ unrealized_pnl: 7, profit_terms: terms }, null)).toBe(7);
  });
});

describe('an answer with what has changed', () => {
  const candle = (timestamp: number, close = timestamp) => ({ timestamp, open: 1, high: 99, low: 1, close, volume: 1 });
  const full = { candles: [candle(1), candle(2), candle(3)], timeframe: '5m', cursor: 'a', price_tick: 0.01, overlays_version: 'v' };

  test('API-16 takes the place of what was known from its first candle on; the rest stays as it is', () => {
    const first = afterAnswer(undefined, full);
    const news = {
      candles: [candle(3, 7), candle(4)],
      timeframe: '5m',
      cursor: 'b',
      is_partial: true,
      avwap: [{ timestamp: 3, value: 5 }],
    };
    const next = afterAnswer(first, news);
    expect(next.candles).toEqual([candle(1), candle(2), candle(3, 7), candle(4)]);
    expect([next.cursor, next.price_tick]).toEqual(['b', 0.01]);
    const later = afterAnswer(next, { ...news, candles: [candle(4, 8)], avwap: [{ timestamp: 4, value: 6 }] });
    expect(later.avwap).toEqual([
      { timestamp: 3, value: 5 },
      { timestamp: 4, value: 6 },
    ]);
  });

  test('API-16 a full answer that overlaps keeps the older candles; one that does not stands alone', () => {
    const first = afterAnswer(undefined, full);
    expect(afterAnswer(first, { ...full, candles: [candle(2, 5), candle(3), candle(4)] }).candles).toEqual([
      candle(1),
      candle(2, 5),
      candle(3),
      candle(4),
    ]);
    expect(afterAnswer(first, { ...full, candles: [candle(8), candle(9)] }).candles).toEqual([candle(8), candle(9)]);
    expect(afterAnswer(first, { ...full, timeframe: '1h', candles: [candle(2)] }).candles).toEqual([candle(2)]);
  });

  test('API-17 the newest points of the line follow the candles until the line is loaded again', () => {
    const point = (timestamp: number, value: number) => ({ timestamp, value });
    const line = [point(1, 1), point(2, 2), point(3, 3)];
    expect(lineAfter(line, [point(3, 30), point(4, 40)])).toEqual([point(1, 1), point(2, 2), point(3, 30), point(4, 40)]);
    expect(lineAfter(line, [point(1, 10), point(2, 20)])).toEqual(line);
    expect(lineAfter([], [point(3, 30)])).toEqual([]);
  });
});
