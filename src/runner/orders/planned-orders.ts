import type { Order } from '#engine/account/order.ts';
import { isWaiting } from '#engine/account/order.ts';
import type { Trade } from '#engine/account/trade.ts';
import type { BotEffect } from '#engine/bot/effect.ts';
import type { BotState } from '#engine/bot/state.ts';
import { marginModeOf } from '#engine/risk/liquidation.ts';
import type { TimeInForce } from '#engine/ports/trading.ts';
import type { StoredOrder } from '#storage/orders/order-outbox.ts';

/** The orders a step has decided on, as their rows are when the step is on the disk. */
export function plannedOrders(state: BotState, effects: readonly BotEffect[], timeInForce: TimesInForce = {}): StoredOrder[] {
  return effects.flatMap((effect) => {
    if (effect.kind !== 'order-created') return [];
    const trade = [...state.trades, ...state.formerTrades].find(({ id }) => id === effect.tradeId);
    return trade === undefined ? [] : [plannedOrder(state, trade, effect.order, timeInForce)];
  });
}

function plannedOrder({ botId, settings }: BotState, trade: Trade, order: Order, timeInForce: TimesInForce): StoredOrder {
  const isFutures = trade.marketType === 'futures';
  return {
    botId,
    clientOrderId: order.id,
    symbol: trade.symbol,
    purpose: order.type === 'stop' ? 'stop' : order.purpose,
    side: order.side,
    type: order.type,
    amount: order.amount,
    price: order.type === 'limit' ? order.price : null,
    stopPrice: order.type === 'stop' ? order.price : null,
    timeInForce: timeInForceOf(order, timeInForce),
    reduceOnly: isFutures && order.purpose !== 'entry',
    leverage: trade.leverage,
    marginMode: isFutures ? marginModeOf(trade, settings) : null,
    state: order.state,
    attempt: 0,
    plannedAt: order.createdTime,
    expiresAt: null,
    endedAt: null,
    filled: order.filled,
  };
}

/** How long the limit orders of a strategy stand; GTC where it does not say. */
export type TimesInForce = Readonly<Partial<Record<'entry' | 'exit', TimeInForce>>>;

/** How long an order stands. */
export function timeInForceOf({ type, purpose }: Pick<Order, 'type' | 'purpose'>, times: TimesInForce): TimeInForce {
  return type === 'limit' ? (times[purpose] ?? 'GTC') : 'GTC';
}

/** The orders that a bot waits for, or wants cancelled. */
export function waitingOrders({ trades, formerTrades }: BotState): { id: string; isCancelWanted: boolean }[] {
  return [...trades, ...formerTrades].flatMap(({ orders }) =>
    orders.filter(isWaiting).map(({ id, isCancelWanted }) => ({ id, isCancelWanted })),
  );
}

/** The orders that have ended for a bot, with how much of each its fills come to, in base currency. */
export function bookedOrders({ trades, formerTrades }: BotState): ReadonlyMap<string, number> {
  const ended = [...trades, ...formerTrades].flatMap(({ orders }) => orders.filter((order) => !isWaiting(order)));
  return new Map(ended.map(({ id, filled }) => [id, filled]));
}

/** Whether the disk says that more of an order was filled than its bot has: the process has died before the bot took a late fill. */
export function hasUnbooked({ clientOrderId, filled }: StoredOrder, booked: ReadonlyMap<string, number>): boolean {
  return (booked.get(clientOrderId) ?? Infinity) < filled * (1 - 1e-12);
}
