import { texts } from '#contract/errors.ts';
import { tradeNotFound, tradeNotOpen } from '#contract/manual-action.ts';
import { noStopToTry } from '#contract/trade-orders.ts';
import { askToTryStop } from '#storage/trades/stop-asked.ts';
import { findTradeOfOrders } from '#storage/trades/trade-orders.ts';
import { audit } from '../audit/audit.ts';
import type { Handlers } from '../calls/call.ts';
import { mayChangeBotOf } from '../calls/caller.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';

/**
 * The wish to have the stop of a live trade tried now, by the owner of its bot or an admin. The bot's runner does it. The password is not
 * asked for: a stop can only lower what the trade may lose, and the bot would try it soon anyway.
 */
export function tryStopHandlers({ db }: Pick<ServerDependencies, 'db'>): Pick<Handlers, 'tryStop'> {
  return {
    async tryStop(call) {
      const { caller, params, now } = call;
      return db.transaction().execute(async (trx) => {
        const trade = await findTradeOfOrders(trx, params.id);
        if (trade === null) throw new HttpError(404, tradeNotFound);
        if (!mayChangeBotOf(caller, trade.userId)) throw new HttpError(403, texts.noAccessToBot);
        if (trade.status !== 'open') throw new HttpError(409, tradeNotOpen);
        const asked = await askToTryStop(trx, trade.id, now);
        if (asked === null) throw new HttpError(409, noStopToTry);
        if (asked.nextStop === 'on-its-way') return { trade_id: trade.id, next_stop: asked.nextStop, stop_asked_at: null };
        const detail = { bot: trade.nickname, symbol: trade.symbol, mode: trade.mode };
        if (asked.isNew) await audit(trx, call, caller, 'try-stop', 'ok', { target: trade.id, detail });
        return { trade_id: trade.id, next_stop: asked.nextStop, stop_asked_at: asked.askedAt.toISOString() };
      });
    },
  };
}
