import { texts } from '#contract/errors.ts';
import type { pairLock } from '#contract/pair-locks.ts';
import { lockedByAdmin, lockEndsBefore, pairLockedAlready, pairLockNotFound } from '#contract/pair-locks.ts';
import { findBot } from '#storage/bots/bots.ts';
import type { Database } from '#storage/database.ts';
import type { PairLock } from '#storage/pair-locks/pair-locks.ts';
import { addPairLock, endPairLock, findPairLock, locksOfBot } from '#storage/pair-locks/pair-locks.ts';
import { waitForEntries } from '#storage/trading/trading-lock.ts';
import type { TradingTarget } from '#storage/trading/trading-states.ts';
import type { z } from 'zod';
import { audit } from '../audit/audit.ts';
import { lockCaller } from '../auth/lock-caller.ts';
import { requireStepUp } from '../auth/step-up.ts';
import { refuseSuspended } from '../auth/suspended.ts';
import { lockChangeableBot, ownBot } from '../bots/visible-bots.ts';
import type { Handlers } from '../calls/call.ts';
import type { Caller } from '../calls/caller.ts';
import { mayChangeBotOf } from '../calls/caller.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';

/** Pairs that people lock, so that no bot enters them, and unlock. */
export function pairLockHandlers({ db }: Pick<ServerDependencies, 'db'>): Pick<Handlers, 'listPairLocks' | 'addPairLock' | 'endPairLock'> {
  return {
    async listPairLocks({ caller, params }) {
      const bot = await ownBot(db, caller, params.id);
      const locks = await locksOfBot(db, bot.id);
      return { locks: locks.map((lock) => toReply(lock, mayEnd(caller, lock, bot.userId))) };
    },

    async addPairLock(call) {
      const { caller, params, body, now } = call;
      const { level, pair, direction, reason } = body;
      const endsAt = body.ends_at === null ? null : new Date(body.ends_at);
      if (endsAt !== null && endsAt <= now) throw new HttpError(400, lockEndsBefore);
      const made = await db.transaction().execute(async (trx) => {
        await lockCaller(trx, caller, [], 'changes'); // before the bot, as everybody does
        const bot = level === 'bot' ? await lockChangeableBot(trx, caller, params.id) : await ownBot(trx, caller, params.id);
        if (level === 'server' && caller.role !== 'admin') throw new HttpError(403, texts.adminRequired);
        const target: TradingTarget = level === 'server' ? { level } : { level, id: level === 'bot' ? bot.id : bot.userId };
        const lock = { pair, direction, reason, endsAt, isImposed: level !== 'server' && caller.id !== bot.userId };
        const lockId = await addPairLock(trx, target, lock, caller.id);
        if (lockId === null) throw new HttpError(409, pairLockedAlready);
        const found = await findPairLock(trx, lockId);
        if (found === null) return null;
        const detail = { level, bot: bot.nickname, pair, direction, reason, ends_at: found.endsAt?.toISOString() ?? null };
        await audit(trx, call, caller, 'lock-pair', 'ok', { target: lockId, detail });
        return toReply(found, mayEnd(caller, found, bot.userId));
      });
      if (made === null) throw new HttpError(400, lockEndsBefore);
      // After the answer no entry of the pair is committed or sent by any runner.
      await waitForEntries(db);
      return made;
    },

    async endPairLock(call) {
      const { caller, params, now } = call;
      return db.transaction().execute(async (trx) => {
        await lockCaller(trx, caller, [], 'changes');
        const lock = await findPairLock(trx, params.id);
        const ownerId = lock === null ? null : await ownerOf(trx, lock);
        if (lock === null || (lock.level !== 'server' && (ownerId === null || !mayChangeBotOf(caller, ownerId))))
          throw new HttpError(404, pairLockNotFound);
        if (lock.level === 'server' && caller.role !== 'admin') throw new HttpError(403, texts.adminRequired);
        if (!mayEnd(caller, lock, ownerId)) throw new HttpError(403, lockedByAdmin);
        await refuseSuspended(trx, caller.id);
        requireStepUp(caller, now);
        await endPairLock(trx, lock.id);
        await audit(trx, call, caller, 'unlock-pair', 'ok', {
          target: lock.id,
          detail: { level: lock.level, pair: lock.pair, reason: lock.reason },
        });
        return { status: 'Unlocked' };
      });
    },
  };
}

/** The person whose bots a lock is about; null for one of the server. */
async function ownerOf(trx: Database, { level, userId, botId }: PairLock): Promise<string | null> {
  return level === 'bot' ? ((await findBot(trx, botId ?? ''))?.userId ?? null) : userId;
}

function mayEnd(caller: Caller, { level, isImposed }: PairLock, ownerId: string | null): boolean {
  return caller.role === 'admin' || (level !== 'server' && !isImposed && caller.id === ownerId);
}

function toReply(lock: PairLock, may_end: boolean): z.input<typeof pairLock> {
  return {
    lock_id: lock.id,
    level: lock.level,
    pair: lock.pair,
    direction: lock.direction,
    reason: lock.reason,
    ends_at: lock.endsAt?.toISOString() ?? null,
    set_by: lock.setBy,
    set_at: lock.setAt.toISOString(),
    may_end,
  };
}
