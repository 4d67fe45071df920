import { randomInt } from 'node:crypto';
import type { CallInput } from '#contract/client.ts';
import { epochsAtOnce, studyTexts } from '#contract/studies.ts';
import { searchSpace } from '#engine/lab/search-space.ts';
import { Study } from '#engine/lab/study.ts';
import type { StudySearch } from '#engine/lab/study-record.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import { findCode } from '#storage/strategies/strategy-code.ts';
import type { StudyView } from '#storage/studies/studies.ts';
import { addStudy, cancelStudy, findStudy, listEpochs, listStudies, openSeal, removeStudy } from '#storage/studies/studies.ts';
import { triesOfStudy } from '#storage/studies/study-tries.ts';
import { knownOnCandles } from '#strategies/known-strategy.ts';
import { audit } from '../audit/audit.ts';
import { holdRun, lockVerified } from '../backtests/hold-run.ts';
import { planToRun } from '../backtests/plan-to-run.ts';
import { refuseUnrunnableAt } from '../bots/strategy-on-market.ts';
import type { Caller } from '../calls/caller.ts';
import type { Handlers } from '../calls/call.ts';
import type { seenStrategy } from '../calls/seen-strategy.ts';
import { usableStrategy } from '../calls/seen-strategy.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { epochReply, studyDetailsReply, studyReply } from './study-reply.ts';

type Search = CallInput<'startStudy'>['body']['search'];
type Base = Parameters<typeof searchSpace>[0];

/** Studies: workers take them from the database by themselves. */
export function studyHandlers(
  dependencies: ServerDependencies,
): Pick<Handlers, 'studySpace' | 'startStudy' | 'listStudies' | 'study' | 'cancelStudy' | 'openSeal' | 'removeStudy'> {
  const { db, markets } = dependencies;

  /** What of a strategy can be searched. Fails: 400 where this version of the program cannot run it */
  const baseOf = async (
    { name, className }: Awaited<ReturnType<typeof seenStrategy>>,
    codeId: string | null,
    timeframe: Timeframe,
    settings: Base['settings'],
  ): Promise<Base> => {
    const code = codeId === null ? null : await findCode(db, codeId);
    if (code !== null) refuseUnrunnableAt(code, timeframe);
    const { parameters } = knownOnCandles(className, code, timeframe);
    return { strategy: { name, parameters }, settings, timeframe };
  };

  const ofCaller = async (caller: Caller, id: string): Promise<StudyView> => {
    const study = await findStudy(db, id);
    if (study === null || (caller.role !== 'admin' && study.userId !== caller.id)) throw new HttpError(404, studyTexts.notFound);
    return study;
  };

  return {
    async studySpace({ caller, body: { strategy_id: strategyId, timeframe, is_stake_unlimited: isUnlimited, protections, spaces } }) {
      const strategy = await usableStrategy(db, caller, strategyId);
      const settings = { protections, stakeAmount: isUnlimited ? ('unlimited' as const) : 1 };
      const { dimensions } = searchSpace(await baseOf(strategy, strategy.codeId, timeframe, settings), spaces);
      return { dimensions };
    },

    async startStudy(call) {
      const { caller, body, now } = call;
      const { strategy_id: strategyId, bot_id: botId, plan, search } = body;
      const { strategy, exchangeId, bot, codeId } = await planToRun(dependencies, caller, { strategyId, botId, plan }, now);
      const settings = { protections: plan.protections, stakeAmount: plan.stake_amount ?? ('unlimited' as const) };
      const wanted = searchOf(search, await baseOf(strategy, codeId, plan.timeframe, settings));
      const id = await db.transaction().execute(async (trx) => {
        await holdRun(trx, caller, { strategyId, botId }, 'locks'); // two calls at once must not both find room for one more
        const added = await addStudy(trx, {
          userId: caller.id,
          strategyId,
          codeId,
          strategyName: strategy.name,
          exchangeId,
          plan,
          bot,
          search: wanted,
        });
        if (added === null) throw new HttpError(409, studyTexts.tooMany);
        await audit(trx, call, caller, 'start-study', 'ok', { target: added, detail: { strategy: strategy.name } });
        return added;
      });
      return { id };
    },

    async listStudies({ caller }) {
      const studies = await listStudies(db, caller.role === 'admin' ? null : caller.id);
      return { studies: studies.flatMap((study) => studyReply(study, caller, markets) ?? []) };
    },

    async study({ caller, params, query }) {
      const study = await ofCaller(caller, params.id);
      const reply = studyReply(study, caller, markets);
      if (reply === null) throw new HttpError(404, studyTexts.notFound);
      const epochs = await listEpochs(db, study.id, Number(query.after ?? 0), epochsAtOnce);
      return {
        study: reply,
        details: studyDetailsReply(study, caller, await triesOfStudy(db, study.id)),
        epochs: epochs.map(epochReply),
      };
    },

    async cancelStudy(call) {
      const { caller, params } = call;
      const study = await ofCaller(caller, params.id);
      await db.transaction().execute(async (trx) => {
        if (!(await cancelStudy(trx, study.id))) throw new HttpError(409, studyTexts.ended);
        await audit(trx, call, caller, 'cancel-study', 'ok', { target: study.id, detail: { strategy: study.strategyName } });
      });
      return { id: study.id };
    },

    async openSeal(call) {
      const { caller, params, body } = call;
      const study = await ofCaller(caller, params.id);
      if (study.search.sealedShare === null) throw new HttpError(409, studyTexts.nothingSealed);
      await db.transaction().execute(async (trx) => {
        await lockVerified(trx, caller, 'changes');
        if (!(await openSeal(trx, study.id, caller.id, body.epoch))) throw await whyNotOpened(study.id);
        await audit(trx, call, caller, 'open-seal', 'ok', {
          target: study.id,
          detail: { strategy: study.strategyName, epoch: body.epoch },
        });
      });
      return { id: study.id };
    },

    async removeStudy(call) {
      const { caller, params } = call;
      const study = await ofCaller(caller, params.id);
      await db.transaction().execute(async (trx) => {
        if (!(await removeStudy(trx, study.id))) throw new HttpError(409, studyTexts.notEnded);
        await audit(trx, call, caller, 'remove-study', 'ok', { target: study.id, detail: { strategy: study.strategyName } });
      });
      return { id: study.id };
    },
  };

  async function whyNotOpened(id: string): Promise<HttpError> {
    const study = await findStudy(db, id);
    if (study === null) return new HttpError(404, studyTexts.notFound);
    if (study.unsealedAt !== null) return new HttpError(409, studyTexts.opened);
    return study.status === 'done' ? new HttpError(400, studyTexts.epochFailed) : new HttpError(409, studyTexts.notDone);
  }
}

/** What is searched. Fails: 400 with what is wrong with it */
function searchOf(search: Search, base: Base): StudySearch {
  const { spaces, ranges, sampler, loss, epochs, seed } = search;
  const refuse = (faults: readonly string[]): void => {
    if (faults.length > 0)
      throw new HttpError(
        400,
        studyTexts.space.replace('{fault}', () => faults.join(' ')),
      );
  };
  const space = searchSpace(base, spaces, ranges);
  refuse(space.faults);
  const { dimensions } = space;
  const plan = { dimensions, sampler, seed: seed ?? randomInt(1, 2 ** 31), epochs, earlyStop: search.early_stop };
  const fault = Study.faultOf(plan);
  refuse(fault === null ? [] : [fault]);
  return { ...plan, spaces, loss, minTrades: search.min_trades, sealedShare: search.sealed_ratio };
}
