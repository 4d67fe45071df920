import { expect, test } from 'vitest';
import { backtestDetails } from '#contract/backtests.ts';
import { anOutcome } from '../../../test/support/an-outcome.ts';
import { figuresOf, unreadable } from './backtest-rows.ts';
import { writtenDetails } from './kept-details.ts';

const outcome = anOutcome();
const detailsOf = async (kept: object): Promise<unknown> => {
  const written = await writtenDetails(backtestDetails, { rest: JSON.stringify(kept), lists: new Map() });
  return written === unreadable ? unreadable : JSON.parse(Buffer.concat(written).toString());
};
const without = (name: string) => Object.fromEntries(Object.entries(outcome.result).filter(([key]) => key !== name));

test('what a worker keeps is what the screen gets, as it is', async () => {
  const { version: _, ...details } = outcome.result;
  expect(await detailsOf(outcome.result)).toEqual(details);
  expect(figuresOf(outcome as never)).toEqual({ metrics: outcome.metrics, equity: outcome.equity });
});

test('fields that came later are filled in for rows that were kept before them', async () => {
  for (const [name, value] of [
    ['version', undefined],
    ['entries', null],
    ['hold', []],
    ['fee_ratio', null],
  ] as const)
    expect(await detailsOf(without(name))).toMatchObject(value === undefined ? { from: 0 } : { [name]: value });
});

test.each(['from', 'to', 'candles', 'trades', 'metric_sets', 'mode'])('a row without its %s is unreadable, not an error', async (name) => {
  expect(await detailsOf(without(name))).toBe(unreadable);
});

test('a run without figures has none, and figures of another shape are unreadable', () => {
  expect(figuresOf({ metrics: null, equity: null })).toBeNull();
  expect(figuresOf({ metrics: { totalTrades: 1 }, equity: [] })).toBe(unreadable);
});
