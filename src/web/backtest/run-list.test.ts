import { describe, expect, test } from 'vitest';
import { idOf } from '../testing/samples/ids.ts';
import { hasBegun, newestFirst, runToFollow, statusText, timeLeftText, withReply } from './run-list.ts';
import { aRun, sampleRequest as request } from '../testing/samples/runs.ts';

test('BT-11, BT-12, BT-13, OP-60 the status line follows the phase', () => {
  expect(statusText(null, false)).toBe('Ready to run backtest');
  expect(statusText(null, true)).toBe('Downloading historical data...');
  expect(statusText({ status: 'downloading' }, true)).toBe('Downloading historical data...');
  expect(statusText({ status: 'running' }, false)).toBe('Running backtest...');
});

describe('the run to follow', () => {
  const open = aRun(2, { status: 'running', metrics: null });
  const others = aRun(3, { status: 'downloading', metrics: null, symbol: 'ETH/USDT:USDT' });

  test('OP-60 it is the newest open one', () => {
    expect(runToFollow([aRun(1), open, others], null)).toBe(others);
    expect(runToFollow([aRun(1)], null)).toBeNull();
  });

  test('OP-60 of a run that was asked for here it is that which asks for the same', () => {
    expect(runToFollow([others, open], { request, before: [] })).toBe(open);
    expect(runToFollow([others, aRun(1)], { request, before: [] })).toBeNull();
  });

  test('a call without an answer has begun a run when the list has a new one of the same settings', () => {
    expect(hasBegun([open], { request, before: [] })).toBe(true);
    expect(hasBegun([open], { request, before: [open.id] })).toBe(false);
    expect(hasBegun([others], { request, before: [] })).toBe(false);
    expect(hasBegun([{ ...open, is_own: false }], { request, before: [] })).toBe(false);
  });
});

test('OP-60 the time left is at least a second, in minutes from one minute on, and nothing while it is not known', () => {
  expect([null, 0, 0.2, 59.4, 60, 150].map(timeLeftText)).toEqual([
    '',
    'about 1 s left',
    'about 1 s left',
    'about 59 s left',
    'about 1 min left',
    'about 3 min left',
  ]);
});

test('the newest run comes first', () => {
  expect(newestFirst([aRun(1), aRun(3), aRun(2)]).map(({ id }) => id)).toEqual([idOf(203), idOf(202), idOf(201)]);
});

describe('the answer of a run', () => {
  const reply = { id: idOf(201), metrics: { total_trades: 9, win_rate: 0.5, net_pnl: -1 }, equity: [{ time: 1, value: 2 }] };
  const now = '2026-11-20T00:00:00.000Z';

  test('the time at which the server ended a run stays', () => {
    const [run] = withReply([aRun(1, { finished_at: '2026-11-19T23:59:58.000Z' })], request, reply, now);
    expect(run?.finished_at).toBe('2026-11-19T23:59:58.000Z');
  });

  test('DATA-29 it ends the run of the list that it belongs to', () => {
    const [run] = withReply([aRun(1, { status: 'running', metrics: null, finished_at: null })], request, reply, now);
    expect(run).toMatchObject({ id: idOf(201), status: 'done', metrics: reply.metrics, equity: reply.equity, finished_at: now });
  });

  test('DATA-29 it is the newest of the list when the list does not know it yet', () => {
    const runs = withReply([aRun(2)], request, reply, now);
    expect(runs.map(({ id }) => id)).toEqual([idOf(201), idOf(202)]);
    expect(runs[0]).toMatchObject({ strategy_name: 'EMA Cross', exchange: 'Sandbox', days: 30, created_at: now });
  });
});
