import type { WhatIfTerms } from '#engine/lab/what-if/terms.ts';
import { dayMs } from '#engine/market/durations.ts';
import type { Instrument, MarketType } from '#engine/market/instrument.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import { candleOpenTime, timeframeLengths } from '#engine/market/timeframe.ts';
import { pairsBeside } from '#engine/strategy/series.ts';
import type { BacktestRow } from '#storage/backtests/backtests.ts';
import type { StrategyCode } from '#storage/strategies/strategy-code.ts';
import type { StrategyTerms } from '#storage/strategies/strategy-values.ts';
import type { KnownStrategy } from '#strategies/known-strategy.ts';
import { knownOnCandles } from '#strategies/known-strategy.ts';
import type { BotTerms } from '../../bots/bot-settings.ts';
import { settingsOf, valuesOf } from '../../bots/bot-settings.ts';
import { withCosts } from '../../jobs/portfolio-costs.ts';

/** What a run or a bot is of. */
interface OfStrategy {
  strategy: StrategyTerms & { className: string };
  code: StrategyCode | null; // what it runs; null for one that is part of the program
}

/** A run that has ended, with the opening times of its first and its last candle. */
export interface RunToReplay extends OfStrategy {
  run: Pick<BacktestRow, 'exchangeId' | 'symbol' | 'tradingMode' | 'timeframe' | 'stakeAmount' | 'maxOpenTrades' | 'bot' | 'plan'>;
  first: number;
  last: number;
}

/** A bot, to be replayed over its last days. */
export interface BotToReplay extends OfStrategy {
  bot: BotTerms & { symbols: readonly string[] };
  days: number;
  to: number | null; // end of the range; null: now
}

/** What a run was made of. Fails: `CannotRun` and RangeError in one sentence, and as `instrumentOf` */
export async function termsOfRun(
  { run, first, last, strategy: terms, code }: RunToReplay,
  instrumentOf: (symbol: string) => Promise<Instrument>,
): Promise<WhatIfTerms> {
  const { plan, exchangeId, bot } = run;
  const timeframe = (plan?.timeframe ?? run.timeframe) as Timeframe;
  const strategy = knownOnCandles(terms.className, code, timeframe);
  const { parameters, ...values } =
    bot === null ? valuesOf({ ownSettings: {} }, terms, strategy) : { ...bot.values, parameters: bot.parameters };
  const leverageMode = bot?.leverageMode ?? ('isolated' as const);
  const marketType = (plan?.trading_mode ?? run.tradingMode) as MarketType;
  if (plan !== null) {
    const account = {
      exchangeId,
      marketType,
      leverage: String(plan.leverage),
      leverageMode,
      stakeAmount: run.stakeAmount,
      maxOpenTrades: plan.max_open_trades,
      startingBalance: String(plan.starting_balance),
    };
    const plain = settingsOf(account, { ...values, timeframe }, strategy);
    const { settings } = withCosts(plain, plan, await instrumentOf(plan.pairs[0] ?? run.symbol));
    return {
      ...shared(terms.className, strategy, timeframe, plan.pairs),
      exchangeId,
      marketType,
      detailTimeframe: plan.detail_timeframe as Timeframe | null,
      from: Date.parse(plan.from),
      to: last + timeframeLengths[timeframe],
      settings,
      parameters,
      capital: 'own',
      slippageRatio: plan.slippage_ratio,
    };
  }
  const account = {
    exchangeId,
    marketType,
    leverage: bot?.leverage ?? '1',
    leverageMode,
    stakeAmount: run.stakeAmount,
    maxOpenTrades: run.maxOpenTrades,
    startingBalance: String(Number(run.stakeAmount) * run.maxOpenTrades),
  };
  return {
    ...shared(terms.className, strategy, timeframe, [run.symbol]),
    exchangeId,
    marketType,
    detailTimeframe: null,
    from: first,
    to: last + timeframeLengths[timeframe],
    settings: settingsOf(account, { ...values, timeframe }, strategy),
    parameters,
    capital: 'stake-times-slots',
    slippageRatio: 0,
  };
}

/** What a bot trades with now, over its last days. Fails: `CannotRun` and RangeError in one sentence */
export function termsOfBot({ bot, strategy: terms, code, days, to: asked }: BotToReplay, now: number): WhatIfTerms {
  const { timeframe } = valuesOf(bot, terms, { parameters: {} });
  const strategy = knownOnCandles(terms.className, code, timeframe);
  const { parameters, ...values } = valuesOf(bot, terms, strategy);
  const newest = candleOpenTime(timeframe, now);
  const to = asked === null ? newest : Math.min(newest, candleOpenTime(timeframe, asked));
  return {
    ...shared(terms.className, strategy, timeframe, bot.symbols),
    exchangeId: bot.exchangeId,
    marketType: bot.marketType,
    detailTimeframe: null,
    from: to - days * dayMs,
    to,
    settings: settingsOf(bot, values, strategy),
    parameters,
    capital: 'stake-times-slots',
    slippageRatio: 0,
  };
}

function shared(className: string, strategy: KnownStrategy, timeframe: Timeframe, pairs: readonly string[]) {
  const { startupCandles, parameters, series = [] } = strategy;
  return {
    strategy: { name: className, startupCandles, parameters, series },
    timeframe,
    warmUp: startupCandles,
    pairs,
    others: pairsBeside(strategy, pairs),
  };
}
