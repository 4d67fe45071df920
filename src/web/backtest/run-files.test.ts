import { expect, test } from 'vitest';
import { aRun, someDetails } from '../testing/samples/runs.ts';
import { runCsv, runFileName, runJson } from './run-files.ts';

test('every trade of a run is a line, in UTC and with plain numbers', () => {
  const [head, first, second, third, rest] = runCsv(someDetails()).split('\r\n');
  expect(head).toBe(
    '\uFEFF"Direction","Entry Time (UTC)","Entry Price","Exit Time (UTC)","Exit Price","Amount","Stake","Leverage","PNL","PNL Ratio","Entry Tag","Exit Reason"',
  );
  expect(first).toBe(
    '"long","2026-10-24T08:00:00.000Z","64250.5","2026-10-25T04:00:00.000Z","65535.51","0.01556","1000","1","20","0.02","cross_up","roi"',
  );
  expect(second).toContain('"-17.7","-0.0177","cross_up","stop_loss"');
  expect(third).toContain('"short"');
  expect(rest).toBe('');
});

test('a run in full is one object: what was asked for, and what came of it without the candles', () => {
  const details = someDetails();
  const run = JSON.parse(runJson(aRun(1), details)) as Record<string, unknown>;
  expect(run).toMatchObject({
    strategy_name: 'EMA Cross',
    days: 30,
    metrics: { net_pnl: 12.3 },
    trades: details.trades,
    hold: details.hold,
  });
  expect(run).not.toHaveProperty('candles');
});

test('the file is named after strategy, symbol, timeframe and day', () => {
  expect(runFileName(aRun(1, { strategy_name: '../Ärger €' }), 'csv')).toBe('backtest-a-rger-btcusdt-1h-2026-11-20.csv');
});
