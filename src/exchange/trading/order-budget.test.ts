import { secondMs } from '#engine/market/durations.ts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { OrderBudget, orderLimits, saysTooManyOrders } from './order-budget.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** Places orders, and counts those that were let through and those that failed. */
function place(budget: OrderBudget, isEntry: boolean, count: number, patienceMs = 60 * secondMs) {
  const placed = { through: 0, errors: [] as unknown[] };
  for (let i = 0; i < count; i++)
    budget.take(isEntry, patienceMs).then(
      () => (placed.through += 1),
      (error: unknown) => placed.errors.push(error),
    );
  return placed;
}
const settle = () => vi.advanceTimersByTimeAsync(0);

describe('the budget of orders', () => {
  test('keeps a fifth for stops and exits; entries wait and are not refused', async () => {
    const budget = OrderBudget.of('spot');
    const entries = place(budget, true, 150);
    await settle();
    expect(entries.through).toBe(80);
    const exits = place(budget, false, 20);
    await settle();
    expect(exits.through).toBe(20);
    await vi.advanceTimersByTimeAsync(11 * secondMs);
    expect(entries).toEqual({ through: 150, errors: [] });
  });

  test('lets a stop go before the entries that wait', async () => {
    const budget = OrderBudget.of('spot');
    place(budget, false, 100);
    const entries = place(budget, true, 100);
    const stops = place(budget, false, 90);
    await settle();
    expect([entries.through, stops.through]).toEqual([0, 0]);
    await vi.advanceTimersByTimeAsync(4 * secondMs);
    expect([entries.through, stops.through]).toEqual([0, 0]);
  });

  test('an entry waits no longer than its request is wanted', async () => {
    const budget = OrderBudget.of('futures');
    place(budget, false, 300);
    const entry = place(budget, true, 1, 2 * secondMs);
    await vi.advanceTimersByTimeAsync(3.5 * secondMs);
    expect(entry).toMatchObject({ through: 0, errors: [{ kind: 'temporary' }] });
  });

  test('counts what the exchange has counted, by its headers', async () => {
    const budget = OrderBudget.of('spot');
    budget.heed(200, { 'X-Mbx-Order-Count-10s': '79', 'X-Mbx-Order-Count-1d': '79' }, '{}');
    const entries = place(budget, true, 5);
    await settle();
    expect(entries.through).toBe(1);
    const other = OrderBudget.of('spot');
    other.heed(200, { 'X-Mbx-Order-Count-1d': '199999' }, '{}');
    const [entry, exits] = [place(other, true, 1), place(other, false, 2)];
    await settle();
    expect([entry.through, exits.through]).toEqual([0, 1]);
  });

  test('pauses as long as the exchange says when it refuses one more order', async () => {
    const budget = OrderBudget.of('futures');
    const body = '{"code":-1015,"msg":"Too many new orders."}';
    budget.heed(429, { 'Retry-After': '3' }, body);
    const exits = place(budget, false, 1);
    await vi.advanceTimersByTimeAsync(2.9 * secondMs);
    expect(exits.through).toBe(0);
    await vi.advanceTimersByTimeAsync(1.1 * secondMs);
    expect(exits.through).toBe(1);
    expect([saysTooManyOrders(429, body), saysTooManyOrders(200, body), saysTooManyOrders(429, '{"code":-1003}')]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('knows the limits of both markets', () => {
    expect(Object.values(orderLimits).map((limits) => limits.map(({ most, windowMs }) => [most, windowMs / secondMs]))).toEqual([
      [
        [100, 10],
        [200_000, 86_400],
      ],
      [
        [300, 10],
        [1_200, 60],
      ],
    ]);
  });
});
