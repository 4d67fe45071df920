import { describe, expect, test } from 'vitest';
import type { OrderEvent, OrderState } from './order-life.ts';
import { ImpossibleTransition, follows, isFinal, isReachable, nextOrderState, orderEvents, orderStates } from './order-life.ts';

/** The table of the design, written out a second time, row by row: from, event, to. */
const design: readonly (readonly [OrderState, OrderEvent, OrderState])[] = [
  ['planned', 'sending', 'sent'],
  ['planned', 'withdrawn', 'cancelled'],
  ['sent', 'accepted', 'open'],
  ['sent', 'filled', 'filled'],
  ['sent', 'refused', 'refused'],
  ['sent', 'unanswered', 'unknown'],
  ['unknown', 'accepted', 'open'],
  ['unknown', 'filled', 'filled'],
  ['unknown', 'cancelled', 'cancelled'],
  ['unknown', 'expired', 'expired'],
  ['unknown', 'not-found', 'planned'],
  ['unknown', 'withdrawn', 'cancelled'],
  ['open', 'part-filled', 'open'],
  ['open', 'filled', 'filled'],
  ['open', 'cancel-asked', 'cancel-pending'],
  ['open', 'cancelled', 'cancelled'],
  ['open', 'expired', 'expired'],
  ['cancel-pending', 'part-filled', 'cancel-pending'],
  ['cancel-pending', 'filled', 'filled'],
  ['cancel-pending', 'cancel-failed', 'open'],
  ['cancel-pending', 'cancelled', 'cancelled'],
  ['cancel-pending', 'expired', 'expired'],
  ['filled', 'late-fill', 'filled'],
  ['cancelled', 'late-fill', 'cancelled'],
  ['expired', 'late-fill', 'expired'],
  ['refused', 'late-fill', 'refused'],
];

describe('OP-85 the life of an order', () => {
  test('every pair of state and event goes where the design says, and everything else is refused by name', () => {
    let refused = 0;
    for (const state of orderStates) {
      for (const event of orderEvents) {
        const row = design.find(([from, what]) => from === state && what === event);
        if (row !== undefined) {
          expect(nextOrderState(state, event), `${state} + ${event}`).toBe(row[2]);
          continue;
        }
        refused += 1;
        expect(() => nextOrderState(state, event), `${state} + ${event}`).toThrow(ImpossibleTransition);
      }
    }
    expect(refused).toBe(orderStates.length * orderEvents.length - design.length);
  });

  test('a final state never goes back', () => {
    for (const from of orderStates.filter(isFinal))
      for (const to of orderStates) expect(isReachable(from, to), `${from} to ${to}`).toBe(from === to);
    expect(orderStates.filter(isFinal)).toEqual(['filled', 'cancelled', 'expired', 'refused']);
  });

  test('every state can come to an end, and an order the exchange has is never planned again', () => {
    for (const from of orderStates) expect(orderStates.some((to) => isFinal(to) && (from === to || isReachable(from, to)))).toBe(true);
    for (const from of ['open', 'cancel-pending'] as const)
      for (const to of ['planned', 'sent', 'unknown', 'refused'] as const) expect(isReachable(from, to), `${from} to ${to}`).toBe(false);
  });

  test('one event leads exactly where the design has a row', () => {
    for (const from of orderStates)
      for (const to of orderStates) expect(follows(from, to), `${from} to ${to}`).toBe(design.some(([a, , b]) => a === from && b === to));
  });
});
