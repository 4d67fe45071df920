import { fundingColumns } from '#engine/account/funding.ts';
import type { BacktestPair } from '#engine/backtest/input.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import { dayMs } from '#engine/market/durations.ts';
import type { Instrument } from '#engine/market/instrument.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import { candleOpenTime, timeframeLengths } from '#engine/market/timeframe.ts';
import type { PortfolioPlan } from '#engine/settings/portfolio-plan.ts';
import { pairsBeside } from '#engine/strategy/series.ts';
import type { BacktestOutcome, BacktestRow } from '#storage/backtests/backtests.ts';
import type { BacktestWork } from '#storage/backtests/jobs.ts';
import { loadCandles } from '#storage/candles/candle-cache.ts';
import type { CandleSeries } from '#storage/candles/candle-chunks.ts';
import { readFunding } from '#storage/candles/funding.ts';
import type { StrategyView } from '#storage/strategies/strategies.ts';
import { findCode } from '#storage/strategies/strategy-code.ts';
import { knownOnCandles } from '#strategies/known-strategy.ts';
import { settingsOf, valuesOf } from '../bots/bot-settings.ts';
import { codeToRun } from '../strategy-of-task.ts';
import { historyFor } from './history-for.ts';
import { inThreads } from './in-thread.ts';
import { pythonOfRun } from './python-of-run.ts';
import { pythonSeries } from './python-series.ts';
import type { BacktestDependencies } from './backtest-dependencies.ts';
import { withCosts } from './portfolio-costs.ts';

type Pair = Omit<BacktestPair, 'signals'>;

/** Works on one backtest over several pairs: fetches what is missing of their candles, then runs them in a thread of its own. */
export async function workPortfolio(
  dependencies: BacktestDependencies,
  run: BacktestRow & { plan: PortfolioPlan },
  terms: StrategyView,
  work: BacktestWork,
): Promise<BacktestOutcome> {
  const { db, cacheFolder, now } = dependencies;
  const { plan } = run;
  const kept = run.codeId === null ? null : await findCode(db, run.codeId);
  const timeframe = plan.timeframe as Timeframe;
  const detailTimeframe = plan.detail_timeframe as Timeframe | null;
  const strategy = knownOnCandles(terms.className, kept, timeframe);
  const from = Date.parse(plan.from);
  const to = Math.min(Date.parse(plan.to) + dayMs, candleOpenTime(timeframe, now()));
  if (to <= from) throw new Error('The range has no closed candle yet.');
  const span = { from: from - strategy.startupCandles * timeframeLengths[timeframe], to };
  const seriesOf = (symbol: string, of: Timeframe): CandleSeries => ({
    exchangeId: run.exchangeId,
    marketType: plan.trading_mode,
    symbol,
    timeframe: of,
  });
  const paid = plan.trading_mode === 'futures' ? { from, to } : null;
  const otherPairs = pairsBeside(strategy, plan.pairs);

  // Each pair is a part of the progress, its details another.
  const wanted = [
    ...plan.pairs.map((symbol) => ({ series: seriesOf(symbol, timeframe), request: { candles: span, funding: paid } })),
    ...otherPairs.map((symbol) => ({ series: seriesOf(symbol, timeframe), request: { candles: span, funding: null } })),
    ...(detailTimeframe === null
      ? []
      : plan.pairs.map((symbol) => ({ series: seriesOf(symbol, detailTimeframe), request: { candles: { from, to }, funding: null } }))),
  ];
  const instruments = new Map<string, Instrument>();
  for (const [i, { series, request }] of wanted.entries()) {
    const part: BacktestWork = {
      signal: work.signal,
      progress: (phase, ratio, step) => work.progress(phase, (i + ratio) / wanted.length, step === '' ? step : `${series.symbol}: ${step}`),
    };
    instruments.set(series.symbol, await historyFor(dependencies, series, request, part));
  }

  await work.progress('running', 0, 'Loading candles');
  const load = (symbol: string): Promise<CandleColumns> => loadCandles(db, cacheFolder, seriesOf(symbol, timeframe), span);
  const pairs: Pair[] = [];
  const withoutCandles: string[] = [];
  for (const symbol of plan.pairs) {
    const candles = await load(symbol);
    const instrument = instruments.get(symbol);
    if (instrument === undefined || !candles.openTime.some((time) => time >= from)) {
      withoutCandles.push(symbol);
      continue;
    }
    const detail = detailTimeframe === null ? null : await loadCandles(db, cacheFolder, seriesOf(symbol, detailTimeframe), { from, to });
    const funding = paid === null ? null : fundingColumns(await readFunding(db, seriesOf(symbol, timeframe), paid));
    pairs.push({ instrument, candles, detail, funding });
  }
  const [first] = pairs;
  if (first === undefined) throw new Error('None of the pairs has candles in this range.');
  const others = Object.fromEntries(await Promise.all(otherPairs.map(async (symbol) => [symbol, await load(symbol)] as const)));

  const { parameters, ...values } =
    run.bot === null ? valuesOf({ ownSettings: {} }, terms, strategy) : { ...run.bot.values, parameters: run.bot.parameters };
  const bot = {
    exchangeId: run.exchangeId,
    marketType: plan.trading_mode,
    leverage: String(plan.leverage),
    leverageMode: run.bot?.leverageMode ?? ('isolated' as const),
    stakeAmount: run.stakeAmount,
    maxOpenTrades: plan.max_open_trades,
    startingBalance: String(plan.starting_balance),
  };
  const settings = settingsOf(bot, { ...values, timeframe }, strategy);
  return inThreads(
    {
      strategyClass: terms.className,
      code: kept === null ? null : codeToRun(kept),
      parameters,
      ...withCosts(settings, plan, first.instrument),
      timeframe,
      detailTimeframe,
      pairs,
      withoutCandles,
      others,
      from,
      to,
      python: pythonOfRun(dependencies, kept, {
        exchangeId: run.exchangeId,
        pairs: pairs.map(({ instrument }) => instrument.symbol),
        timeframe,
        settings,
        parameters,
      }),
    },
    work,
    dependencies.warmPythons,
    (name) => pythonSeries(dependencies, run.exchangeId, name, { from, to }, strategy.startupCandles, work),
  );
}
