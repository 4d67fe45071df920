import { isDeepStrictEqual } from 'node:util';
import type { Bot } from '#contract/bots.ts';
import { otherMode } from '#contract/bots.ts';
import { pausedByOtherNotice } from '#mail/notice-texts.ts';
import type { BotView } from '#storage/bots/bots.ts';
import { setBotStatus, setBotTags } from '#storage/bots/bots.ts';
import { noticeOwner } from '#storage/channels/channel-messages.ts';
import type { Database } from '#storage/database.ts';
import { tradeModeOf } from '#storage/trades/trade-mode.ts';
import { audit } from '../audit/audit.ts';
import { lockCaller } from '../auth/lock-caller.ts';
import type { Call } from '../calls/call.ts';
import type { Caller } from '../calls/caller.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { toBotReply } from './bot-reply.ts';
import { refuseActivation } from './live-gates.ts';
import { lockChangeableBot, ownBot } from './visible-bots.ts';

/** What is noted of a call that changes a bot. */
type ChangingCall = Pick<Call<'toggleBot'>, 'caller' | 'now' | 'address' | 'requestId'>;

/**
 * Changes a bot of the caller in one transaction, with the caller's session and the bot locked: what the checks saw still holds when it
 * is changed. `lock` locks the caller and the owner, before the bot is locked.
 */
export async function changeBot(
  db: Database,
  { caller }: { caller: Caller },
  id: string,
  change: (trx: Database, bot: BotView) => Promise<void>,
  lock: typeof lockCaller = lockCaller,
): Promise<Bot> {
  const { userId } = await ownBot(db, caller, id);
  return db.transaction().execute(async (trx) => {
    await lock(trx, caller, [userId], 'changes');
    await change(trx, await lockChangeableBot(trx, caller, id));
    return toBotReply(await ownBot(trx, caller, id), caller);
  });
}

/** Refuses a bot that is locked and not in the mode the caller has seen, if they said which. Whoever activates a paper bot must not start real orders. */
export function requireMode(bot: BotView, seen: BotView['mode'] | undefined): void {
  if (seen !== undefined && seen !== bot.mode) throw new HttpError(409, otherMode);
}

/** Sets the status of a bot that is locked; an owner whose bot somebody else has taken out of trading is told. */
export async function changeStatus(
  dependencies: ServerDependencies,
  trx: Database,
  call: ChangingCall,
  bot: BotView,
  status: BotView['status'],
): Promise<void> {
  if (status === 'active') await refuseActivation(dependencies, trx, call, bot);
  await setBotStatus(trx, bot.id, status);
  if (status !== 'active' && status !== bot.status && call.caller.id !== bot.userId)
    await noticeOwner(trx, bot.id, [pausedByOtherNotice({ nickname: bot.nickname, mode: tradeModeOf(bot) }, status)]);
  await audit(trx, call, call.caller, 'bot-status', 'ok', { target: bot.id, detail: { from: bot.status, to: status } });
}

/** Gives a bot that is locked these tags, which are tidy. */
export async function changeTags(trx: Database, call: ChangingCall, bot: BotView, tags: readonly string[]): Promise<void> {
  if (isDeepStrictEqual(tags, bot.tags)) return;
  await setBotTags(trx, bot.id, tags);
  await audit(trx, call, call.caller, 'tag-bot', 'ok', { target: bot.id, detail: { from: bot.tags, to: tags } });
}
