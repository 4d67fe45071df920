import { texts } from '#contract/errors.ts';
import type { Database } from '#storage/database.ts';
import type { TradingTarget } from '#storage/trading/trading-states.ts';
import { lockCaller } from '../auth/lock-caller.ts';
import { lockAsAdmin } from '../users/admin-guard.ts';
import type { Caller } from '../calls/caller.ts';
import { HttpError } from '../http/http-error.ts';
import { ownBot } from '../bots/visible-bots.ts';

/** Whose kill switch or limits a call is about; without an id, of the level user: the caller's. */
export interface AskedTarget {
  level: TradingTarget['level'];
  id?: string | undefined;
}

/** What a call is about, once the caller is known to be allowed to change it; the server and what belongs to others is for admins. */
export async function lockTarget(
  trx: Database,
  caller: Caller,
  { level, id }: AskedTarget,
): Promise<{ target: TradingTarget; isOwn: boolean }> {
  if (level === 'server') {
    await lockAsAdmin(trx, caller, [], 'locks');
    return { target: { level }, isOwn: true };
  }
  const owner = level === 'bot' ? (await ownBot(trx, caller, id ?? '')).userId : (id ?? caller.id);
  if (owner === caller.id) {
    await lockCaller(trx, caller, [], 'locks');
  } else {
    if (caller.role !== 'admin') throw new HttpError(403, texts.adminRequired);
    const users = await lockAsAdmin(trx, caller, [owner], 'locks');
    if (!users.has(owner)) throw new HttpError(404, 'User not found');
  }
  return { target: { level, id: id ?? owner }, isOwn: owner === caller.id };
}
