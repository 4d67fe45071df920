import { texts } from '#contract/errors.ts';
import { type SignalSource, signalsFrom } from '#engine/bot/signals-from.ts';
import { minuteMs } from '#engine/market/durations.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import { askKeyCheck, holdApiKey, meantApiKey } from '#storage/exchange-accounts/api-keys.ts';
import {
  type BotSettings,
  botSettingsOf,
  changeBotSettings,
  findBotVersion,
  keepFirstVersion,
  listBotVersions,
} from '#storage/bots/bot-settings.ts';
import { addBot, type BotView, findBot, giveKey, lockBot } from '#storage/bots/bots.ts';
import { effectiveValues } from '#storage/bots/effective-values.ts';
import type { Database } from '#storage/database.ts';
import type { StrategyView } from '#storage/strategies/strategies.ts';
import { isOpenAtExchange } from '#storage/trades/open-at-exchange.ts';
import { tradeModeOf } from '#storage/trades/trade-mode.ts';
import { openSymbols } from '#storage/trades/trades.ts';
import { findUserByEmail } from '#storage/users/users.ts';
import { audit } from '../audit/audit.ts';
import { lockCaller } from '../auth/lock-caller.ts';
import { refuseAfterReset } from '../auth/recent-reset.ts';
import { refuseSuspended } from '../auth/suspended.ts';
import { onlyTightens, type TradedWith } from './only-tightens.ts';
import { isAnyRaised, limitsOfLiveBot } from './raised-limits.ts';
import { effectiveParametersOf, toBotReply } from './bot-reply.ts';
import type { Call, Handlers } from '../calls/call.ts';
import { HttpError } from '../http/http-error.ts';
import { changesOf, differences } from './bot-changes.ts';
import { requireMode, requireVersion } from './change-bot.ts';
import { refuseUnoffered, refuseUnofferedTimeframe } from '../exchanges/offered.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { changedTrading, firstCapital, isElsewhere, knownOf, newTrading, refuseUnofferedChange, strategyOf } from './bot-trading.ts';
import { refuseGoingLive, refuseRiskier, refuseUnsafeCaller } from './live-gates.ts';
import { holdUsable, usableStrategy } from '../calls/seen-strategy.ts';
import { refuseWithoutRoom } from './room-for-bots.ts';
import { refuseOtherCurrency } from './stake-currency.ts';
import { refuseLookAhead, refuseUnrunnableVersion } from './strategy-on-market.ts';
import { versionsReply } from './settings-versions.ts';
import { changeableBot, ownBot } from './visible-bots.ts';

type ChangingCall = Pick<Call<'updateBot'>, 'caller' | 'now' | 'address' | 'requestId' | 'ifVersion' | 'query'>;

/** A key added within this time before a live bot is made is the one that its owner means, in ms. */
const justAddedMs = 10 * minuteMs;

