import { texts } from '#contract/errors.ts';
import { holdBotOfRun } from '#storage/backtests/backtests.ts';
import type { Database } from '#storage/database.ts';
import { lockCaller } from '../auth/lock-caller.ts';
import type { Caller } from '../calls/caller.ts';
import { holdUsable } from '../calls/seen-strategy.ts';
import { HttpError } from '../http/http-error.ts';
import type { WantedPlan } from './plan-to-run.ts';

/**
 * Locks a caller who has the server work until that work is written. Who is suspended has ended what they had under way: either the
 * suspension waits and finds this, or it came first and this is refused.
 *
 * Needs: as `lockCaller`. Fails: 401 when the session has ended meanwhile, 403 when the account is not verified
 */
export async function lockVerified(trx: Database, caller: Caller, against: 'changes' | 'locks'): Promise<void> {
  const user = (await lockCaller(trx, caller, [], against)).get(caller.id);
  if (user?.verified !== true) throw new HttpError(403, texts.notVerified);
}

/**
 * Locks the caller and holds what a run is of until it is written: the exchange was asked for its pairs since that was checked.
 *
 * Needs: as `lockCaller`. Fails: as `lockVerified`, and 404 when the caller may not use the strategy any more, or the bot is gone
 */
export async function holdRun(
  trx: Database,
  caller: Caller,
  { strategyId, botId }: Pick<WantedPlan, 'strategyId' | 'botId'>,
  against: 'changes' | 'locks',
): Promise<void> {
  await lockVerified(trx, caller, against);
  // A bot runs its version for whoever may change it, and its owner stays the same.
  if (botId === undefined) await holdUsable(trx, caller, strategyId);
  else if (!(await holdBotOfRun(trx, botId))) throw new HttpError(404, texts.botNotFound);
}
