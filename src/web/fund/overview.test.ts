import { expect, test } from 'vitest';
import { aFundOverview } from '../testing/samples/fund.ts';
import { allocationsOf, chartPoints, normalised, overviewCsv } from './overview.ts';

test('FUND-19 money under management is never below 0', () => {
  const { total_aum: aum, strategy_allocation: allocation } = normalised(
    aFundOverview({ total_aum: -5, strategy_allocation: { 'EMA Cross': -0.01, SuperTrend: 12.5 } }),
  );
  expect(aum).toBe(0);
  expect(allocation).toEqual({ 'EMA Cross': 0, SuperTrend: 12.5 });
});

test('FUND-20 a leverage is at least 1', () => {
  expect(normalised(aFundOverview({ leverage: { a: 0, b: 0.5, c: 3, d: -2 } })).leverage).toEqual({ a: 1, b: 1, c: 3, d: 1 });
  expect(allocationsOf(aFundOverview({ strategy_allocation: { a: 1 }, leverage: {} }))[0]?.leverage).toBe(1);
});

test('FUND-21, FUND-22 history keeps the days that are days and have a number, in the order of time', () => {
  const history = [
    { date: '2026-11-03', pnl: 3 },
    { date: 'soon', pnl: 1 },
    { date: '2026-02-30', pnl: 1 },
    { date: '', pnl: 1 },
    { date: '2026-11-02', pnl: Number.NaN },
    { date: '2026-11-01', pnl: -1 },
    { date: '2025-12-31', pnl: 0 },
  ];
  expect(normalised(aFundOverview({ pnl_history: history })).pnl_history).toEqual([
    { date: '2025-12-31', pnl: 0 },
    { date: '2026-11-01', pnl: -1 },
    { date: '2026-11-03', pnl: 3 },
  ]);
});

test('FUND-08 the chart has a point for each day: what it brought, or all days up to it', () => {
  const history = [
    { date: '2026-11-01', pnl: -1.5 },
    { date: '2026-11-02', pnl: 4 },
  ];
  const [first, second] = [Date.UTC(2026, 10, 1), Date.UTC(2026, 10, 2)];
  expect(chartPoints(history, false)).toEqual([
    { time: first, pnl: -1.5 },
    { time: second, pnl: 4 },
  ]);
  expect(chartPoints(history, true)).toEqual([
    { time: first, pnl: -1.5 },
    { time: second, pnl: 2.5 },
  ]);
});

test('FUND-17, OP-75 the file has a header and a line for each strategy; a name does not become a formula', () => {
  const overview = aFundOverview({
    strategy_allocation: { '=1+2': 5, 'A "b", c': 7.25 },
    leverage: { '=1+2': 1, 'A "b", c': 3 },
    margin_mode: { '=1+2': 'spot', 'A "b", c': 'mixed' },
    bot_status: { '=1+2': 'paused', 'A "b", c': 'active' },
  });
  expect(overviewCsv(overview).slice(1).split('\r\n')).toEqual([
    '"strategy","capital","leverage","margin_mode","bot_status"',
    '"A ""b"", c","7.25","3","mixed","active"',
    `"'=1+2","5","1","spot","paused"`,
    '',
  ]);
});
