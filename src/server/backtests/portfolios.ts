import { portfolioDetails, mostPortfolioDays, portfolioPlan, portfolioTexts } from '#contract/portfolios.ts';
import type { CallReply } from '#contract/client.ts';
import { texts } from '#contract/errors.ts';
import { dayMs } from '#engine/market/durations.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import type { PortfolioDetails } from '#engine/report/portfolio-summary.ts';
import type { NewBacktest } from '#storage/backtests/backtests.ts';
import { addBacktest, findBacktestResult } from '#storage/backtests/backtests.ts';
import type { PortfolioView } from '#storage/backtests/portfolios.ts';
import { findPortfolio, listPortfolios } from '#storage/backtests/portfolios.ts';
import type { z } from 'zod';
import { refuseUnrunnableVersion } from '../bots/strategy-on-market.ts';
import type { Handlers } from '../calls/call.ts';
import type { Caller } from '../calls/caller.ts';
import { seenStrategy, usableStrategy } from '../calls/seen-strategy.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { figuresOf, unreadable } from './backtest-rows.ts';
import { botOfRun, botReply, isOver, secondsLeft } from './run-reply.ts';

type Plan = z.output<typeof portfolioPlan>;
type Run = CallReply<'listPortfolios'>['runs'][number];

/** The most candles of a run, those of the details included: they are in memory together. */
const mostCandles = 8_000_000;

/** Backtests over several pairs. */
export function portfolioHandlers(dependencies: ServerDependencies): Pick<Handlers, 'startPortfolio' | 'listPortfolios' | 'portfolio'> {
  const { db, markets } = dependencies;

  return {
    async startPortfolio({ caller, body: { strategy_id: strategyId, bot_id: botId, plan }, now }) {
      const fault = faultOf(plan, now);
      if (fault !== null) throw new HttpError(400, fault);
      const strategy = botId === undefined ? await usableStrategy(db, caller, strategyId) : await seenStrategy(db, caller, strategyId);
      const exchange = markets.find(plan.exchange);
      if (exchange === undefined) throw new HttpError(404, 'Exchange not found');
      const bot =
        botId === undefined
          ? null
          : await botOfRun(db, caller, botId, { strategyId, exchangeId: exchange.id, marketType: plan.trading_mode });
      const codeId = bot === null ? strategy.codeId : bot.codeId;
      await refuseUnknownPairs(exchange.id, plan);
      await refuseUnrunnableVersion(dependencies, codeId, {
        exchangeId: exchange.id,
        marketType: plan.trading_mode,
        timeframe: plan.timeframe,
        symbols: plan.pairs,
      });
      const run: NewBacktest = {
        userId: caller.id,
        strategyId,
        exchangeId: exchange.id,
        symbol: plan.pairs[0] ?? '',
        tradingMode: plan.trading_mode,
        timeframe: plan.timeframe,
        days: daysOf(plan),
        stakeAmount: plan.stake_amount ?? plan.starting_balance / plan.max_open_trades,
        maxOpenTrades: plan.max_open_trades,
        bot: bot?.traded ?? null,
        codeId,
        plan,
      };
      const jobs = await dependencies.jobs();
      const id = await db.transaction().execute(async (trx) => {
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

    async portfolio({ caller, params, now }) {
      const run = await findPortfolio(db, params.id);
      const owner = ownerOf(caller);
      if (run === null || (owner !== null && run.userId !== owner)) throw new HttpError(404, 'Backtest not found');
      const reply = toReply(run, caller, now);
      if (reply === null) throw new HttpError(404, 'Backtest not found');
      const details = detailsOf(await findBacktestResult(db, run.id));
      return details === unreadable ? { run: { ...reply, ...notShown }, details: null } : { run: reply, details };
    },
  };

  async function refuseUnknownPairs(exchangeId: string, { trading_mode: marketType, pairs }: Plan): Promise<void> {
    const known = await markets
      .market(exchangeId, marketType)
      .then((market) => market.instruments())
      .catch((cause: unknown) => {
        throw new HttpError(502, texts.exchangeUnreachable, { cause });
      });
    const symbols = new Set(known.map(({ symbol }) => symbol));
    if (!pairs.every((pair) => symbols.has(pair))) throw new HttpError(404, 'Trading pair not found');
  }

  /** Null where another version of the program has kept a plan that this one cannot read. */
  function toReply(run: PortfolioView, caller: Caller, now: Date): Run | null {
    const figures = figuresOf(run);
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

function daysOf({ from, to }: Plan): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / dayMs) + 1;
}

/** What is wrong with a plan as a whole, in a sentence; null when nothing is. */
function faultOf(plan: Plan, now: Date): string | null {
  const days = daysOf(plan);
  if (days < 1 || Date.parse(plan.to) > now.getTime()) return portfolioTexts.range;
  if (days > mostPortfolioDays) return portfolioTexts.tooLong;
  const length = timeframeLengths[plan.timeframe];
  const detail = plan.detail_timeframe === null ? null : timeframeLengths[plan.detail_timeframe];
  if (detail !== null && (detail >= length || length % detail !== 0)) return portfolioTexts.detail;
  const candles = plan.pairs.length * days * (dayMs / length + (detail === null ? 0 : dayMs / detail));
  if (candles > mostCandles) return portfolioTexts.tooMuch;
  if ((plan.stake_amount ?? 0) > plan.starting_balance) return portfolioTexts.stakeAboveBalance;
  return null;
}

function detailsOf(stored: Record<string, unknown> | null): z.output<typeof portfolioDetails> | typeof unreadable | null {
  if (stored === null) return null;
  const read = portfolioDetails.safeParse(stored);
  return read.success ? read.data : unreadable;
}

/** What runners keep is what the contract takes: a field that one of the two renames does not compile here. */
export type PortfolioIsWire = PortfolioDetails extends z.input<typeof portfolioDetails> ? true : never;
const isWire: PortfolioIsWire = true;
void isWire;
