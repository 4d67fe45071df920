import { isDeepStrictEqual } from 'node:util';
import type { Bot } from '#contract/bots.ts';
import { otherMode, otherStatus } from '#contract/bots.ts';
import { texts } from '#contract/errors.ts';
import { botStatuses } from '#contract/fields.ts';
import { pausedByOtherNotice } from '#mail/notice-texts.ts';
import type { BotView } from '#storage/bots/bots.ts';
import { setBotStatus, setBotTags } from '#storage/bots/bots.ts';
import { noticeOwner } from '#storage/channels/channel-messages.ts';
import type { Database } from '#storage/database.ts';
import { tradeModeOf } from '#storage/trades/trade-mode.ts';
import { audit } from '../audit/audit.ts';
import { lockCaller } from '../auth/lock-caller.ts';
import { refuseSuspended } from '../auth/suspended.ts';
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
export function requireMode(bot: Pick<BotView, 'mode'>, seen: BotView['mode'] | undefined): void {
  if (seen !== undefined && seen !== bot.mode) throw new HttpError(409, otherMode);
}

/** Refuses a bot that is locked and has other settings than the caller has seen, if they said which: another exchange, stake or account. */
export function requireVersion(bot: Pick<BotView, 'version'>, seen: number | null | undefined): void {
  if (seen !== undefined && seen !== null && seen !== bot.version) throw new HttpError(409, texts.changedMeanwhile);
}

/**
 * Refuses to have a bot that is locked do more than it does now, where its status is not the one the caller has seen: a Stop of somebody
 * else would be undone before its trades are closed. To have it do less is never refused.
 */
function requireStatus(bot: Pick<BotView, 'status'>, seen: BotView['status'] | undefined, wanted: BotView['status']): void {
  const doesMore = isMore(bot, wanted);
  if (doesMore && seen !== undefined && seen !== bot.status) throw new HttpError(409, otherStatus);
}

/** Whether a bot would do more than it does now: an active one enters, and one that is paused keeps what a stopped one closes. */
function isMore(bot: Pick<BotView, 'status'>, wanted: BotView['status']): boolean {
  return botStatuses.indexOf(wanted) < botStatuses.indexOf(bot.status);
}

/** A status that a bot is to have, and the one that the caller has seen, if they said which. */
interface StatusChange {
  status: BotView['status'];
  was?: BotView['status'] | undefined;
}

/** Sets the status of a bot that is locked; an owner whose bot somebody else has taken out of trading gets a mail. Fails: 409 for another status than was seen, 403 for what is refused */
export async function changeStatus(
  dependencies: ServerDependencies,
  trx: Database,
  call: ChangingCall,
  bot: BotView,
  { status, was }: StatusChange,
): Promise<void> {
  requireStatus(bot, was, status);
  if (isMore(bot, status)) await refuseSuspended(trx, call.caller.id);
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
