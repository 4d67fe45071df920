import { isWaiting } from '../account/order.ts';
import type { Trade } from '../account/trade.ts';
import { minus, toDecimal, toNumber } from '../market/decimal.ts';
import type { Missing } from './event.ts';
import type { Step } from './execution.ts';
import { cancelOrder } from './execution.ts';
import { endExitRest } from './exit-failures.ts';
import { isTooSmallToSell } from './small-rest.ts';
import type { BotState } from './state.ts';

/**
 * What the account of a bot holds for a trade, in base currency: what the trade says, without what an open difference says is missing.
 * What is missing is not asked for by any order: it would come out of what belongs to somebody else.
 */
export function heldFor({ missing }: BotState, trade: Trade): number {
  const amount = missing[trade.id]?.amount ?? 0;
  return amount > 0 ? Math.max(0, toNumber(minus(toDecimal(trade.amount), toDecimal(amount)))) : trade.amount;
}

/** Whether only stops, and what people ask for, leave a trade until a person has decided about what is missing of it. */
export function waitsForPerson({ missing }: BotState, trade: Trade): boolean {
  return missing[trade.id]?.waits ?? false;
}

/**
 * Takes in what open differences say of the bot's trades. Orders that ask for more than is there are cancelled; a trade of which
 * something else is there now than before does not rest any longer after refused exits.
 */
export function takeMissing(step: Step, missing: Readonly<Record<number, Missing>>): void {
  const { state } = step;
  const before = state.missing;
  state.missing = missing;
  for (const trade of state.trades) {
    if (before[trade.id]?.amount !== missing[trade.id]?.amount) endExitRest(state, trade);
    cancelBeyond(step, trade, heldFor(state, trade));
  }
}

/** A part of what is missing of a trade was booked: so much less is missing now. */
export function lessMissing(state: BotState, trade: Trade, amount: number): void {
  const known = state.missing[trade.id];
  if (known === undefined) return;
  const left = toNumber(minus(toDecimal(known.amount), toDecimal(amount)));
  state.missing = { ...state.missing, [trade.id]: { ...known, amount: Math.max(0, left) } };
}

/**
 * Deals with a trade of which too little is there to be sold, because the rest is missing; false when that is not so. Whatever would
 * leave it is cancelled: it would be filled with what belongs to somebody else. A person has to decide.
 */
export function holdMissing(step: Step, trade: Trade, price: number): boolean {
  const held = heldFor(step.state, trade);
  if (held === trade.amount || !isTooSmallToSell(step, trade, held, price)) return false;
  cancelBeyond(step, trade, 0);
  return true;
}

/** Cancels exits and stops of a trade that ask for more than an amount. */
export function cancelBeyond(step: Step, trade: Trade, amount: number, except: string | null = null): void {
  for (const order of trade.orders.filter(({ id, purpose }) => purpose === 'exit' && id !== except)) {
    if (!isWaiting(order)) continue;
    const rest = toNumber(minus(toDecimal(order.amount), toDecimal(order.filled)));
    if (rest > amount) cancelOrder(step, trade, order, 'replaced');
  }
}
