import { noLiveAfterReset } from '#contract/bots.ts';
import { texts } from '#contract/errors.ts';
import { newestApiKey } from '#storage/exchange-accounts/api-keys.ts';
import {
  type BotSettings,
  botSettingsOf,
  changeBotSettings,
  findBotVersion,
  keepFirstVersion,
  listBotVersions,
} from '#storage/bots/bot-settings.ts';
import { addBot, type BotView, findBot, giveKey, lockBot } from '#storage/bots/bots.ts';
import type { Database } from '#storage/database.ts';
import type { StrategyView } from '#storage/strategies/strategies.ts';
import { tradeModeOf } from '#storage/trades/trade-mode.ts';
import { openSymbols } from '#storage/trades/trades.ts';
import { findUserByEmail, lockUsers, type User } from '#storage/users/users.ts';
import { audit } from '../audit/audit.ts';
import { refuseAfterReset } from '../auth/recent-reset.ts';
import { requireStepUp } from '../auth/step-up.ts';
import { toBotReply } from './bot-reply.ts';
import type { Call, Handlers } from '../calls/call.ts';
import { HttpError } from '../http/http-error.ts';
import { changesOf, differences } from './bot-changes.ts';
import { refuseUnoffered } from '../exchanges/offered.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { changedTrading, firstCapital, isElsewhere, newTrading, refuseUnofferedChange, strategyOf } from './bot-trading.ts';
import { versionsReply } from './settings-versions.ts';
import { ownBot } from './visible-bots.ts';

type ChangingCall = Pick<Call<'updateBot'>, 'caller' | 'now' | 'address' | 'requestId' | 'ifVersion'>;

/** Making bots, changing them, and the versions of their settings. */
export function botSettingsHandlers(
  dependencies: ServerDependencies,
): Pick<Handlers, 'createBot' | 'updateBot' | 'listBotVersions' | 'restoreBotVersion'> {
  const { db, markets } = dependencies;

  /**
   * Gives a bot other settings. What the exchange offers is asked before anything is locked, and only where something it
   * decides has changed; under the lock the settings must be those that were read.
   */
  const change = async (call: ChangingCall, botId: string, wanted: (before: BotSettings) => BotSettings) => {
    const { caller, now } = call;
    const read = await ownBot(db, caller, botId);
    if (call.ifVersion !== null && call.ifVersion !== read.version) throw new HttpError(409, texts.changedMeanwhile);
    const after = wanted(botSettingsOf(read));
    await refuseUnofferedChange(dependencies, read, after);
    return db.transaction().execute(async (trx) => {
      await lockBot(trx, botId);
      const bot = await ownBot(trx, caller, botId);
      if (bot.version !== read.version) throw new HttpError(409, texts.changedMeanwhile);
      await refuseWithOpenTrades(trx, bot, after);
      await changeBotSettings(trx, bot, after, caller.id, now);
      // A key belongs to its exchange.
      if (after.exchangeId !== bot.exchangeId) await giveKey(trx, bot.id, await newestApiKey(trx, bot.userId, after.exchangeId));
      await audit(trx, call, caller, 'change-bot', 'ok', { target: bot.id, detail: differences(botSettingsOf(bot), after) });
      return toBotReply(await ownBot(trx, caller, botId), caller);
    });
  };

  return {
    async createBot(call) {
      const { body, caller, now } = call;
      if (caller.role !== 'admin' && !isOwn(caller.email, body.user_email))
        throw new HttpError(403, 'You can only create bots for your own account');
      const owner = caller.role === 'admin' ? await findUserByEmail(db, body.user_email.trim()) : caller;
      if (owner === null) throw new HttpError(404, 'User not found');
      const strategy = await strategyOf(db, body.strategy_id);
      const settings: BotSettings = {
        nickname: body.nickname?.trim() || defaultNickname(strategy, body.exchange_id),
        ...newTrading(body),
      };
      await refuseUnoffered(markets, settings, strategy.supportedExchanges);
      if (body.mode === 'live') {
        requireStepUp(caller, now);
        await refuseAfterReset(db, caller.id, now, noLiveAfterReset);
      }
      const bot = await db.transaction().execute(async (trx) => {
        const user = await lockedOwner(trx, owner.id);
        if (!user.verified) throw new HttpError(403, texts.notVerified);
        const apiKeyId = await newestApiKey(trx, owner.id, settings.exchangeId);
        if (body.mode === 'live' && apiKeyId === null) throw new HttpError(400, texts.keyRequired);
        const { stakeAmount, leverage, ...others } = settings;
        const id = await addBot(trx, {
          ...others,
          userId: owner.id,
          strategyId: strategy.id,
          mode: body.mode,
          status: 'paused',
          stakeAmount,
          leverage: Number(leverage),
          startingBalance: firstCapital(body),
          apiKeyId,
        });
        await keepFirstVersion(trx, id, settings, caller.id);
        await audit(trx, call, caller, 'create-bot', 'ok', {
          target: id,
          detail: { owner: owner.id, mode: body.mode, exchange: settings.exchangeId },
        });
        return made(await findBot(trx, id));
      });
      return toBotReply(bot, caller);
    },

    async updateBot(call) {
      const { body } = call;
      const strategyName = async (): Promise<StrategyView> => strategyOf(db, (await ownBot(db, call.caller, call.params.id)).strategyId);
      const blankNickname = body.nickname !== undefined && body.nickname.trim() === '';
      const strategy = blankNickname ? await strategyName() : null;
      return change(call, call.params.id, (before) => ({
        nickname:
          strategy === null ? (body.nickname?.trim() ?? before.nickname) : defaultNickname(strategy, body.exchange_id ?? before.exchangeId),
        ...changedTrading(before, body),
      }));
    },

    async listBotVersions({ caller, params }) {
      const bot = await ownBot(db, caller, params.id);
      return versionsReply(await listBotVersions(db, bot.id, tradeModeOf(bot)), changesOf);
    },

    async restoreBotVersion(call) {
      const { id, version } = call.params;
      await ownBot(db, call.caller, id);
      const settings = await findBotVersion(db, id, version);
      if (settings === null) throw new HttpError(404, 'Version not found');
      return change(call, id, () => settings);
    },
  };
}

async function lockedOwner(trx: Database, id: string): Promise<User> {
  const user = (await lockUsers(trx, [id], 'changes')).get(id);
  if (user === undefined) throw new HttpError(404, 'User not found');
  return user;
}

/** Fails with 409 when an open trade would be left where the bot no longer trades. */
async function refuseWithOpenTrades(trx: Database, bot: BotView, after: BotSettings): Promise<void> {
  const open = await openSymbols(trx, bot.id);
  if (open.length === 0) return;
  if (isElsewhere(bot, after) || open.some((symbol) => bot.symbols.includes(symbol) && !after.symbols.includes(symbol)))
    throw new HttpError(409, 'Bot has open trades');
}

const isOwn = (own: string, named: string): boolean => own.toLowerCase() === named.trim().toLowerCase();

function defaultNickname(strategy: StrategyView, exchangeId: string): string {
  return `${strategy.name} ${exchangeId}`.slice(0, 60);
}

function made(bot: BotView | null): BotView {
  if (bot === null) throw new Error('The bot that was made is not there');
  return bot;
}
