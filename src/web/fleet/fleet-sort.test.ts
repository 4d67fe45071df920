import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { aBot, asLive } from '../testing/samples/bots.ts';
import { nextSort, recallSort, rememberSort, sortedFleet } from './fleet-sort.ts';

const kept = new Map<string, string>();
beforeEach(() => {
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => kept.set(key, text),
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  kept.clear();
});

const fleet = [
  asLive(aBot(1, { nickname: 'b' }), { today_pnl: 3, last_tick_at: '2026-11-20T00:00:02.000Z' }),
  asLive(aBot(2, { nickname: 'A' }), { today_pnl: undefined, last_tick_at: null }),
  asLive(aBot(3, { nickname: 'c', mode: 'live', exchange_id: 'binance' }), { today_pnl: -1, last_tick_at: '2026-11-20T00:00:01.000Z' }),
];
const names = (...by: Parameters<typeof sortedFleet>[1][]) =>
  by.map((each) =>
    sortedFleet(fleet, each)
      .map(({ nickname }) => nickname)
      .join(''),
  );

test('the fleet is sorted by a column, either way; what is not known stands last', () => {
  expect(names({ column: 'name', descending: false }, { column: 'name', descending: true })).toEqual(['Abc', 'cbA']);
  expect(names({ column: 'today', descending: false }, { column: 'today', descending: true })).toEqual(['cbA', 'bcA']);
  expect(names({ column: 'age', descending: false }, { column: 'age', descending: true })).toEqual(['bcA', 'cbA']); // the newest price is the youngest
  expect(names({ column: 'mode', descending: false })).toEqual(['cbA']);
});

test('a column is pressed for ascending, descending, and the order of the fleet', () => {
  const first = nextSort({ column: 'name', descending: true }, 'today');
  expect(first).toEqual({ column: 'today', descending: false });
  expect(nextSort(first, 'today')).toEqual({ column: 'today', descending: true });
  expect(nextSort({ column: 'today', descending: true }, 'today')).toBeNull();
});

test('the choice is there at the next visit; one that is not known is none', () => {
  for (const sort of [{ column: 'open', descending: true }, { column: 'open', descending: false }, null] as const) {
    rememberSort(sort);
    expect(recallSort()).toEqual(sort);
  }
  kept.set('fleet-sort', '{"column":"mood","descending":true}');
  expect(recallSort()).toBeNull();
});
