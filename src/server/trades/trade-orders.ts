import { texts } from '#contract/errors.ts';
import type { tradeOrder } from '#contract/trade-orders.ts';
import { tradeNotFound } from '#contract/manual-action.ts';
import { decisionOfTrade } from '#storage/bots/decision-of-trade.ts';
import { numberOrNull } from '#storage/number-or-null.ts';
import type { TradeOfOrders, TradeOrder } from '#storage/trades/trade-orders.ts';
import { stopGapsOf } from '#storage/trades/stop-gaps.ts';
import { findTradeOfOrders, ordersOfTrade } from '#storage/trades/trade-orders.ts';
import { listManualActions } from '#storage/trades/manual-actions.ts';
import { leftOverOf } from '#storage/trades/left-over.ts';
import { unprotectedTrade } from '#storage/trades/unprotected-trades.ts';
import type { z } from 'zod';
import { decidedOnReply } from '../bots/decision-seen.ts';
import type { Handlers } from '../calls/call.ts';
import { mayChangeBotOf, seesAllBots } from '../calls/caller.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { toManualAction } from './by-hand.ts';
import { whyNoStopReply } from './why-no-stop.ts';

/** A trade with its orders, for whoever may see its bot. */
export function tradeOrderHandlers({ db }: Pick<ServerDependencies, 'db'>): Pick<Handlers, 'tradeOrders'> {
  return {
    async tradeOrders({ caller, params, query, now }) {
      // One view of the database: a fill never belongs to an order that is shown without it.
      return db
        .transaction()
        .setIsolationLevel('repeatable read')
        .execute(async (trx) => {
          const trade = await findTradeOfOrders(trx, params.id);
          if (trade === null) throw new HttpError(404, tradeNotFound);
          if (!seesAllBots(caller) && trade.userId !== caller.id) throw new HttpError(403, texts.noAccessToBot);
          const may_close = mayChangeBotOf(caller, trade.userId);
          const bare = await unprotectedTrade(trx, trade.id);
          const gaps = new Map((await stopGapsOf(trx, trade.id)).map(({ clientOrderId, gapMs }) => [clientOrderId, gapMs]));
          const orders = await ordersOfTrade(trx, trade.id, query.all === 'true');
          return {
            time: now.toISOString(),
            ...toTrade(trade),
            may_close,
            no_stop: bare === null ? null : { since: bare.since.toISOString(), ...whyNoStopReply(bare) },
            left_over: await leftOverOf(trx, trade.id),
            by_hand: (await listManualActions(trx, { tradeId: trade.id })).map((row) => toManualAction(row, caller)),
            entered_on: may_close ? decidedOnReply(await decisionOfTrade(trx, trade.id, 'enter')) : null,
            left_on: may_close && trade.status === 'closed' ? decidedOnReply(await decisionOfTrade(trx, trade.id, 'exit')) : null,
            orders: orders.map((order) => ({ ...toOrder(order), stop_gap_ms: gaps.get(order.clientOrderId) ?? null })),
          };
        });
    },
  };
}

function toTrade(trade: TradeOfOrders) {
  return {
    trade_id: trade.id,
    bot_id: trade.botId,
    nickname: trade.nickname,
    exchange_id: trade.exchangeId,
    symbol: trade.symbol,
    direction: trade.direction,
    mode: trade.mode,
    status: trade.status,
    opened_at: trade.openedAt.toISOString(),
    closed_at: timeOrNull(trade.closedAt),
    amount: Number(trade.amount),
    leverage: Number(trade.leverage),
    stake: Number(trade.stake),
    entry_price: numberOrNull(trade.entryPrice),
    exit_price: numberOrNull(trade.exitPrice),
    stop_price: numberOrNull(trade.stopPrice),
    stop_by_hand: trade.stopByHand,
    stop_moves: trade.stopMoves.map(({ time, price }) => ({ at: new Date(time).toISOString(), price })),
    price_tick: numberOrNull(trade.priceTick),
    entry_tag: trade.entryTag,
    exit_reason: trade.exitReason,
    pnl: trade.status === 'closed' ? numberOrNull(trade.profit) : null,
    pnl_ratio: trade.status === 'closed' ? numberOrNull(trade.profitRatio) : null,
    fees: Number(trade.fees),
    funding: Number(trade.funding),
    close_asked_at: timeOrNull(trade.closeAskedAt),
    imported_from: trade.importedFrom,
  };
}

function toOrder(order: TradeOrder): Omit<z.input<typeof tradeOrder>, 'stop_gap_ms'> {
  return {
    order_id: order.clientOrderId,
    exchange_order_id: order.exchangeOrderId,
    purpose: order.purpose,
    side: order.side,
    type: order.type,
    time_in_force: order.timeInForce,
    price: numberOrNull(order.price),
    stop_price: numberOrNull(order.stopPrice),
    requested: Number(order.requested),
    filled: Number(order.filled),
    average_price: numberOrNull(order.averagePrice),
    reason: order.reason,
    signal_candle: candleOf(order.signalKey),
    state: order.status,
    alike_before: order.alikeBefore,
    attempts: order.sentAt === null ? 0 : order.attempt,
    refusal: order.refusal,
    planned_at: order.plannedAt.toISOString(),
    sent_at: timeOrNull(order.sentAt),
    acknowledged_at: timeOrNull(order.acknowledgedAt),
    expires_at: timeOrNull(order.expiresAt),
    closed_at: timeOrNull(order.closedAt),
    events: order.events.map(({ at, state, detail }) => ({ at: at.toISOString(), state, detail })),
    fills: order.fills.map((fill) => ({
      fill_id: fill.exchangeFillId,
      at: fill.filledAt.toISOString(),
      price: Number(fill.price),
      amount: Number(fill.amount),
      fee: Number(fill.fee),
      fee_currency: fill.feeCurrency,
      fee_value: numberOrNull(fill.feeQuote),
      is_maker: fill.isMaker,
    })),
  };
}

function timeOrNull(time: Date | null): string | null {
  return time?.toISOString() ?? null;
}

/** The candle in a signal key, e.g. 'live BTC/USDT 2026-03-01T10:05:00.000Z enter'. */
function candleOf(signalKey: string): string | null {
  return /\d{4}-\d\d-\d\dT[\d:.]+Z/u.exec(signalKey)?.[0] ?? null;
}
