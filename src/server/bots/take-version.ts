import { hasNoVersions, notSharedAnyMore, notTheNewest, runsItAlready } from '#contract/strategy-files.ts';
import { signalsFrom } from '#engine/bot/signals-from.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import { botSettingsOf, changeBotSettings } from '#storage/bots/bot-settings.ts';
import { findSeenStrategy, holdUsableStrategy } from '#storage/strategies/seen-strategies.ts';
import { findCodeByNumber, newestCode } from '#storage/strategies/strategy-code.ts';
import { audit } from '../audit/audit.ts';
import type { Handlers } from '../calls/call.ts';
import { refuseSuspended } from '../auth/suspended.ts';
import { strategyReader } from '../calls/seen-strategy.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { effectiveParametersOf, effectiveTimeframe } from './bot-reply.ts';
import { changeBot, requireMode, requireVersion } from './change-bot.ts';
import { refuseRiskier } from './live-gates.ts';
import { refuseLookAhead, refuseUnrunnable } from './strategy-on-market.ts';
import { changeableBot } from './visible-bots.ts';

/** A bot takes the newest version of what its strategy runs. */
export function takeVersionHandlers({ db, markets, now: clock }: ServerDependencies): Pick<Handlers, 'takeVersion'> {
  return {
    async takeVersion(call) {
      const { caller, params, body } = call;
      const read = await changeableBot(db, caller, params.id);
      if ((await findSeenStrategy(db, strategyReader(caller), read.strategyId))?.mayUse !== true)
        throw new HttpError(403, notSharedAnyMore);
      // Asked before anything is locked; a version never changes.
      const wanted = await findCodeByNumber(db, read.strategyId, body.version);
      await refuseUnrunnable(markets, wanted, { ...read, timeframe: effectiveTimeframe(read) });
      return changeBot(db, call, params.id, async (trx, bot) => {
        requireVersion(bot, call.ifVersion);
        requireVersion(bot, read.version); // of which it was asked whether the version can run there
        requireMode(bot, call.query.mode);
        if (!(await holdUsableStrategy(trx, strategyReader(caller), bot.strategyId))) throw new HttpError(403, notSharedAnyMore);
        const newest = await newestCode(trx, bot.strategyId);
        if (newest === null) throw new HttpError(409, hasNoVersions);
        if (newest.number !== body.version) throw new HttpError(409, notTheNewest);
        if (newest.id === bot.codeId) throw new HttpError(409, runsItAlready);
        // What other code does with an account nobody can know.
        if (bot.mode === 'live') {
          refuseLookAhead(newest.description);
          await refuseRiskier(trx, call);
        } else await refuseSuspended(trx, caller.id);
        const after = { ...bot, codeId: newest.id, codeNumber: newest.number, codeDescription: newest.description };
        const [before, later] = [bot, after].map((each) => ({
          timeframe: effectiveTimeframe(each) as Timeframe,
          parameters: effectiveParametersOf(each).values,
          code: each.codeId,
        })) as [Parameters<typeof signalsFrom>[0], Parameters<typeof signalsFrom>[0]];
        const turn = clock(); // as of other changes: not when the call began
        const from = signalsFrom(before, later, turn.getTime());
        await changeBotSettings(trx, bot, botSettingsOf(bot), caller.id, turn, {
          signalsFrom: from === null ? null : new Date(from),
          code: newest,
        });
        await audit(trx, call, caller, 'take-version', 'ok', {
          target: bot.id,
          detail: { strategy: bot.strategyId, from: bot.codeNumber, to: newest.number },
        });
      });
    },
  };
}
