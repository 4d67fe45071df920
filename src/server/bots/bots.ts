import { tidyTags } from '#contract/bot-tags.ts';
import { askKeyCheck, findApiKeyLabel } from '#storage/exchange-accounts/api-keys.ts';
import { listBots, setBotMode } from '#storage/bots/bots.ts';
import { readSettings } from '#storage/installation/installation-settings.ts';
import { lockAsAdmin } from '../users/admin-guard.ts';
import { audit } from '../audit/audit.ts';
import { drillState } from './drill.ts';
import { toBotReply } from './bot-reply.ts';
import type { Handlers } from '../calls/call.ts';
import { seesAllBots } from '../calls/caller.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { changeBot, changeStatus, changeTags, requireMode, requireVersion } from './change-bot.ts';
import { refuseGoingLive } from './live-gates.ts';
import { ownBot } from './visible-bots.ts';

/** The list of bots, one bot, its status, mode and tags, and the status of any bot for admins. */
export function botHandlers(
  dependencies: ServerDependencies,
): Pick<Handlers, 'listBots' | 'getBot' | 'toggleBot' | 'changeBotMode' | 'setBotStatus' | 'setBotTags'> {
  const { db } = dependencies;

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
      const { query, ifVersion } = call;
      return changeBot(db, call, call.params.id, async (trx, bot) => {
        requireMode(bot, query.mode);
        requireVersion(bot, ifVersion);
        await changeStatus(dependencies, trx, call, bot, query);
      });
    },

    async setBotStatus(call) {
      const { params, body, ifVersion } = call;
      return changeBot(
        db,
        call,
        params.id,
        async (trx, bot) => {
          requireMode(bot, body.mode);
          requireVersion(bot, ifVersion);
          if (bot.status !== body.status) await changeStatus(dependencies, trx, call, bot, body);
        },
        lockAsAdmin,
      );
    },

    async setBotTags(call) {
      const tags = tidyTags(call.body.tags);
      return changeBot(db, call, call.params.id, async (trx, bot) => changeTags(trx, call, bot, tags));
    },

    async changeBotMode(call) {
      const { mode } = call.query;
      const { caller, ifVersion } = call;
      const keys: string[] = []; // with which it goes live
      const changed = await changeBot(db, call, call.params.id, async (trx, bot) => {
        requireVersion(bot, ifVersion);
        if (mode === bot.mode) return;
        if (mode === 'live' && bot.apiKeyId !== null) keys.push(bot.apiKeyId);
        if (mode === 'live') await refuseGoingLive(dependencies, trx, call, bot);
        if (!(await setBotMode(trx, bot.id, mode))) throw new HttpError(409, 'Bot has open trades');
        const detail = { from: bot.mode, to: mode, ...(mode === 'live' ? { drill: await drillState(trx, bot) } : {}) };
        await audit(trx, call, caller, 'bot-mode', 'ok', { target: bot.id, detail });
      });
      // Of a bot on paper it may not have been asked whether its key may trade there. Whoever deletes a key locks that first.
      for (const key of keys) await askKeyCheck(db, key, dependencies.now());
      return changed;
    },
  };
}
