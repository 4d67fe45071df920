import { movedValue } from '../account/order-fills.ts';
import { toNumber } from '../market/decimal.ts';
import { isWaiting, type Order } from '../account/order.ts';
import { filledEntries, type Trade } from '../account/trade.ts';
import type { PositionChange, StrategyCallbacks } from '../strategy/callbacks.ts';
import type { AddMore, PositionPlan } from './document.ts';

/** What a position plan answers when it is asked whether to add to a trade or to take some of it out. */
export function followPlan({ addMore, takeOut }: PositionPlan): NonNullable<StrategyCallbacks['adjustPosition']> {
  return ({ trade, price, profitRatio, minStake }): PositionChange | null => {
    if (trade.orders.some(keepsItWaiting)) return null;
    for (const [i, { profit, part, isOff }] of takeOut.entries()) {
      const tag = `take-out-${i + 1}`;
      if (isOff !== true && profitRatio >= profit && !hasTakenOut(trade, tag)) return { stake: -part * trade.stake, tag };
    }
    if (addMore === null || addMore.isOff === true) return null;
    const added = filledEntries(trade) - 1;
    const stake = addMore.stake * firstStake(trade);
    if (added >= addMore.most || stake < minStake || !hasMovedAgainst(trade, price, addMore)) return null;
    return { stake, tag: `add-${added + 1}` };
  };
}

/** An order that must end first. A stop at the exchange stands as long as the trade does; one that is being filled ends it. */
function keepsItWaiting(order: Order): boolean {
  return isWaiting(order) && (order.type !== 'stop' || order.filled > 0);
}

function hasTakenOut({ orders }: Trade, tag: string): boolean {
  return orders.some((order) => order.purpose === 'exit' && order.tag === tag && order.filled > 0);
}

function hasMovedAgainst({ direction, openRate }: Trade, price: number, { distance }: AddMore): boolean {
  return direction === 'long' ? price <= openRate * (1 - distance) : price >= openRate * (1 + distance);
}

/** What the first entry has tied up, in quote currency. */
function firstStake({ orders, leverage, stake }: Trade): number {
  const first = orders.find(({ purpose, filled }) => purpose === 'entry' && filled > 0);
  return first === undefined ? stake : toNumber(movedValue(first)) / leverage;
}
