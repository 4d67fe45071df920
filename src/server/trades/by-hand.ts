import { texts } from '#contract/errors.ts';
import type { manualAction } from '#contract/manual-action.ts';
import { tradeNotFound, tradeNotOpen } from '#contract/manual-action.ts';
import { anotherWaits, cannotShort, pairOfOthers } from '#contract/manual-actions.ts';
import { secondMs } from '#engine/market/durations.ts';
import type { BotView } from '#storage/bots/bots.ts';
import type { Database } from '#storage/database.ts';
import { numberOrNull } from '#storage/number-or-null.ts';
import type { ManualActionRow, NewManualAction } from '#storage/trades/manual-actions.ts';
import { actionSeconds, askByHand, listManualActions } from '#storage/trades/manual-actions.ts';
import { tradeModeOf } from '#storage/trades/trade-mode.ts';
import type { TradeOfOrders } from '#storage/trades/trade-orders.ts';
import { findTradeOfOrders } from '#storage/trades/trade-orders.ts';
import type { z } from 'zod';
import { audit } from '../audit/audit.ts';
import { lockCaller } from '../auth/lock-caller.ts';
import { requireStepUp } from '../auth/step-up.ts';
import { refuseSuspended } from '../auth/suspended.ts';
import { knownOf } from '../bots/bot-trading.ts';
import { requireMode, requireVersion } from '../bots/change-bot.ts';
import { refuseRiskier } from '../bots/live-gates.ts';
import { lockChangeableBot, ownBot } from '../bots/visible-bots.ts';
import type { Call, Handlers } from '../calls/call.ts';
import { mayChangeBotOf } from '../calls/caller.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';

type OfTrade = Exclude<NewManualAction, { kind: 'enter' }>;
type Wish = OfTrade extends infer Kind
  ? Kind extends OfTrade
    ? Omit<Kind, 'botId' | 'mode' | 'symbol' | 'askedBy' | 'tradeId'>
    : never
  : never;

/** Trading by hand, by the owner of a bot or an admin: the wish is stored, and the bot's runner does it. */
export function byHandHandlers({
  db,
}: Pick<ServerDependencies, 'db'>): Pick<Handlers, 'enterByHand' | 'addToTrade' | 'takeOutOfTrade' | 'moveStop' | 'manualActions'> {
  return {
    async enterByHand(call) {
      const { caller, params, body, ifVersion } = call;
      const { symbol, direction, stake, stop_price: stopPrice } = body;
      return db.transaction().execute(async (trx) => {
        const { userId } = await ownBot(trx, caller, params.id);
        await lockCaller(trx, caller, [userId], 'changes');
        // Locked, so that a bot which is being switched to live or moved to another exchange is not entered by what was confirmed before.
        const bot = await lockChangeableBot(trx, caller, params.id);
        requireMode(bot, body.mode);
        requireVersion(bot, ifVersion);
        await refuseSuspended(trx, caller.id, userId);
        if (bot.mode === 'live') await refuseRiskier(trx, call);
        if (!bot.symbols.includes(symbol)) throw new HttpError(400, pairOfOthers);
        if (direction === 'short' && !maySellShort(bot)) throw new HttpError(400, cannotShort);
        const mode = tradeModeOf(bot);
        const wish = { botId: bot.id, mode, symbol, askedBy: caller.id, kind: 'enter', direction, stake, stopPrice } as const;
        const detail = { bot: bot.nickname, symbol, mode, direction, stake, stop_price: stopPrice };
        return ask(trx, wish, () => audit(trx, call, caller, 'enter-by-hand', 'ok', { target: bot.id, detail }));
      });
    },
    addToTrade: (call) =>
      onTrade(db, call, { kind: 'add', stake: call.body.stake }, (trx, about) => audit(trx, call, call.caller, 'add-by-hand', 'ok', about)),
    takeOutOfTrade: (call) =>
      onTrade(db, call, { kind: 'take-out', share: call.body.share }, (trx, about) =>
        audit(trx, call, call.caller, 'take-out-by-hand', 'ok', about),
      ),
    moveStop: (call) =>
      onTrade(db, call, { kind: 'move-stop', stopPrice: call.body.price }, (trx, about) =>
        audit(trx, call, call.caller, 'move-stop', 'ok', about),
      ),
    async manualActions({ caller, params }) {
      const bot = await ownBot(db, caller, params.id);
      return { actions: (await listManualActions(db, { botId: bot.id })).map((row) => toManualAction(row, caller)) };
    },
  };
}

function maySellShort(bot: BotView): boolean {
  return bot.marketType !== 'spot' && knownOf(bot).canShort;
}

type TradeCall = Pick<Call<'addToTrade'>, 'caller' | 'params' | 'now'>;
type Note = (trx: Database, about: { target: string; detail: Record<string, unknown> }) => Promise<void>;

async function onTrade(db: Database, { caller, params, now }: TradeCall, wish: Wish, note: Note) {
  return db.transaction().execute(async (trx) => {
    const trade = await findTradeOfOrders(trx, params.id);
    if (trade === null) throw new HttpError(404, tradeNotFound);
    if (!mayChangeBotOf(caller, trade.userId)) throw new HttpError(403, texts.noAccessToBot);
    await lockCaller(trx, caller, [trade.userId], 'changes');
    const isRiskier = wish.kind === 'add' || (wish.kind === 'move-stop' && isFarther(trade, wish.stopPrice));
    // More is put in for nobody who is suspended, whoever does it.
    if (isRiskier) await refuseSuspended(trx, caller.id, ...(wish.kind === 'add' ? [trade.userId] : []));
    if (trade.mode !== 'paper' && isRiskier) await refuseRiskier(trx, { caller, now });
    else if (trade.mode !== 'paper') requireStepUp(caller, now);
    if (trade.status !== 'open') throw new HttpError(409, tradeNotOpen);
    const detail = { bot: trade.nickname, symbol: trade.symbol, mode: trade.mode, ...wish };
    return ask(trx, { ...about(trade), askedBy: caller.id, ...wish }, () => note(trx, { target: trade.id, detail }));
  });
}

/** Whether a stop lies farther away than that of a trade, or is given back to the settings of its bot. */
function isFarther({ direction, stopPrice }: TradeOfOrders, wanted: number | null): boolean {
  if (wanted === null) return true;
  return stopPrice !== null && (direction === 'long' ? wanted < Number(stopPrice) : wanted > Number(stopPrice));
}

function about({ botId, mode, symbol, id }: TradeOfOrders) {
  return { botId, mode, symbol, tradeId: id };
}

/** Stores what is asked for; `note` is its line in the audit log. */
async function ask(trx: Database, wish: NewManualAction, note: () => Promise<void>) {
  const action_id = await askByHand(trx, wish);
  if (action_id === null) throw new HttpError(409, anotherWaits);
  await note();
  return { action_id, expires_in_ms: actionSeconds * secondMs };
}

/** What a person has asked for, as it is answered to `caller`. */
export function toManualAction(row: ManualActionRow, caller: { id: string }): z.input<typeof manualAction> {
  return {
    action_id: row.id,
    kind: row.kind,
    symbol: row.symbol,
    trade_id: row.tradeId,
    direction: row.direction,
    stake: numberOrNull(row.stake),
    share: numberOrNull(row.share),
    stop_price: numberOrNull(row.stopPrice),
    asked_by: row.askedBy,
    asked_by_you: row.askedById === caller.id,
    asked_at: row.askedAt.toISOString(),
    state: row.state,
    refusal: row.refusal,
    order_id: row.clientOrderId,
    ended_at: row.endedAt?.toISOString() ?? null,
  };
}
