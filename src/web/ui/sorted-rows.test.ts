import { expect, test } from 'vitest';
import { sortedRows } from './sorted-rows.ts';

const order = (values: readonly (string | number | null)[], isDescending: boolean) =>
  sortedRows(
    values.map((value, place) => ({ key: String(place), row: value })),
    (value) => value,
    isDescending,
  ).map(({ key }) => Number(key));

test.each([
  ['numbers by size, not by their digits', [10, 9, -1], [2, 1, 0], [0, 1, 2]],
  ['null below every number, also a negative one', [0, null, -5], [1, 2, 0], [0, 2, 1]],
  ['texts by their letters', ['b', 'a', 'c'], [1, 0, 2], [2, 0, 1]],
  ['rows of the same value stay as they were, both ways', [1, 0, 1, 0], [1, 3, 0, 2], [0, 2, 1, 3]],
])('%s', (_, values, ascending, descending) => {
  expect([order(values, false), order(values, true)]).toEqual([ascending, descending]);
});
