import { fundingColumns } from '#engine/account/funding.ts';
import { dayMs } from '#engine/market/durations.ts';
import type { MarketType } from '#engine/market/instrument.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import { candleOpenTime, timeframeLengths } from '#engine/market/timeframe.ts';
import { pairsBeside } from '#engine/strategy/series.ts';
import { loadCandles } from '#storage/candles/candle-cache.ts';
import type { CandleSeries } from '#storage/candles/candle-chunks.ts';
import { readFunding } from '#storage/candles/funding.ts';
import type { BacktestHandler } from '#storage/backtests/jobs.ts';
import { findStrategyById } from '#storage/strategies/strategies.ts';
import { settingsOf, valuesOf } from '../bots/bot-settings.ts';
import { knownOnCandles } from '#strategies/known-strategy.ts';
import { findCode } from '#storage/strategies/strategy-code.ts';
import { codeToRun } from '../strategy-of-task.ts';
import type { BacktestDependencies } from './backtest-dependencies.ts';
import { historyFor } from './history-for.ts';
import { inThreads } from './in-thread.ts';
import { pythonOfRun } from './python-of-run.ts';
import { pythonSeries } from './python-series.ts';
import { workPortfolio } from './work-portfolio.ts';

/** Works on one backtest: fetches what is missing of its candles, then runs it in a thread of its own. */
export function backtestWorker(dependencies: BacktestDependencies): BacktestHandler {
  return async (run, work) => {
    const terms = await findStrategyById(dependencies.db, run.strategyId);
    if (terms === null) throw new Error('Strategy not found');
    if (run.plan !== null) return workPortfolio(dependencies, { ...run, plan: run.plan }, terms, work);
    const kept = run.codeId === null ? null : await findCode(dependencies.db, run.codeId);
    const timeframe = run.timeframe as Timeframe;
    const strategy = knownOnCandles(terms.className, kept, timeframe);
    const marketType = run.tradingMode as MarketType;
    const length = timeframeLengths[timeframe];
    const to = candleOpenTime(timeframe, dependencies.now());
    const from = to - run.days * dayMs;
    const series: CandleSeries = { exchangeId: run.exchangeId, marketType, symbol: run.symbol, timeframe };
    const span = { from: from - strategy.startupCandles * length, to };

    const paid = marketType === 'futures' ? { from, to } : null;
    const instrument = await historyFor(dependencies, series, { candles: span, funding: paid }, work);
    const otherPairs = pairsBeside(strategy, [run.symbol]);
    for (const symbol of otherPairs) await historyFor(dependencies, { ...series, symbol }, { candles: span, funding: null }, work);
    await work.progress('running', 0, 'Loading candles');
    const stakeAmount = Number(run.stakeAmount);
    const bot = {
      exchangeId: run.exchangeId,
      marketType,
      leverage: run.bot?.leverage ?? '1',
      leverageMode: run.bot?.leverageMode ?? ('isolated' as const),
      stakeAmount: run.stakeAmount,
      maxOpenTrades: run.maxOpenTrades,
      startingBalance: String(stakeAmount * run.maxOpenTrades),
    };
    // Without a fee of its own the run pays that of its market, as a paper bot does.
    const { parameters, ...values } =
      run.bot === null ? valuesOf({ ownSettings: {} }, terms, strategy) : { ...run.bot.values, parameters: run.bot.parameters };
    const settings = settingsOf(bot, { ...values, timeframe }, strategy);
    const load = (symbol: string) => loadCandles(dependencies.db, dependencies.cacheFolder, { ...series, symbol }, span);
    const candles = await load(run.symbol);
    const others = Object.fromEntries(await Promise.all(otherPairs.map(async (symbol) => [symbol, await load(symbol)] as const)));
    const funding = paid === null ? null : fundingColumns(await readFunding(dependencies.db, series, paid));
    return inThreads(
      {
        strategyClass: terms.className,
        code: kept === null ? null : codeToRun(kept),
        parameters,
        settings,
        instrument,
        timeframe,
        candles,
        others,
        funding,
        from,
        to,
        python: pythonOfRun(dependencies, kept, { exchangeId: run.exchangeId, pairs: [run.symbol], timeframe, settings, parameters }),
      },
      work,
      dependencies.warmPythons,
      (name) => pythonSeries(dependencies, run.exchangeId, name, { from, to }, strategy.startupCandles, work),
    );
  };
}
