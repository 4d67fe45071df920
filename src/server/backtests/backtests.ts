import { backtestDetails, backtestTimeframes } from '#contract/backtests.ts';
import type { CallReply } from '#contract/client.ts';
import { texts } from '#contract/errors.ts';
import type { BacktestView, NewBacktest } from '#storage/backtests/backtests.ts';
import {
  addBacktest,
  findBacktest,
  findUnfinishedBacktest,
  listBacktests,
  downloadFailed,
  stopBacktest,
} from '#storage/backtests/backtests.ts';
import { noRoomForCandles } from '#storage/candles/no-room-for-candles.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { figuresOf, listedFiguresOf, unreadable } from './backtest-rows.ts';
import { holdRun } from './hold-run.ts';
import { KeptResults } from './kept-results.ts';
import { botOfRun, botReply, isOver, secondsLeft } from './run-reply.ts';
import { writtenAnswer } from './written-answer.ts';
import { audit } from '../audit/audit.ts';
import { refuseUnrunnableVersion } from '../bots/strategy-on-market.ts';
import type { Caller } from '../calls/caller.ts';
import type { Call, Handlers } from '../calls/call.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { seenStrategy, usableStrategy } from '../calls/seen-strategy.ts';

type Settings = Omit<Call<'runBacktest'>['body'], 'strategy_id' | 'strategy_name' | 'bot_id'>;

/** What a run is asked for with: its strategy, and the bot whose settings it takes, if any. */
type Asked = Settings & { strategyId: string; botId: string | undefined };

type Run = CallReply<'backtestResults'>['results'][number];

const lookMs = 200;

/** What a cancelled run is shown with. */
const cancelled = 'The backtest was cancelled';

