import { describe, expect, test } from 'vitest';
import { RequestBudget } from './request-budget.ts';

describe('the request budget', () => {
  test('keeps a fifth free for orders, whatever else is asked', async () => {
    const budget = new RequestBudget(100);
    let history = 0;
    let quotes = 0;
    for (let i = 0; i < 200; i++) {
      void budget.as('history', async () => {
        await budget.take(1);
        history += 1;
      });
    }
    await settle();
    expect(history).toBe(65);
    for (let i = 0; i < 100; i++) {
      budget
        .as('quote', async () => {
          await budget.take(1);
          quotes += 1;
        })
        .catch(() => {});
    }
    await settle();
    expect(quotes).toBe(15);
    const start = performance.now();
    for (let i = 0; i < 20; i++) await budget.as('order', () => budget.take(1));
    expect(performance.now() - start).toBeLessThan(100);
  });

  test('an order goes before all that waits', async () => {
    const budget = new RequestBudget(1000);
    const order: string[] = [];
    budget.pause(150);
    const tasks = (['history', 'quote', 'order'] as const).map((priority) =>
      budget.as(priority, async () => {
        await budget.take(1);
        order.push(priority);
      }),
    );
    await Promise.all(tasks);
    expect(order).toEqual(['order', 'quote', 'history']);
  });

  test('takes over what the exchange has counted of others at the same address', async () => {
    const budget = new RequestBudget(100);
    await budget.take(1);
    budget.correct(64);
    let sent = 0;
    for (let i = 0; i < 10; i++) void budget.as('history', () => budget.take(1).then(() => (sent += 1)));
    await settle();
    expect(sent).toBe(1);
  });

  test('a request dearer than the limit still goes when nothing else was sent', async () => {
    await new RequestBudget(10).take(50);
  });

  test('fails a quote whose turn would come too late', async () => {
    const budget = new RequestBudget(100);
    budget.pause(60_000);
    await expect(budget.as('quote', () => budget.take(1))).rejects.toMatchObject({
      kind: 'temporary',
      retryAfterMs: expect.closeTo(60_000, -3) as number,
    });
    expect(budget.closedForMs()).toBeGreaterThan(59_000);
  });
});

function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 50));
}
