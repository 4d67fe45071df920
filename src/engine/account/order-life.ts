/**
 * The states an order passes through.
 *
 * | state | means |
 * |---|---|
 * | planned | decided and stored; nothing was sent |
 * | sent | on its way to the exchange; no answer yet |
 * | unknown | it may or may not have arrived: the answer was lost or made no sense |
 * | open | the exchange has it, and it waits for (the rest of) its fills |
 * | cancel-pending | the exchange has it and was asked to cancel it |
 * | filled, cancelled, expired, refused | final; all but `filled` may have been filled in part |
 */
export const orderStates = [
  'planned',
  'sent',
  'unknown',
  'open',
  'cancel-pending',
  'filled',
  'cancelled',
  'expired',
  'refused',
] as const satisfies readonly string[];

/** Where an order is in its life. */
export type OrderState = (typeof orderStates)[number];

/** What can happen to an order. */
export const orderEvents = [
  'sending', // about to be sent; stored before the first byte leaves
  'withdrawn', // no longer wanted, and certain not to be at the exchange
  'accepted', // the exchange has it
  'refused', // the exchange said no, definitely
  'unanswered', // anything else than a yes or a no came back
  'not-found', // three spaced look-ups after its expiry did not find it: it may be sent again
  'part-filled', // a fill that leaves something to wait for
  'filled', // the fill that completes it
  'cancel-asked',
  'cancel-failed', // the exchange would not cancel it, and it still stands
  'cancelled', // by us or by the exchange
  'expired',
  'late-fill', // a fill that is reported after the end
] as const satisfies readonly string[];

/** Something that happens to an order. */
export type OrderEvent = (typeof orderEvents)[number];

/**
 * Every transition there is; nothing else is allowed anywhere, in SQL neither.
 *
 * Source: docs/decisions/0018-the-life-of-an-order.md
 */
const transitions: Readonly<Record<OrderState, Readonly<Partial<Record<OrderEvent, OrderState>>>>> = {
  planned: { sending: 'sent', withdrawn: 'cancelled' },
  sent: { accepted: 'open', filled: 'filled', refused: 'refused', unanswered: 'unknown' },
  unknown: {
    accepted: 'open',
    filled: 'filled',
    cancelled: 'cancelled',
    expired: 'expired',
    'not-found': 'planned',
    withdrawn: 'cancelled',
  },
  open: { 'part-filled': 'open', filled: 'filled', 'cancel-asked': 'cancel-pending', cancelled: 'cancelled', expired: 'expired' },
  'cancel-pending': {
    'part-filled': 'cancel-pending',
    filled: 'filled',
    'cancel-failed': 'open',
    cancelled: 'cancelled',
    expired: 'expired',
  },
  filled: { 'late-fill': 'filled' },
  cancelled: { 'late-fill': 'cancelled' },
  expired: { 'late-fill': 'expired' },
  refused: { 'late-fill': 'refused' },
};

/** Somebody wanted an order to do what no order does: a bug, or a row that somebody else has changed. */
export class ImpossibleTransition extends Error {
  constructor(state: OrderState, event: OrderEvent) {
    super(`An order that is ${state} cannot take the event ${event}.`);
    this.name = 'ImpossibleTransition';
  }
}

/** The state after an event. Fails: `ImpossibleTransition` for all that is not in the table */
export function nextOrderState(state: OrderState, event: OrderEvent): OrderState {
  const next = transitions[state][event];
  if (next === undefined) throw new ImpossibleTransition(state, event);
  return next;
}

/** Whether an order in this state has come to its end: it changes no more, except that late fills still count. */
export function isFinal(state: OrderState): boolean {
  return state === 'filled' || state === 'cancelled' || state === 'expired' || state === 'refused';
}

/** Whether one event leads from a state to another. */
export function follows(from: OrderState, to: OrderState): boolean {
  return Object.values(transitions[from]).includes(to);
}

/** Whether any events lead from a state to another: a report that was missed may lie between what is known and what is reported. */
export function isReachable(from: OrderState, to: OrderState): boolean {
  return reachable[from].has(to);
}

const reachable = Object.fromEntries(
  orderStates.map((from) => {
    const found = new Set<OrderState>();
    for (const waiting: OrderState[] = [from]; waiting.length > 0;) {
      for (const next of Object.values(transitions[waiting.pop() ?? from])) {
        if (found.has(next)) continue;
        found.add(next);
        waiting.push(next);
      }
    }
    return [from, found] as const;
  }),
) as unknown as Readonly<Record<OrderState, ReadonlySet<OrderState>>>;
