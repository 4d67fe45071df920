import { numberOrNull } from '#storage/number-or-null.ts';
import { listSnapshots } from '#storage/bots/pnl-snapshots.ts';
import { listAllTrades, listTradesOfBot, setTradeNote } from '#storage/trades/trade-lists.ts';
import { tradeModeOf } from '#storage/trades/trade-mode.ts';
import { audit } from '../audit/audit.ts';
import type { Handlers } from '../calls/call.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { ownBot } from '../bots/visible-bots.ts';

/** The tables of trades and balances: those of one bot for its owner, those of all for admins, and their notes. */
export function tradeHandlers({ db }: ServerDependencies): Pick<Handlers, 'botTrades' | 'botPnl' | 'listTrades' | 'addTradeNote'> {
  return {
    async botTrades({ caller, params }) {
      const bot = await ownBot(db, caller, params.id);
      return (await listTradesOfBot(db, bot.id, tradeModeOf(bot))).map((trade) => ({
        trade_id: trade.id,
        symbol: trade.symbol,
        side: trade.direction === 'long' ? 'buy' : 'sell',
        entry_price: numberOrNull(trade.entryPrice),
        exit_price: numberOrNull(trade.exitPrice),
        volume: Number(trade.amount),
        pnl: profitOf(trade),
        entry_time: trade.openedAt.toISOString(),
        exit_time: trade.closedAt?.toISOString() ?? null,
        status: trade.status,
        note: trade.note,
        pnl_ratio: trade.status === 'closed' ? numberOrNull(trade.profitRatio) : null,
        exit_reason: trade.exitReason,
        price_tick: numberOrNull(trade.priceTick),
        imported_from: trade.importedFrom,
      }));
    },

    async botPnl({ caller, params }) {
      const bot = await ownBot(db, caller, params.id);
      return (await listSnapshots(db, bot.id, tradeModeOf(bot))).map((snapshot) => ({
        timestamp: snapshot.takenAt.toISOString(),
        net_pnl: Number(snapshot.netPnl),
        net_pnl_pct: Number(snapshot.netPnlPct),
        unrealized_pnl: Number(snapshot.unrealizedPnl),
        realized_pnl: Number(snapshot.realizedPnl),
        total_fees: Number(snapshot.totalFees),
        win_rate: Number(snapshot.winRate),
        current_balance: Number(snapshot.currentBalance),
      }));
    },

    listTrades: async ({ query }) =>
      (await listAllTrades(db, query.mode ?? null)).map((trade) => {
        const pnl = profitOf(trade);
        return {
          trade_id: trade.id,
          bot_id: trade.botId,
          timestamp: trade.openedAt.toISOString(),
          symbol: trade.symbol,
          direction: trade.direction,
          entry_price: numberOrNull(trade.entryPrice),
          exit_price: numberOrNull(trade.exitPrice),
          outcome: pnl === null || pnl === 0 ? ('neutral' as const) : pnl > 0 ? ('win' as const) : ('loss' as const),
          pnl,
          status: trade.status,
          mode: trade.mode,
          confidence: numberOrNull(trade.confidence),
          comment: trade.note,
          imported_from: trade.importedFrom,
        };
      }),

    async addTradeNote(call) {
      const { id } = call.params;
      const { note } = call.body;
      await db.transaction().execute(async (trx) => {
        if (!(await setTradeNote(trx, id, note))) throw new HttpError(404, 'Trade not found');
        await audit(trx, call, call.caller, 'trade-note', 'ok', { target: id });
      });
      return { trade_id: id, note };
    },
  };
}

/** The profit of a trade after fees; null while it is open. */
function profitOf(trade: { status: string; profit: string | null }): number | null {
  return trade.status === 'closed' ? numberOrNull(trade.profit) : null;
}
