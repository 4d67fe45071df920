import type { Fill } from '../account/fill.ts';
import type { FundingEvent } from '../account/funding.ts';
import { addLateFunding } from '../account/refresh-funding.ts';
import type { Trade } from '../account/trade.ts';
import { closeTrade, closeTradeOfLateEntry } from '../account/trade.ts';
import { minus, toDecimal, toNumber } from '../market/decimal.ts';
import type { Step } from './execution.ts';
import { copyOf } from './execution.ts';

/** Settles a trade that is over with what has become known of it only now: a fill, or (null) a payment of funding. */
export function settleAgain(step: Step, trade: Trade, exitPrice: number, fill: Fill | null): void {
  const { state } = step;
  const { profit, amount, stake, openRate, openValue } = trade;
  const close = hasEnteredLate(trade, fill) ? closeTradeOfLateEntry : closeTrade;
  close(trade, exitPrice, trade.closeTime ?? step.time);
  // No payment changes what was held, and of a trade that closed with a rest this is not what its fills leave.
  if (fill === null) Object.assign(trade, { amount, stake, openRate, openValue });
  const profitChange = toNumber(minus(toDecimal(trade.profit ?? 0), toDecimal(profit ?? 0)));
  state.closedProfit += profitChange;
  state.recentTrades = state.recentTrades.map((each) => (each.id === trade.id ? copyOf(trade) : each));
  step.effects.push({
    kind: 'trade-corrected',
    time: step.time,
    trade: copyOf(trade),
    fill: fill === null ? null : { ...fill },
    profitChange,
  });
}

/** Whether a trade that is over has entered since, with this fill or one before: what its exits have made is more than its profit then, by fees. */
function hasEnteredLate({ orders, profit, realizedProfit }: Trade, fill: Fill | null): boolean {
  if (profit !== null && profit < realizedProfit) return true;
  return fill !== null && orders.some(({ purpose, fills }) => purpose === 'entry' && fills.includes(fill));
}

/** Takes a payment of a trade that is over: it was published after its last fill was known. */
export function takeLateFunding(step: Step, trade: Trade, payment: FundingEvent): void {
  if (addLateFunding(trade, payment)) settleAgain(step, trade, trade.closeRate ?? trade.openRate, null);
}
