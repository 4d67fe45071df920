import { expect, test } from 'vitest';
import { firstTurn, secondTurn, takeTurns } from './check-turns.ts';
import { orderTimes } from './order-times.ts';

test('accounts that are all due at once are compared a few at a time, each once a minute', () => {
  const accounts = new Set(Array.from({ length: 500 }, (_, name) => ({ name, checkAt: firstTurn(0) })));
  const turns = new Map<number, number[]>();
  for (let round = 0; round < 2_400; round++) {
    const second = round / 10;
    const taken = takeTurns(accounts, second * 1_000);
    expect(taken.length).toBeLessThanOrEqual(2);
    for (const { name } of taken) turns.set(name, [...(turns.get(name) ?? []), second]);
  }
  expect(turns.size).toBe(500);
  for (const [first = 0, ...later] of turns.values()) {
    expect(first).toBeGreaterThanOrEqual(60);
    expect(first).toBeLessThan(90); // the longest due first: nobody waits for ever
    later.forEach((second, i) => expect(Math.abs(second - first - 60 * (i + 1))).toBeLessThan(1));
    expect(later.length).toBeGreaterThanOrEqual(2);
  }
});

test('one account alone has its turn, too', () => {
  expect(takeTurns(new Set([{ checkAt: 5 }]), 5)).toHaveLength(1);
  expect(takeTurns(new Set([{ checkAt: 5 }]), 4)).toHaveLength(0);
});

test('the second look at a difference comes before the minute is over, and after every open order was asked about', () => {
  expect(secondTurn(5)).toBeLessThan(firstTurn(5));
  expect(secondTurn(5)).toBeGreaterThan(5 + orderTimes.checkOpen + orderTimes.lookUps * orderTimes.lookUpEvery);
});
