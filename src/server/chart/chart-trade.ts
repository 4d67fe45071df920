import { engineTrade } from '../trades/engine-trade.ts';
import type { chartTrade } from '#contract/chart.ts';
import { numberOrNull } from '#storage/number-or-null.ts';
import type { BotView } from '#storage/bots/bots.ts';
import type { MarkedTrade } from '#storage/trades/trades.ts';
import type { z } from 'zod';
import { targetPrice } from '../trades/trade-target.ts';

/** A trade as the chart draws it; `time` is now. */
export function toChartTrade(bot: BotView, trade: MarkedTrade, time: number): z.infer<typeof chartTrade> {
  const held = engineTrade(trade.openState);
  return {
    timestamp: trade.openedAt.getTime(),
    direction: trade.direction,
    trade_id: trade.id,
    status: trade.status,
    entry_price: numberOrNull(trade.entryPrice),
    entry_tag: trade.entryTag,
    exit_timestamp: trade.closedAt?.getTime() ?? null,
    exit_price: numberOrNull(trade.exitPrice),
    exit_reason: trade.exitReason,
    pnl: numberOrNull(trade.profit),
    pnl_ratio: numberOrNull(trade.profitRatio),
    stop_price: numberOrNull(trade.stopPrice),
    target_price: held === null ? null : targetPrice(bot, held, time),
  };
}
