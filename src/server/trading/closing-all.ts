import { plainRefusal } from '#engine/ports/plain-refusal.ts';
import { minuteMs } from '#engine/market/durations.ts';
import type { TradeToClose } from '#storage/trading/close-all.ts';
import { closeAllProgress } from '#storage/trading/close-all.ts';
import type { Database } from '#storage/database.ts';
import type { NamedSwitch } from '#storage/trading/trading-states.ts';
import type { Caller } from '../calls/caller.ts';

/** After so long without a price nothing can be closed on what was the last one. */
const staleMs = minuteMs;

/** How far closing everything of a switch has come, of the trades that the caller may see; null when nobody has asked for it. */
export async function closingAll(db: Database, of: NamedSwitch, caller: Caller) {
  if (of.closeAllAt === null) return null;
  const id = of.userId ?? of.botId;
  const target = id === null || of.level === 'server' ? ({ level: 'server' } as const) : { level: of.level, id };
  const { closed, open, waiting } = await closeAllProgress(db, target, of.closeAllAt, caller.role === 'admin' ? null : caller.id);
  return {
    asked_at: of.closeAllAt.toISOString(),
    closed,
    open,
    waiting: waiting.map((trade) => ({
      trade_id: trade.tradeId,
      nickname: trade.nickname,
      symbol: trade.symbol,
      direction: trade.direction,
      mode: trade.mode,
      why: whyOpen(trade, Date.now()),
    })),
  };
}

/** Why a trade that is to be closed is still open, for people. */
export function whyOpen({ hasRunner, order, lastError, lastTickAt }: TradeToClose, now: number): string {
  if (!hasRunner) return 'No runner runs its bot now. The trade is closed as soon as one does.';
  const name = order?.purpose === 'adjust' ? 'entry' : order?.purpose;
  switch (order?.state) {
    case 'sent':
    case 'unknown':
      return `The exchange has not reported yet what became of its ${name} order.`;
    case 'cancel-pending':
      return `Its ${name} order is being cancelled first.`;
    case 'planned':
    case 'open':
      return 'Its exit order is on its way.';
    case 'refused':
      return `Its exit was refused and is tried again: ${order.refusal === null ? 'no reason was given' : plainRefusal(order.refusal)}`;
    default:
  }
  if (lastError !== null) return `Its bot reports: ${lastError}`;
  if (lastTickAt === null || now - lastTickAt.getTime() > staleMs) return 'It waits for a price of the market.';
  return 'Its bot is about to close it.';
}
