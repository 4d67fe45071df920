import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { minuteMs, secondMs } from '#engine/market/durations.ts';
import { type Priority, RequestBudget } from './request-budget.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** Sends requests of one urgency, and counts those that were let through and those that failed. */
function send(budget: RequestBudget, priority: Priority, count: number, cost = 1) {
  const sent = { through: 0, errors: [] as unknown[] };
  for (let i = 0; i < count; i++) {
    budget
      .as(priority, () => budget.take(cost))
      .then(
        () => (sent.through += 1),
        (error: unknown) => sent.errors.push(error),
      );
  }
  return sent;
}

const settle = () => vi.advanceTimersByTimeAsync(0);

describe('the request budget', () => {
  test('keeps a fifth free for orders, and some more for entries, whatever else is requested', async () => {
    const budget = new RequestBudget(100);
    const history = send(budget, 'history', 200);
    await settle();
    expect(history.through).toBe(65);
    const start = send(budget, 'start', 100);
    await settle();
    expect(start.through).toBe(5);
    const quotes = send(budget, 'quote', 100);
    await settle();
    expect(quotes.through).toBe(5);
    const entries = send(budget, 'entry', 30);
    await settle();
    expect(entries.through).toBe(5);
    const orders = send(budget, 'order', 30);
    await settle();
    expect(orders.through).toBe(20);
  });

  test('what was spent is available again after sixty seconds, not before', async () => {
    const budget = new RequestBudget(100);
    const first = send(budget, 'order', 100);
    await settle();
    expect(first.through).toBe(100);
    await vi.advanceTimersByTimeAsync(minuteMs - secondMs);
    const second = send(budget, 'order', 100);
    await vi.advanceTimersByTimeAsync(secondMs - 1);
    expect(second.through).toBe(0);
    await vi.advanceTimersByTimeAsync(secondMs);
    expect(second.through).toBe(100);
  });

  test('any sixty seconds stay within the limit, not only those of the clock', async () => {
    const budget = new RequestBudget(100);
    send(budget, 'order', 60);
    await vi.advanceTimersByTimeAsync(50 * secondMs);
    send(budget, 'order', 40);
    await vi.advanceTimersByTimeAsync(11 * secondMs);
    const third = send(budget, 'order', 100);
    await settle();
    expect(third.through).toBe(60);
  });

  test('lets an order go before everything that waits, and the first of an urgency first', async () => {
    const budget = new RequestBudget(1000);
    const order: string[] = [];
    budget.pause(150);
    for (const [name, priority] of [
      ['history', 'history'],
      ['first quote', 'quote'],
      ['second quote', 'quote'],
      ['order', 'order'],
    ] as const) {
      void budget.as(priority, () => budget.take(1)).then(() => order.push(name));
    }
    await vi.advanceTimersByTimeAsync(149);
    expect(order).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(order).toEqual(['order', 'first quote', 'second quote', 'history']);
  });

  test('what would be a quote waits patiently within a start; an order within one does not', async () => {
    const budget = new RequestBudget(100);
    budget.correct(70);
    const ask = (priority: Priority) => budget.as('start', () => budget.as(priority, () => budget.take(1)));
    const through: Priority[] = [];
    for (const priority of ['quote', 'order'] as const) void ask(priority).then(() => through.push(priority));
    await settle();
    expect(through).toEqual(['order']);
    await vi.advanceTimersByTimeAsync(2 * minuteMs);
    expect(through).toEqual(['order', 'quote']);
  });

  test('a cheap request does not pass an expensive one of the same urgency', async () => {
    const budget = new RequestBudget(100);
    await budget.as('order', () => budget.take(60));
    const expensive = send(budget, 'history', 1, 50);
    const cheap = send(budget, 'history', 1, 1);
    await settle();
    expect([expensive.through, cheap.through]).toEqual([0, 0]);
    await vi.advanceTimersByTimeAsync(minuteMs + secondMs);
    expect([expensive.through, cheap.through]).toEqual([1, 1]);
  });

  test('follows what the exchange has counted of others at the same address, upwards only', async () => {
    const budget = new RequestBudget(100);
    await budget.take(1);
    budget.correct(64);
    budget.correct(3);
    const history = send(budget, 'history', 10);
    await settle();
    expect(history.through).toBe(1);
  });

  test('a request that costs more than the limit still goes when nothing else was sent', async () => {
    await expect(new RequestBudget(10).take(50)).resolves.toBeUndefined();
  });

  test.each([
    ['order', 5],
    ['quote', 15],
    ['start', 600],
    ['history', 600],
  ] as const)('a request of the urgency %s waits %d seconds for its turn, then fails', async (priority, seconds) => {
    const budget = new RequestBudget(100);
    budget.correct(100);
    const sent = send(budget, priority, 1);
    for (let second = 1; second < seconds; second++) {
      await vi.advanceTimersByTimeAsync(secondMs);
      budget.correct(200); // others at the address keep it full
    }
    expect(sent.errors).toEqual([]);
    await vi.advanceTimersByTimeAsync(2 * secondMs);
    expect(sent.errors).toMatchObject([{ kind: 'temporary', retryAfterMs: secondMs }]);
    expect(sent.through).toBe(0);
  });

  test('a pause longer than the patience fails at once, with the time to wait', async () => {
    const budget = new RequestBudget(100);
    budget.pause(minuteMs);
    const [quote, history] = [send(budget, 'quote', 1), send(budget, 'history', 1)];
    await settle();
    expect(quote.errors).toMatchObject([{ kind: 'temporary', retryAfterMs: minuteMs }]);
    expect(budget.closedForMs()).toBe(minuteMs);
    await vi.advanceTimersByTimeAsync(minuteMs);
    expect(history).toEqual({ through: 1, errors: [] });
    expect(budget.closedForMs()).toBe(0);
  });

  test('a shorter pause does not end a longer one', () => {
    const budget = new RequestBudget(100);
    budget.pause(minuteMs);
    budget.pause(secondMs);
    expect(budget.closedForMs()).toBe(minuteMs);
  });

  test('a pause exactly as long as the patience is waited for, and is not what failed when both end', async () => {
    const budget = new RequestBudget(100);
    budget.pause(15 * secondMs);
    const quote = send(budget, 'quote', 1);
    await vi.advanceTimersByTimeAsync(15 * secondMs - 1);
    expect(quote).toEqual({ through: 0, errors: [] });
    await vi.advanceTimersByTimeAsync(1);
    expect(quote.errors).toMatchObject([
      { message: 'The request budget of the exchange is used up at the moment.', retryAfterMs: secondMs },
    ]);
  });

  test('a request that runs out of patience during a pause fails with the rest of the pause', async () => {
    const budget = new RequestBudget(100);
    budget.correct(100);
    const quote = send(budget, 'quote', 1);
    await vi.advanceTimersByTimeAsync(secondMs);
    budget.pause(minuteMs);
    await vi.advanceTimersByTimeAsync(14 * secondMs);
    expect(quote.errors).toMatchObject([
      { message: 'The exchange has asked to send nothing for another 46 s.', retryAfterMs: 46 * secondMs },
    ]);
  });

  test('a request that has failed is not sent later and costs nothing', async () => {
    const budget = new RequestBudget(100);
    budget.correct(100);
    const quotes = send(budget, 'quote', 10);
    await vi.advanceTimersByTimeAsync(minuteMs);
    expect(quotes.errors).toHaveLength(10);
    const orders = send(budget, 'order', 100);
    await settle();
    expect(orders.through).toBe(100);
  });

  test('what was spent is available again after exactly sixty seconds', async () => {
    const budget = new RequestBudget(100);
    send(budget, 'order', 100);
    await vi.advanceTimersByTimeAsync(minuteMs);
    const again = send(budget, 'order', 100);
    await settle();
    expect(again.through).toBe(100);
  });

  test('what the exchange has counted replaces what was spent more than a minute ago', async () => {
    const budget = new RequestBudget(200);
    send(budget, 'order', 100);
    await vi.advanceTimersByTimeAsync(minuteMs + secondMs);
    budget.correct(50);
    const history = send(budget, 'history', 200);
    await settle();
    expect(history.through).toBe(0.65 * 200 - 50);
  });

  test('fractions that were spent leave nothing behind: a request dearer than the limit goes after them', async () => {
    const budget = new RequestBudget(10);
    for (const cost of [0.1, 0.2, 0.3]) await budget.take(cost);
    await vi.advanceTimersByTimeAsync(minuteMs);
    const dear = send(budget, 'quote', 1, 50);
    await settle();
    expect(dear.through).toBe(1);
  });

  test('requests go at the very end of a pause, whenever that began', async () => {
    const budget = new RequestBudget(100);
    await vi.advanceTimersByTimeAsync(10 * secondMs);
    budget.pause(150);
    const order = send(budget, 'order', 1);
    await vi.advanceTimersByTimeAsync(149);
    expect(order.through).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(order.through).toBe(1);
  });

  test('one timer serves all that wait, and none is left when nothing waits: else the process could not end', async () => {
    const budget = new RequestBudget(100);
    budget.pause(secondMs);
    send(budget, 'order', 50);
    await settle();
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(secondMs);
    expect(vi.getTimerCount()).toBe(0);
  });
});
