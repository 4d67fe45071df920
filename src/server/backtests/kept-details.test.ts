import { z } from 'zod';
import { expect, test } from 'vitest';
import { unreadable } from './backtest-rows.ts';
import { writtenDetails } from './kept-details.ts';

const schema = z.object({
  title: z.string(),
  trades: z.array(z.object({ at: z.number(), tag: z.string().nullable().default(null) })),
  notes: z.array(z.string()).default([]),
  fee: z.number().optional(),
});
const trade = (at: number) => ({ at, tag: `"${at}", ä` });
const kept = (given: object = {}, lists: Record<string, unknown[][]> = {}) => ({
  rest: JSON.stringify({ title: 'A', trades: [], notes: ['x'], ...given }),
  lists: new Map(Object.entries(lists).map(([name, parts]) => [name, parts.map((part) => JSON.stringify(part))])),
});

async function read(stored: ReturnType<typeof kept>): Promise<unknown> {
  const written = await writtenDetails(schema, stored);
  return written === unreadable ? unreadable : JSON.parse(Buffer.concat(written).toString());
}

test('parts are put together to what the contract says: older ones are filled in, and what it does not know is left out', async () => {
  const lists = { trades: [[trade(1), trade(2)], [{ at: 3, other: 1 }]], notes: [['a'], ['b']], unknown: [[1]] };
  expect(await read(kept({ unknown: [] }, lists))).toEqual({
    title: 'A',
    trades: [trade(1), trade(2), { at: 3, tag: null }],
    notes: ['a', 'b'],
  });
  expect(await read(kept())).toEqual({ title: 'A', trades: [], notes: ['x'] });
});

test.each<[string, ReturnType<typeof kept>]>([
  ['a field', kept({ title: 7 })],
  ['an element of the last part', kept({}, { trades: [[trade(1)], [trade(2), { at: '3' }]] })],
  ['a list where there is none', kept({ title: [] }, { title: [['A']] })],
])('%s of another shape makes it unreadable', async (_, stored) => {
  expect(await read(stored)).toBe(unreadable);
});

test('others have their turn between any two parts', async () => {
  let turns = 0;
  const count = (): void => {
    turns += 1;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  await read(kept({}, { trades: Array.from({ length: 40 }, (_, i) => [trade(i)]) }));
  clearImmediate(next);
  expect(turns).toBeGreaterThanOrEqual(39);
});
