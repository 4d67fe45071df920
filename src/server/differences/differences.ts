import { differenceNotFound } from '#contract/differences.ts';
import { texts } from '#contract/errors.ts';
import type { Database } from '#storage/database.ts';
import type { FoundDifference } from '#storage/differences/found-differences.ts';
import { listDifferences, lockDifference } from '#storage/differences/found-differences.ts';
import type { UnprotectedTrade } from '#storage/trades/unprotected-trades.ts';
import { listUnprotected } from '#storage/trades/unprotected-trades.ts';
import { audit } from '../audit/audit.ts';
import { lockCaller } from '../auth/lock-caller.ts';
import { refuseSuspended } from '../auth/suspended.ts';
import type { Handlers } from '../calls/call.ts';
import type { Caller } from '../calls/caller.ts';
import { mayChangeBotOf } from '../calls/caller.ts';
import { choicesOf, exitsText } from './difference-choices.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { whyNoStopReply } from '../trades/why-no-stop.ts';
import { resolveDifference } from './resolve-difference.ts';

/** Where accounts do not hold what the trades of their bots say, and what a person decides about it. */
export function differenceHandlers({ db }: Pick<ServerDependencies, 'db'>): Pick<Handlers, 'listDifferences' | 'resolveDifference'> {
  return {
    listDifferences: async ({ caller }) => differencesFor(db, caller),

    async resolveDifference(call) {
      const { caller, params, body } = call;
      return db.transaction().execute(async (trx) => {
        await lockCaller(trx, caller, [], 'changes');
        const found = await lockDifference(trx, params.id);
        if (found === null) throw new HttpError(404, differenceNotFound);
        if (!mayChangeBotOf(caller, found.ownerId)) throw new HttpError(403, texts.noAccessToBot);
        // What is adopted or ignored ends what kept its pair from being entered.
        if (body.how !== 'close') await refuseSuspended(trx, caller.id);
        const { outcome, isNew } = await resolveDifference(trx, found, body, call.now);
        const { nickname: bot, symbol } = found;
        const detail = { bot, symbol, ...body };
        if (isNew) await audit(trx, call, caller, 'resolve-difference', 'ok', { target: `bot ${found.botId}`, detail });
        return { outcome };
      });
    },
  };
}

/** The differences and unprotected trades that somebody may see. */
export async function differencesFor(db: Database, caller: Caller) {
  const userId = caller.role === 'admin' ? null : caller.id;
  const { open, ended } = await listDifferences(db, userId);
  const unprotected = await listUnprotected(db, userId);
  return {
    open: open.map((found) => ({
      ...toReply(found, caller),
      trade: tradeOf(found),
      exits: exitsText(found),
      choices: choicesOf(found),
    })),
    unprotected: unprotected.map(toUnprotected),
    ended: ended.flatMap((found) =>
      found.endedAt === null || found.outcome === null
        ? []
        : [{ ...toReply(found, caller), ended_at: found.endedAt.toISOString(), outcome: found.outcome, is_done: found.isDone }],
    ),
  };
}

function toReply(found: FoundDifference, caller: Caller) {
  const { id, botId, nickname, exchangeId, ownerId, ownerEmail, symbol, expected, actual, foundAt } = found;
  return {
    id,
    bot_id: botId,
    nickname,
    exchange_id: exchangeId,
    owner: ownerId === caller.id ? null : ownerEmail,
    symbol,
    expected,
    actual,
    found_at: foundAt.toISOString(),
  };
}

function toUnprotected(trade: UnprotectedTrade) {
  const { tradeId, botId, nickname, exchangeId, symbol, direction, amount, since, closeAskedAt } = trade;
  return {
    trade_id: tradeId,
    bot_id: botId,
    nickname,
    exchange_id: exchangeId,
    symbol,
    direction,
    amount,
    since: since.toISOString(),
    close_asked_at: closeAskedAt?.toISOString() ?? null,
    ...whyNoStopReply(trade),
  };
}

function tradeOf({ tradeId, tradeDirection, tradeAmount }: FoundDifference) {
  if (tradeId === null || tradeDirection === null || tradeAmount === null) return null;
  return { id: tradeId, direction: tradeDirection, amount: tradeAmount };
}
