import { texts } from '#contract/errors.ts';
import { findApiKeyLabel } from '#storage/api-keys.ts';
import { addAuditEntry } from '#storage/audit-log.ts';
import type { BotView } from '#storage/bots.ts';
import { findBot, listBots, setBotMode, setBotStatus } from '#storage/bots.ts';
import { toBotReply } from './bot-reply.ts';
import type { Call, Handlers } from './call.ts';
import type { Caller } from './caller.ts';
import { HttpError } from './http-error.ts';
import type { ServerParts } from './parts.ts';
import { ownBot } from './visible-bots.ts';

/** The list of bots, one bot, and its status and mode. */
export function botHandlers(parts: ServerParts): Pick<Handlers, 'listBots' | 'getBot' | 'toggleBot' | 'changeBotMode'> {
  const { db } = parts;

  const changed = async (caller: Caller, id: string) => {
    const bot = await findBot(db, id);
    if (bot === null) throw new HttpError(404, texts.botNotFound);
    return toBotReply(bot, caller);
  };
  const audit = (call: Pick<Call<'toggleBot'>, 'caller' | 'address' | 'requestId'>, action: string, bot: BotView, to: string) =>
    addAuditEntry(db, {
      actorId: call.caller.id,
      actorRole: call.caller.role,
      action,
      target: bot.id,
      address: call.address,
      requestId: call.requestId,
      result: 'ok',
      detail: { to },
    });

  return {
    listBots: async ({ caller }) => (await listBots(db)).map((bot) => toBotReply(bot, caller)),

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
      const bot = await ownBot(db, call.caller, call.params.id);
      const { status } = call.query;
      if (status === 'active') refuseActivation(parts, bot);
      await setBotStatus(db, bot.id, status);
      await audit(call, 'bot-status', bot, status);
      return changed(call.caller, bot.id);
    },

    async changeBotMode(call) {
      const bot = await ownBot(db, call.caller, call.params.id);
      const { mode } = call.query;
      if (mode !== bot.mode) {
        if (mode === 'live') refuseLive(parts, bot);
        if (!(await setBotMode(db, bot.id, mode))) throw new HttpError(409, 'Bot has open trades');
        await audit(call, 'bot-mode', bot, mode);
      }
      return changed(call.caller, bot.id);
    },
  };
}

/** Fails when the bot must not become active: its owner is not verified, or it is live without what live needs. */
export function refuseActivation(parts: ServerParts, bot: BotView): void {
  if (bot.mode === 'live') refuseLive(parts, bot);
  if (!bot.ownerVerified) throw new HttpError(403, texts.notVerified);
}

function refuseLive(parts: ServerParts, bot: BotView): void {
  if (bot.apiKeyId === null) throw new HttpError(400, texts.keyRequired);
  if (!parts.liveTradingEnabled) throw new HttpError(403, texts.liveDisabled);
}
