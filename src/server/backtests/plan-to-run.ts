import { mostPortfolioDays, type portfolioPlan, portfolioTexts } from '#contract/portfolios.ts';
import { texts } from '#contract/errors.ts';
import { dayMs } from '#engine/market/durations.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import type { BotOfBacktest } from '#engine/settings/bot-of-backtest.ts';
import type { z } from 'zod';
import { refuseUnrunnableVersion } from '../bots/strategy-on-market.ts';
import type { Caller } from '../calls/caller.ts';
import { seenStrategy, usableStrategy } from '../calls/seen-strategy.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { botOfRun } from './run-reply.ts';

/** See `portfolioPlan`. */
export type Plan = z.output<typeof portfolioPlan>;

/** The most candles of a run, those of the details included: they are in memory together. */
const mostCandles = 8_000_000;

/** What a caller wants to run over which pairs and time. */
export interface WantedPlan {
  strategyId: string;
  botId: string | undefined; // whose settings it takes
  plan: Plan;
}

/** What of it there is: all that could be refused was looked at. */
export interface PlanToRun {
  strategy: Awaited<ReturnType<typeof seenStrategy>>;
  exchangeId: string;
  bot: BotOfBacktest | null;
  codeId: string | null;
}

/** Looks a plan up and refuses what cannot be run. Fails: 400, 403, 404, 409, 502 */
export async function planToRun(
  dependencies: ServerDependencies,
  caller: Caller,
  { strategyId, botId, plan }: WantedPlan,
  now: Date,
): Promise<PlanToRun> {
  const { db, markets } = dependencies;
  const fault = faultOf(plan, now);
  if (fault !== null) throw new HttpError(400, fault);
  // A bot runs its version for whoever may change it, also when nobody else may use the rules any more.
  const strategy = botId === undefined ? await usableStrategy(db, caller, strategyId) : await seenStrategy(db, caller, strategyId);
  const exchange = markets.find(plan.exchange);
  if (exchange === undefined) throw new HttpError(404, 'Exchange not found');
  const terms = { strategyId, exchangeId: exchange.id, marketType: plan.trading_mode };
  const bot = botId === undefined ? null : await botOfRun(db, caller, botId, terms);
  const codeId = bot === null ? strategy.codeId : bot.codeId;
  await refuseOddPairs(markets, exchange.id, plan);
  const { trading_mode: marketType, timeframe, pairs: symbols } = plan;
  await refuseUnrunnableVersion(dependencies, codeId, { exchangeId: exchange.id, marketType, timeframe, symbols });
  return { strategy, exchangeId: exchange.id, bot: bot?.traded ?? null, codeId };
}

/** How many days a plan has. */
export function daysOf({ from, to }: Pick<Plan, 'from' | 'to'>): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / dayMs) + 1;
}

/** Refuses pairs that the market does not have, and those of several quote currencies: one balance pays for all. */
async function refuseOddPairs(
  markets: ServerDependencies['markets'],
  exchangeId: string,
  { trading_mode: marketType, pairs }: Plan,
): Promise<void> {
  const known = await markets
    .market(exchangeId, marketType)
    .then((market) => market.instruments())
    .catch((cause: unknown) => {
      throw new HttpError(502, texts.exchangeUnreachable, { cause });
    });
  const quotes = new Map(known.map(({ symbol, quote }) => [symbol, quote]));
  if (!pairs.every((pair) => quotes.has(pair))) throw new HttpError(404, 'Trading pair not found');
  if (new Set(pairs.map((pair) => quotes.get(pair))).size > 1) throw new HttpError(400, portfolioTexts.quotes);
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
