import { expect, test } from 'vitest';
import { anOutcome } from '../../../test/support/an-outcome.ts';
import { detailsOf, figuresOf, unreadable } from './backtest-rows.ts';

const outcome = anOutcome();
const without = (name: string) => Object.fromEntries(Object.entries(outcome.result).filter(([key]) => key !== name));

test('what a worker keeps is what the screen gets, as it is', () => {
  const { version: _, ...details } = outcome.result;
  expect(detailsOf(JSON.parse(JSON.stringify(outcome.result)) as Record<string, unknown>)).toEqual(details);
  expect(figuresOf(outcome as never)).toEqual({ metrics: outcome.metrics, equity: outcome.equity });
});

test('fields that came later are filled in for rows that were kept before them', () => {
  for (const [name, value] of [
    ['version', undefined],
    ['entries', null],
    ['hold', []],
    ['fee_ratio', null],
  ] as const)
    expect(detailsOf(without(name))).toMatchObject(value === undefined ? { from: 0 } : { [name]: value });
});

test.each(['from', 'to', 'candles', 'trades', 'metric_sets', 'mode'])('a row without its %s is unreadable, not an error', (name) => {
  expect(detailsOf(without(name))).toBe(unreadable);
});

test('a run without a result has none, and figures of another shape are unreadable', () => {
  expect(detailsOf(null)).toBeNull();
  expect(figuresOf({ metrics: null, equity: null })).toBeNull();
  expect(figuresOf({ metrics: { totalTrades: 1 }, equity: [] })).toBe(unreadable);
});
