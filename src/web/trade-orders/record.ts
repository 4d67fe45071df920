import { exitWords, tagWords } from '../ui/exit-words.ts';
import { formatMoment } from '../ui/moment.ts';
import { formatAmount } from '../ui/money.ts';
import { leftOutText, orderKind, orderNames } from './order-names.ts';
import { plainRefusal } from '#engine/ports/plain-refusal.ts';
import { preciseDuration } from './precise-time.ts';
import { isUnclear } from './state-words.ts';
import type { TradeOrder, TradeOrders } from '../live/use-trade-orders.ts';

/** What kind of step it is: what we decided, what we sent, what came back, an execution. */
export type StepKind = 'Decision' | 'Attempt' | 'Unknown' | 'State' | 'Fill';

/** One step in the life of a trade's orders. */
export interface RecordStep {
  at: string; // ISO 8601
  order: string; // its short name
  kind: StepKind;
  text: string;
  amount: number | null; // base currency
  price: number | null; // quote currency
  isUnclear: boolean; // it was not certain what the exchange has
}

/** Everything that is known of a trade's orders, oldest first. */
export function recordOf({
  orders,
  time,
  mode,
  close_asked_at: closeAskedAt,
}: Pick<TradeOrders, 'orders' | 'time' | 'mode' | 'close_asked_at'>): RecordStep[] {
  const names = orderNames(orders);
  const asked = closeAskedAt === null ? [] : [{ ...step('Decision', closeAskedAt, 'Manual close requested'), order: '' }];
  return [
    ...asked,
    ...orders.flatMap((order) => stepsOf(order, time, mode).map((each) => ({ ...each, order: names.get(order.order_id) ?? '' }))),
  ].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

type Step = Omit<RecordStep, 'order'>;

function stepsOf(order: TradeOrder, now: string, mode: TradeOrders['mode']): Step[] {
  const { planned_at, requested, price, stop_price } = order;
  const decided: Step = step('Decision', planned_at, decision(order), { amount: requested, price: stop_price ?? price });
  // Of what falls on the same millisecond, a fill comes before the state that follows from it.
  const leftOut = order.alike_before === 0 ? [] : [step('State', planned_at, leftOutText(order))];
  return [...leftOut, decided, ...fillSteps(order, mode), ...(order.events.length > 0 ? eventSteps(order, now) : timeSteps(order))];
}

function decision(order: TradeOrder): string {
  const why = order.reason === null ? '' : `, reason ${order.purpose === 'entry' ? tagWords(order.reason) : exitWords(order.reason)}`;
  const candle = order.signal_candle === null ? '' : `, on the candle of ${formatMoment(order.signal_candle).slice(0, 16)}`;
  return `Decided: ${orderKind(order)}, ${order.time_in_force}${why}${candle}`;
}

/** The states of an order at an exchange, each with what led to it. */
function eventSteps(order: TradeOrder, now: string): Step[] {
  return order.events.map(({ at, state, detail }, place) => {
    const before = order.events[place - 1]?.state ?? 'planned';
    const next = order.events[place + 1];
    const reason = detail === null ? '' : `: ${plainRefusal(detail)}`;
    switch (state) {
      case 'planned':
        return step('State', at, 'Certainly not at the exchange; to be sent again with the same id');
      case 'sent':
        return step('Attempt', at, detail === null ? 'Sent' : `Sent (${detail})`, {
          amount: order.requested,
          price: order.stop_price ?? order.price,
        });
      case 'unknown': {
        const ms = Date.parse(next?.at ?? now) - Date.parse(at);
        const length = next === undefined ? `Unknown for ${preciseDuration(ms)} so far` : `Unknown for ${preciseDuration(ms)}`;
        return { ...step('Unknown', at, `No clear answer came. ${length}; no second order is sent while this lasts`), isUnclear: true };
      }
      case 'open':
        if (before === 'cancel-pending') return step('State', at, 'Not cancelled; the order stands');
        return step('State', at, `${before === 'unknown' ? 'Found at the exchange, open' : 'Accepted'}${exchangeId(order)}`);
      case 'cancel-pending':
        return { ...step('State', at, 'Cancel requested'), isUnclear: next === undefined };
      case 'filled':
        return step('State', at, `${before === 'unknown' ? 'Found at the exchange, filled' : 'Filled'}${exchangeId(order)}`, {
          amount: order.filled,
          price: order.average_price,
        });
      case 'cancelled':
      case 'expired':
      case 'refused':
        return step('State', at, `${endWords[state]}${reason}`, { amount: order.filled === 0 ? null : order.filled, price: null });
    }
  });
}

const endWords = { cancelled: 'Cancelled', expired: 'Expired at the exchange', refused: 'Refused by the exchange' } as const;

/** The little that is known of an order of which no states are kept: a simulated one, or one of an earlier version. */
function timeSteps(order: TradeOrder): Step[] {
  const { state, closed_at: closedAt, filled } = order;
  const ended = state === 'cancelled' || state === 'expired' || state === 'refused';
  return [
    ...(isUnclear(order) ? [{ ...step('Unknown', order.sent_at ?? order.planned_at, 'Sent; no answer is kept'), isUnclear: true }] : []),
    ...(ended && closedAt !== null
      ? [step('State', closedAt, endWords[state], { amount: filled === 0 ? null : filled, price: null })]
      : []),
  ];
}

function fillSteps({ fills }: TradeOrder, mode: TradeOrders['mode']): Step[] {
  return fills.map((fill, place) => {
    const fee = `fee ${formatAmount(fill.fee)} ${fill.fee_currency}`;
    const text = `Fill ${place + 1} of ${fills.length}, ${fill.is_maker ? 'maker' : 'taker'}, ${fee}${mode === 'paper' ? '' : `, exchange's id ${fill.fill_id}`}`;
    return step('Fill', fill.at, text, { amount: fill.amount, price: fill.price });
  });
}

function exchangeId({ exchange_order_id: id }: TradeOrder): string {
  return id === null ? '' : `, exchange's id ${id}`;
}

function step(kind: StepKind, at: string, text: string, figures: Pick<Step, 'amount' | 'price'> = { amount: null, price: null }): Step {
  return { kind, at, text, ...figures, isUnclear: false };
}
