import type { orderLogEntry } from '#contract/metrics.ts';
import type { LoggedTrade } from '#storage/trades/trades.ts';
import type { z } from 'zod';
import { numberOrNull } from '#storage/number-or-null.ts';

/** A trade as a line of the order log, with the details that open under it. */
export function toLogEntry(trade: LoggedTrade): z.infer<typeof orderLogEntry> {
  return {
    timestamp: trade.openedAt.toISOString(),
    symbol: trade.symbol,
    direction: trade.direction,
    size: Number(trade.amount),
    entry: numberOrNull(trade.entryPrice),
    status: trade.status,
    confidence: numberOrNull(trade.confidence),
    stop_loss: numberOrNull(trade.stopPrice),
    trade_id: trade.id,
    exit_timestamp: trade.closedAt?.toISOString() ?? null,
    exit: numberOrNull(trade.exitPrice),
    exit_reason: trade.exitReason,
    entry_tag: trade.entryTag,
    pnl: numberOrNull(trade.profit),
    pnl_ratio: numberOrNull(trade.profitRatio),
    fees: Number(trade.fees),
    funding: Number(trade.funding),
    stake: Number(trade.stake),
    leverage: Number(trade.leverage),
    initial_stop: numberOrNull(trade.initialStopPrice),
    stop_moves: trade.stopMoves,
  };
}
