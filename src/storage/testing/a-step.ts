import type { StepWrites } from '../bots/running-bots.ts';

/** A step without any consequence, except for what is given. A builder for tests. */
export function aStep(given: Partial<StepWrites> = {}): StepWrites {
  return {
    trades: [],
    closed: [],
    cancelledOrders: [],
    entersTrades: false,
    decisions: [],
    memory: { nextOrderNumber: 7, locks: [] },
    consecutiveLosses: 0,
    snapshot: null,
    paused: null,
    ...given,
  };
}
