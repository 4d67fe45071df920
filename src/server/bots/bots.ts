import { tidyTags } from '#contract/bot-tags.ts';
import { isDeepStrictEqual } from 'node:util';
import { findApiKeyLabel } from '#storage/exchange-accounts/api-keys.ts';
import type { BotView } from '#storage/bots/bots.ts';
import { noticeOwner } from '#storage/channels/channel-messages.ts';
import { tradeModeOf } from '#storage/trades/trade-mode.ts';
import { pausedByOtherNotice } from '#mail/notice-texts.ts';
import { listBots, lockBot, setBotMode, setBotStatus, setBotTags } from '#storage/bots/bots.ts';
import type { Database } from '#storage/database.ts';
import { readSettings } from '#storage/installation/installation-settings.ts';
import { lockAsAdmin } from '../users/admin-guard.ts';
import { audit } from '../audit/audit.ts';
import { drillState } from './drill.ts';
import { toBotReply } from './bot-reply.ts';
import type { Call, Handlers } from '../calls/call.ts';
import type { Caller } from '../calls/caller.ts';
import { seesAllBots } from '../calls/caller.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { refuseActivation, refuseGoingLive } from './live-gates.ts';
import { changeableBot, ownBot } from './visible-bots.ts';

/** The list of bots, one bot, its status, mode and tags, and the status of any bot for admins. */
export function botHandlers(
  dependencies: ServerDependencies,
): Pick<Handlers, 'listBots' | 'getBot' | 'toggleBot' | 'changeBotMode' | 'setBotStatus' | 'setBotTags'> {
  const { db } = dependencies;

  /**
   * Changes a bot of the caller in one transaction, with the bot locked: what the checks saw still holds when it is changed.
   * `guard` is asked first, before the bot is locked.
   */
  const changeBot = async (
    { caller }: { caller: Caller },
    id: string,
    change: (trx: Database, bot: BotView) => Promise<void>,
    guard: (trx: Database) => Promise<unknown> = async () => undefined,
  ) =>
    db.transaction().execute(async (trx) => {
      await guard(trx);
      await lockBot(trx, id);
      await change(trx, await changeableBot(trx, caller, id));
      return toBotReply(await ownBot(trx, caller, id), caller);
    });

  const changeStatus = async (trx: Database, call: Call<'toggleBot' | 'setBotStatus'>, bot: BotView, status: BotView['status']) => {
    if (status === 'active') await refuseActivation(dependencies, trx, call, bot);
    await setBotStatus(trx, bot.id, status);
    if (status !== 'active' && status !== bot.status && call.caller.id !== bot.userId)
      await noticeOwner(trx, bot.id, [pausedByOtherNotice({ nickname: bot.nickname, mode: tradeModeOf(bot) }, status)]);
    await audit(trx, call, call.caller, 'bot-status', 'ok', { target: bot.id, detail: { from: bot.status, to: status } });
  };

  return {
    async listBots({ caller }) {
      const isShared = seesAllBots(caller) || (await readSettings(db)).sharedBotList;
      return (await listBots(db, isShared ? null : caller.id)).map((bot) => toBotReply(bot, caller));
    },

    async getBot({ caller, params }) {
      const found = await ownBot(db, caller, params.id);
      const bot = toBotReply(found, caller);
      const key = found.apiKeyId === null ? null : await findApiKeyLabel(db, found.apiKeyId);
      return {
        ...bot,
        api_key:
          key === null
            ? null
            : { label: key.label, key: `****${key.keyHint}`, secret: '********', passphrase: key.hasPassphrase ? '********' : null },
        effective_timeframe: bot.timeframe,
        effective_stoploss: bot.stoploss,
        effective_minimal_roi: bot.minimal_roi,
      };
    },

    async toggleBot(call) {
      const { status } = call.query;
      return changeBot(call, call.params.id, (trx, bot) => changeStatus(trx, call, bot, status));
    },

    async setBotStatus(call) {
      const { caller, params, body } = call;
      const { userId } = await ownBot(db, caller, params.id);
      return changeBot(
        call,
        params.id,
        async (trx, bot) => {
          if (bot.status !== body.status) await changeStatus(trx, call, bot, body.status);
        },
        (trx) => lockAsAdmin(trx, caller, [userId], 'changes'),
      );
    },

    async setBotTags(call) {
      const tags = tidyTags(call.body.tags);
      return changeBot(call, call.params.id, async (trx, bot) => {
        if (isDeepStrictEqual(tags, bot.tags)) return;
        await setBotTags(trx, bot.id, tags);
        await audit(trx, call, call.caller, 'tag-bot', 'ok', { target: bot.id, detail: { from: bot.tags, to: tags } });
      });
    },

    async changeBotMode(call) {
      const { mode } = call.query;
      const { caller } = call;
      return changeBot(call, call.params.id, async (trx, bot) => {
        if (mode === bot.mode) return;
        if (mode === 'live') await refuseGoingLive(dependencies, trx, call, bot);
        if (!(await setBotMode(trx, bot.id, mode))) throw new HttpError(409, 'Bot has open trades');
        const detail = { from: bot.mode, to: mode, ...(mode === 'live' ? { drill: await drillState(trx, bot) } : {}) };
        await audit(trx, call, caller, 'bot-mode', 'ok', { target: bot.id, detail });
      });
    },
  };
}
