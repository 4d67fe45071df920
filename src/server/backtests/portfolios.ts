import { portfolioDetails, portfolioPlan } from '#contract/portfolios.ts';
import type { CallReply } from '#contract/client.ts';
import type { PortfolioDetails } from '#engine/report/portfolio-summary.ts';
import type { NewBacktest } from '#storage/backtests/backtests.ts';
import { addBacktest } from '#storage/backtests/backtests.ts';
import type { PortfolioView } from '#storage/backtests/portfolios.ts';
import { findPortfolio, listPortfolios } from '#storage/backtests/portfolios.ts';
import type { z } from 'zod';
import type { Handlers } from '../calls/call.ts';
import type { Caller } from '../calls/caller.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { listedFiguresOf, unreadable } from './backtest-rows.ts';
import { holdRun } from './hold-run.ts';
import { KeptResults } from './kept-results.ts';
import { daysOf, planToRun } from './plan-to-run.ts';
import { botReply, isOver, secondsLeft } from './run-reply.ts';
import { writtenAnswer } from './written-answer.ts';

type Run = CallReply<'listPortfolios'>['runs'][number];

/** Backtests over several pairs. */
export function portfolioHandlers(dependencies: ServerDependencies): Pick<Handlers, 'startPortfolio' | 'listPortfolios' | 'portfolio'> {
  const { db, markets } = dependencies;
  const results = new KeptResults(db);

  return {
    async startPortfolio({ caller, body: { strategy_id: strategyId, bot_id: botId, plan }, now }) {
      const { exchangeId, bot, codeId } = await planToRun(dependencies, caller, { strategyId, botId, plan }, now);
      const run: NewBacktest = {
        userId: caller.id,
        strategyId,
        exchangeId,
        symbol: plan.pairs[0] ?? '',
        tradingMode: plan.trading_mode,
        timeframe: plan.timeframe,
        days: daysOf(plan),
        stakeAmount: plan.stake_amount ?? plan.starting_balance / plan.max_open_trades,
        maxOpenTrades: plan.max_open_trades,
        bot,
        codeId,
        plan,
      };
      const jobs = await dependencies.jobs();
      const id = await db.transaction().execute(async (trx) => {
        await holdRun(trx, caller, { strategyId, botId }, 'changes');
        const added = await addBacktest(trx, run);
        if (added !== null) await jobs.enqueueBacktest(trx, added);
        return added;
      });
      if (id === null) throw new HttpError(409, 'A backtest is already running');
      return { id };
    },

    async listPortfolios({ caller, now }) {
      return { runs: (await listPortfolios(db, ownerOf(caller))).flatMap((run) => toReply(run, caller, now) ?? []) };
    },

    async portfolio({ caller, params, now, isGone }) {
      const run = await findPortfolio(db, params.id);
      const owner = ownerOf(caller);
      if (run === null || (owner !== null && run.userId !== owner)) throw new HttpError(404, 'Backtest not found');
      const reply = toReply(run, caller, now);
      if (reply === null) throw new HttpError(404, 'Backtest not found');
      if (run.status !== 'done' || run.detailsRemovedAt !== null) return { run: reply, details: null };
      const { made, free } = await results.hold({ person: caller.id, runId: run.id, schema: portfolioDetails, isGone });
      if (made !== null && made !== unreadable) return writtenAnswer('portfolio', { run: reply, details: null }, made, free);
      free();
      return { run: made === null ? reply : { ...reply, ...notShown }, details: null };
    },
  };

  /** Null where another version of the program has kept a plan that this one cannot read. */
  function toReply(run: PortfolioView, caller: Caller, now: Date): Run | null {
    const figures = listedFiguresOf(run);
    const plan = portfolioPlan.safeParse(run.plan);
    if (!plan.success) return null;
    return {
      id: run.id,
      status: run.status,
      strategy_id: run.strategyId,
      strategy_name: run.strategyName,
      code_version: run.codeNumber,
      exchange_name: markets.find(run.exchangeId)?.name ?? run.exchangeId,
      plan: plan.data,
      bot: run.bot === null ? null : botReply(run.bot),
      created_at: run.createdAt.toISOString(),
      finished_at: run.finishedAt?.toISOString() ?? null,
      details_removed_at: run.detailsRemovedAt?.toISOString() ?? null,
      error: run.error,
      is_own: run.userId === caller.id,
      metrics: null,
      equity: null,
      progress: Number(run.progress),
      step: isOver(run) ? '' : run.step,
      seconds_left: isOver(run) ? null : secondsLeft(run, now.getTime()),
      is_cancelled: run.cancelled,
      tries: run.tries,
      ...(figures === unreadable ? notShown : figures),
    };
  }
}

/** A run whose row cannot be read is listed with the sentence that says so. */
const notShown = { status: 'failed', error: unreadable, metrics: null, equity: null } as const;

/** Whose runs a caller sees; null is everybody's. */
function ownerOf({ role, id }: Caller): string | null {
  return role === 'admin' ? null : id;
}

/** What runners keep is what the contract takes: a field that one of the two renames does not compile here. */
export type PortfolioIsWire = PortfolioDetails extends z.input<typeof portfolioDetails> ? true : never;
const isWire: PortfolioIsWire = true;
void isWire;