/** Making bots, changing them, and the versions of their settings. */
export function botSettingsHandlers(
  dependencies: ServerDependencies,
): Pick<Handlers, 'createBot' | 'updateBot' | 'listBotVersions' | 'restoreBotVersion'> {
  const { db, markets } = dependencies;

  /**
   * Gives a bot other settings, and the key that is named. What the exchange offers is asked before anything is locked, and only where
   * something it decides has changed; under the lock the settings must be those that were read.
   */
  const change = async (call: ChangingCall, botId: string, wanted: (read: BotView) => BotSettings, namedKey: string | null = null) => {
    const { caller, now } = call;
    const read = await changeableBot(db, caller, botId);
    requireVersion(read, call.ifVersion);
    const after = wanted(read);
    await refuseUnofferedChange(dependencies, read, after);
    const changed = await db.transaction().execute(async (trx) => {
      const hasMorePairs = after.symbols.length > read.symbols.length;
      await lockCaller(trx, caller, [read.userId], hasMorePairs ? 'locks' : 'changes');
      // Before the bot, as whoever deletes a key locks them.
      if (namedKey !== null) await holdNamedKey(trx, namedKey, { userId: read.userId, exchangeId: after.exchangeId });
      await lockBot(trx, botId);
      const bot = await changeableBot(trx, caller, botId);
      if (bot.version !== read.version || bot.userId !== read.userId) throw new HttpError(409, texts.changedMeanwhile);
      requireMode(bot, call.query.mode);
      if (hasMorePairs) {
        const addition = { userId: bot.userId, botId, isNew: false, pairs: after.symbols.length };
        await refuseWithoutRoom(trx, dependencies.mostBotsOfPerson, addition);
      }
      const apiKeyId = namedKey ?? (after.exchangeId === bot.exchangeId ? bot.apiKeyId : null); // a key belongs to its exchange
      await refuseOtherCurrency(trx, bot, after);
      await refuseWithOpenTrades(trx, bot, { ...after, apiKeyId });
      const isOtherAccount = isElsewhere(bot, after) || apiKeyId !== bot.apiKeyId;
      if (bot.mode === 'live' && isOtherAccount) await refuseGoingLive(dependencies, trx, call, { ...bot, ...after, apiKeyId });
      const limitsBefore = await limitsOfLiveBot(trx, bot, now);
      const [tradedBefore, tradedAfter] = [tradedWith(bot), tradedWith({ ...bot, ownSettings: after.ownSettings })];
      const isRiskier = !onlyTightens(tradedBefore, tradedAfter) || isAllAtRisk(bot, after) || hasFurtherPair(bot, after);
      // On paper too: what is set there goes live with the bot.
      if (isOtherAccount || isRiskier || hasMore(bot, after)) await refuseSuspended(trx, caller.id);
      if (bot.mode === 'live' && isRiskier) await refuseRiskier(trx, call);
      // Within limits that somebody has set the stake is the owner's, and takes no password.
      if (bot.mode === 'live' && hasMore(bot, after)) await refuseAfterReset(trx, caller.id, now, texts.noRiskAfterReset);
      // Not when the call began: a candle that closed while it waited was decided with the settings of before.
      const turn = dependencies.now();
      const from = signalsFrom(signalSource(tradedBefore), signalSource(tradedAfter), turn.getTime());
      await changeBotSettings(trx, bot, after, caller.id, turn, {
        signalsFrom: from === null ? null : new Date(from),
        keepsKey: apiKeyId === bot.apiKeyId,
      });
      const limitsAfter = await limitsOfLiveBot(trx, await ownBot(trx, caller, botId), now);
      // The defaults of limits follow from stake, slots and leverage.
      if (isAnyRaised(limitsBefore, limitsAfter)) await refuseRiskier(trx, call);
      if (isOtherAccount) await giveKey(trx, bot.id, apiKeyId);
      const key = apiKeyId === bot.apiKeyId ? {} : { api_key: { from: bot.apiKeyId, to: apiKeyId } };
      await audit(trx, call, caller, 'change-bot', 'ok', { target: bot.id, detail: { ...differences(botSettingsOf(bot), after), ...key } });
      return ownBot(trx, caller, botId);
    });
    // Whether its key may trade on another market was not asked before. Whoever deletes a key locks that first: this is none of the above.
    if (changed.apiKeyId !== null && (changed.apiKeyId !== read.apiKeyId || changed.marketType !== read.marketType))
      await askKeyCheck(db, changed.apiKeyId, dependencies.now());
    return toBotReply(changed, caller);
  };

  return {
    async createBot(call) {
      const { body, caller, now } = call;
      if (caller.role !== 'admin' && !isOwn(caller.email, body.user_email))
        throw new HttpError(403, 'You can only create bots for your own account');
      const owner = caller.role === 'admin' ? await findUserByEmail(db, body.user_email.trim()) : caller;
      if (owner === null) throw new HttpError(404, 'User not found');
      const strategy = await usableStrategy(db, caller, body.strategy_id);
      const settings: BotSettings = {
        nickname: body.nickname?.trim() || defaultNickname(strategy, body.exchange_id),
        ...newTrading(body, knownOf(strategy)),
      };
      await refuseUnoffered(markets, settings, strategy.supportedExchanges);
      const timeframe = settings.ownSettings.timeframe ?? strategy.defaultTimeframe;
      await refuseUnofferedTimeframe(markets, settings, timeframe);
      await refuseUnrunnableVersion({ db, markets }, strategy.codeId, { ...settings, timeframe });
      if (body.mode === 'live') {
        refuseLookAhead(strategy.codeDescription);
        await refuseUnsafeCaller(db, call);
      }
      const bot = await db.transaction().execute(async (trx) => {
        const user = (await lockCaller(trx, caller, [owner.id], 'locks')).get(owner.id);
        if (user === undefined) throw new HttpError(404, 'User not found');
        await refuseSuspended(trx, caller.id, owner.id);
        const account = { userId: owner.id, exchangeId: settings.exchangeId };
        const apiKeyId =
          body.api_key_id ?? (body.mode === 'live' ? await meantApiKey(trx, account, new Date(now.getTime() - justAddedMs)) : null);
        if (body.api_key_id !== undefined) await holdNamedKey(trx, body.api_key_id, account);
        if (body.mode === 'live' && apiKeyId === null) throw new HttpError(400, texts.keyRequired);
        await holdUsable(trx, caller, strategy.id);
        const addition = { userId: owner.id, botId: null, isNew: true, pairs: settings.symbols.length };
        await refuseWithoutRoom(trx, dependencies.mostBotsOfPerson, addition);
        const { stakeAmount, leverage, ...others } = settings;
        const id = await addBot(trx, {
          ...others,
          userId: owner.id,
          strategyId: strategy.id,
          codeId: strategy.codeId,
          mode: body.mode,
          status: 'paused',
          stakeAmount,
          leverage: Number(leverage),
          startingBalance: firstCapital(body),
          apiKeyId,
        });
        await keepFirstVersion(trx, id, settings, strategy.codeNumber, caller.id);
        await audit(trx, call, caller, 'create-bot', 'ok', {
          target: id,
          detail: { owner: owner.id, mode: body.mode, exchange: settings.exchangeId, ...(apiKeyId === null ? {} : { api_key: apiKeyId }) },
        });
        return made(await findBot(trx, id));
      });
      if (bot.apiKeyId !== null) await askKeyCheck(db, bot.apiKeyId, dependencies.now());
      return toBotReply(bot, caller);
    },

    async updateBot(call) {
      const { body } = call;
      const strategyName = async (): Promise<StrategyView> => strategyOf(db, (await ownBot(db, call.caller, call.params.id)).strategyId);
      const blankNickname = body.nickname !== undefined && body.nickname.trim() === '';
      const strategy = blankNickname ? await strategyName() : null;
      return change(
        call,
        call.params.id,
        (before) => ({
          nickname:
            strategy === null
              ? (body.nickname?.trim() ?? before.nickname)
              : defaultNickname(strategy, body.exchange_id ?? before.exchangeId),
          ...changedTrading(before, body, knownOf(before)),
        }),
        body.api_key_id,
      );
    },

    async listBotVersions({ caller, params }) {
      const bot = await ownBot(db, caller, params.id);
      const versions = await listBotVersions(db, bot.id, tradeModeOf(bot));
      // Owners do not read the addresses of administrators.
      const isShown = (id: string | null): boolean => caller.role === 'admin' || caller.role === 'operator' || id === caller.id;
      const named = versions.map((each) => ({ ...each, changedBy: isShown(each.changedBy) ? each.changedByEmail : nameOfHidden(each) }));
      return versionsReply(named, changesOf);
    },

    async restoreBotVersion(call) {
      const { id, version } = call.params;
      await ownBot(db, call.caller, id);
      const settings = await findBotVersion(db, id, version);
      if (settings === null) throw new HttpError(404, 'Version not found');
      // A version of before own settings were kept says nothing of them: they stay.
      return change(call, id, ({ ownSettings }) => ({ ownSettings, ...settings }));
    },
  };
}

