import { texts } from '#contract/errors.ts';
import { tradeNotFound, tradeNotOpen } from '#contract/manual-action.ts';
import { askToClose } from '#storage/trades/close-asked.ts';
import { findTradeOfOrders } from '#storage/trades/trade-orders.ts';
import { audit } from '../audit/audit.ts';
import { requireStepUp } from '../auth/step-up.ts';
import type { Handlers } from '../calls/call.ts';
import { mayChangeBotOf } from '../calls/caller.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';

/** The wish to close one open trade at market, by the owner of its bot or an admin. The bot's runner does it. */
export function closeTradeHandlers({ db }: Pick<ServerDependencies, 'db'>): Pick<Handlers, 'closeTrade'> {
  return {
    async closeTrade(call) {
      const { caller, params, now } = call;
      return db.transaction().execute(async (trx) => {
        const trade = await findTradeOfOrders(trx, params.id);
        if (trade === null) throw new HttpError(404, tradeNotFound);
        if (!mayChangeBotOf(caller, trade.userId)) throw new HttpError(403, texts.noAccessToBot);
        if (trade.mode !== 'paper') requireStepUp(caller, now);
        const asked = await askToClose(trx, trade.id, now);
        if (asked === null) throw new HttpError(409, tradeNotOpen);
        const detail = { bot: trade.nickname, symbol: trade.symbol, mode: trade.mode };
        if (asked.isNew) await audit(trx, call, caller, 'close-trade', 'ok', { target: trade.id, detail });
        return { trade_id: trade.id, close_asked_at: asked.askedAt.toISOString() };
      });
    },
  };
}