/** Backtests: a run is a job in the database; the call that started it stays open until it ends. */
export function backtestHandlers(
  dependencies: ServerDependencies,
): Pick<Handlers, 'backtestStrategy' | 'runBacktest' | 'cancelBacktest' | 'backtestResults'> {
  const { db, markets } = dependencies;
  const results = new KeptResults(db);

  /** Starts a run, or joins the same one when it is under way already (a call that was repeated). */
  const start = async (caller: Caller, { strategyId, botId, ...settings }: Asked): Promise<string> => {
    const userId = caller.id;
    const isOffered = botId !== undefined || backtestTimeframes.some((timeframe) => timeframe === settings.timeframe);
    if (!isOffered) throw new HttpError(400, 'Invalid timeframe');
    // A bot runs its version for whoever may change it, also when nobody else may use the rules any more.
    const strategy = botId === undefined ? await usableStrategy(db, caller, strategyId) : await seenStrategy(db, caller, strategyId);
    const exchange = markets.find(settings.exchange);
    if (exchange === undefined) throw new HttpError(404, 'Exchange not found');
    const terms = { strategyId, exchangeId: exchange.id, marketType: settings.trading_mode };
    const bot = botId === undefined ? null : await botOfRun(db, caller, botId, terms);
    const run: NewBacktest = {
      userId,
      strategyId,
      exchangeId: exchange.id,
      symbol: settings.symbol,
      tradingMode: settings.trading_mode,
      timeframe: settings.timeframe,
      days: settings.days,
      stakeAmount: settings.stake_amount,
      maxOpenTrades: settings.max_open_trades,
      bot: bot?.traded ?? null,
      codeId: bot === null ? strategy.codeId : bot.codeId,
      plan: null,
    };
    const under = await findUnfinishedBacktest(db, userId);
    if (under !== null) return joinOrRefuse(under, run);
    const unreachable = (cause: unknown): never => {
      throw cause instanceof HttpError ? cause : new HttpError(502, downloadFailed, { cause });
    };
    const instrument = await markets.instrument(exchange.id, settings.trading_mode, settings.symbol).catch(unreachable);
    if (instrument === null) throw new HttpError(404, 'Trading pair not found');
    const where = {
      exchangeId: exchange.id,
      marketType: settings.trading_mode,
      timeframe: settings.timeframe,
      symbols: [settings.symbol],
    };
    await refuseUnrunnableVersion(dependencies, run.codeId, where).catch(unreachable);
    const jobs = await dependencies.jobs();
    const id = await db.transaction().execute(async (trx) => {
      await holdRun(trx, caller, { strategyId, botId }, 'changes');
      const added = await addBacktest(trx, run);
      if (added !== null) await jobs.enqueueBacktest(trx, added);
      return added;
    });
    if (id !== null) return id;
    const other = await findUnfinishedBacktest(db, userId); // another call was quicker
    if (other === null) throw new HttpError(409, 'A backtest is already running');
    return joinOrRefuse(other, run);
  };

  const untilDone = async (id: string, isGone: () => boolean): Promise<CallReply<'runBacktest'>> => {
    for (;;) {
      const run = await findBacktest(db, id);
      if (run === null) throw new HttpError(404, 'Not found');
      if (run.status === 'done') {
        const figures = figuresOf(run);
        if (figures === null || figures === unreadable) throw new HttpError(400, unreadable);
        return { id, ...figures };
      }
      if (run.cancelled) throw new HttpError(409, cancelled);
      if (run.status === 'failed')
        throw new HttpError(
          run.error === downloadFailed || run.error === noRoomForCandles ? 502 : 400,
          run.error ?? 'Failed to run backtest',
        );
      if (isGone()) throw new HttpError(400, texts.invalidRequest); // nobody waits for it; the run continues
      await sleep(lookMs);
    }
  };

  return {
    backtestStrategy: async ({ caller, params, body, isGone }) =>
      untilDone(await start(caller, { ...body, strategyId: params.id, botId: undefined }), isGone),

    runBacktest: async ({ caller, body: { strategy_id: strategyId, strategy_name: _name, bot_id: botId, ...settings }, isGone }) =>
      untilDone(await start(caller, { ...settings, strategyId, botId }), isGone),

    async cancelBacktest(call) {
      const { caller, params } = call;
      const run = await findBacktest(db, params.id);
      if (run === null || (caller.role !== 'admin' && run.userId !== caller.id)) throw new HttpError(404, 'Backtest not found');
      const jobs = await dependencies.jobs();
      await db.transaction().execute(async (trx) => {
        if (!(await stopBacktest(trx, run.id, cancelled))) throw new HttpError(409, 'The backtest has already ended');
        if (run.userId === caller.id) return;
        await audit(trx, call, caller, 'cancel-backtest', 'ok', { target: run.id, detail: { strategy: run.strategyName } });
      });
      await jobs.cancelBacktest(run.id, cancelled); // the run has ended; its place in the queue is given up
      return { id: run.id };
    },

    async backtestResults({ caller, query, isGone }) {
      const ownerId = caller.role === 'admin' ? null : caller.id;
      if (query.id === undefined) return { results: (await listBacktests(db, ownerId)).map((run) => toReply(run, caller.id)) };
      const run = await findBacktest(db, query.id);
      if (run === null || (ownerId !== null && run.userId !== ownerId)) return { results: [] };
      const answer = { results: [{ ...toReply(run, caller.id), details: null }] };
      if (run.status !== 'done' || run.detailsRemovedAt !== null) return answer;
      const { made, free } = await results.hold({ person: caller.id, runId: run.id, schema: backtestDetails, isGone });
      if (made !== null && made !== unreadable) return writtenAnswer('backtestResults', answer, made, free);
      free();
      return made === null ? answer : { results: answer.results.map((reply) => ({ ...reply, ...notShown })) };
    },
  };

  function toReply(run: BacktestView, callerId: string): Run {
    const figures = listedFiguresOf(run);
    return {
      id: run.id,
      status: run.status,
      strategy_id: run.strategyId,
      strategy_name: run.strategyName,
      exchange: markets.find(run.exchangeId)?.name ?? run.exchangeId,
      symbol: run.symbol,
      trading_mode: run.tradingMode as Run['trading_mode'],
      timeframe: run.timeframe as Run['timeframe'],
      days: run.days,
      stake_amount: Number(run.stakeAmount),
      max_open_trades: run.maxOpenTrades,
      bot: run.bot === null ? null : botReply(run.bot),
      created_at: run.createdAt.toISOString(),
      finished_at: run.finishedAt?.toISOString() ?? null,
      details_removed_at: run.detailsRemovedAt?.toISOString() ?? null,
      error: run.error,
      is_own: run.userId === callerId,
      progress: Number(run.progress),
      step: isOver(run) ? '' : run.step,
      seconds_left: isOver(run) ? null : secondsLeft(run, Date.now()),
      is_cancelled: run.cancelled,
      metrics: null,
      equity: null,
      ...(figures === unreadable ? notShown : figures),
    };
  }
}

/** A run whose row cannot be read is listed with the sentence that says so. */
const notShown = { status: 'failed', error: unreadable, metrics: null, equity: null } as const;

function joinOrRefuse(under: BacktestView, wanted: NewBacktest): string {
  const isSame =
    under.plan === null &&
    isDeepStrictEqual(under.bot, wanted.bot) &&
    under.strategyId === wanted.strategyId &&
    under.codeId === wanted.codeId && // another version comes to something else
    under.exchangeId === wanted.exchangeId &&
    under.symbol === wanted.symbol &&
    under.tradingMode === wanted.tradingMode &&
    under.timeframe === wanted.timeframe &&
    under.days === wanted.days &&
    under.maxOpenTrades === wanted.maxOpenTrades &&
    Number(under.stakeAmount) === Number(wanted.stakeAmount);
  if (!isSame) throw new HttpError(409, 'A backtest is already running');
  return under.id;
}