/** What a bot trades with, its parameters included. */
function tradedWith(bot: BotView): TradedWith {
  return { ...effectiveValues(bot), parameters: effectiveParametersOf(bot).values };
}

function signalSource({ timeframe, parameters }: TradedWith): SignalSource {
  return { timeframe: timeframe as Timeframe, parameters };
}

async function holdNamedKey(trx: Database, id: string, account: { userId: string; exchangeId: string }): Promise<void> {
  if (!(await holdApiKey(trx, id, account))) throw new HttpError(404, 'API key not found');
}

/** Fails with 409 when an open trade or order would be left where the bot no longer trades. */
async function refuseWithOpenTrades(trx: Database, bot: BotView, after: BotSettings & Pick<BotView, 'apiKeyId'>): Promise<void> {
  const open = await openSymbols(trx, bot.id);
  const isMoved = isElsewhere(bot, after) && (open.length > 0 || (await isOpenAtExchange(trx, bot.id)));
  const isLeft = open.some((symbol) => bot.symbols.includes(symbol) && !after.symbols.includes(symbol));
  const isOtherKey = after.apiKeyId !== bot.apiKeyId && (await isOpenAtExchange(trx, bot.id));
  if (isMoved || isLeft || isOtherKey) throw new HttpError(409, 'Bot has open trades');
}

/** Whether all of an account answers for what is lost with a perpetual from now on, and not the stake alone. */
function isAllAtRisk(before: BotSettings, { marketType, leverageMode }: BotSettings): boolean {
  return marketType === 'futures' && leverageMode === 'cross' && before.leverageMode === 'isolated';
}

/** Whether a bot trades a pair that it did not: one that hardly anybody trades is moved by a few orders. */
function hasFurtherPair(before: BotSettings, { symbols }: BotSettings): boolean {
  return symbols.some((symbol) => !before.symbols.includes(symbol));
}

/** Whether a bot trades with more than before. */
function hasMore(before: BotSettings, after: BotSettings): boolean {
  return (['stakeAmount', 'maxOpenTrades', 'leverage'] as const).some((name) => Number(after[name]) > Number(before[name]));
}

/** Who has changed the bot of somebody who may not read their address: only its owner and administrators change a bot. */
function nameOfHidden({ changedBy }: { changedBy: string | null }): string | null {
  return changedBy === null ? null : 'an administrator';
}

const isOwn = (own: string, named: string): boolean => own.toLowerCase() === named.trim().toLowerCase();

/** What a bot is called whose owner does not say. What somebody calls their rules is for those who see the rules; nicknames are seen by more. */
function defaultNickname(strategy: StrategyView, exchangeId: string): string {
  return `${strategy.kind === 'rules' ? 'Rules' : strategy.name} ${exchangeId}`.slice(0, 60);
}

function made(bot: BotView | null): BotView {
  if (bot === null) throw new Error('The bot that was made is not there');
  return bot;
}
