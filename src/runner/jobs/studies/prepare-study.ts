import { tradingStart } from '#engine/backtest/trading-start.ts';
import type { StudyGround } from '#engine/lab/study-record.ts';
import { sealedRange } from '#engine/lab/study-range.ts';
import { toKeptInstrument } from '#engine/market/kept-instrument.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import type { PortfolioDetails } from '#engine/report/portfolio-summary.ts';
import { drawdownOf } from '#engine/report/reference-metrics.ts';
import type { BacktestWork } from '#storage/backtests/jobs.ts';
import type { StudyRow } from '#storage/studies/studies.ts';
import type { SeriesName } from '#strategy-process/wire/python-load.ts';
import type { BacktestDependencies } from '../backtest-dependencies.ts';
import { valuesOf } from '../../bots/bot-settings.ts';
import { inThreads } from '../in-thread.ts';
import { downloadPlan, knownUntil, loadPlan } from '../plan-candles.ts';
import { pythonSeries } from '../python-series.ts';
import { spanOfPlan, withoutAnyCandles } from '../work-portfolio.ts';
import { candlesHash } from './candles-hash.ts';
import { strategyOfStudy, taskOfStudy } from './open-study.ts';

/**
 * Finds out what all epochs of a study run on: fetches what is missing of its candles, and runs it once with nothing turned, which finds
 * what is wrong with its strategy.
 *
 * Fails: Error in one sentence
 */
export async function prepareStudy(dependencies: BacktestDependencies, row: StudyRow, work: BacktestWork): Promise<StudyGround> {
  const { plan, exchangeId, search } = row;
  const known = await strategyOfStudy(dependencies, row);
  const { strategy } = known;
  const asked = { exchangeId, plan, strategy, span: spanOfPlan(plan, dependencies.now()) };
  const instruments = await downloadPlan(dependencies, asked, work);
  await work.progress('running', 0, 'Loading candles');
  // What is fetched later by somebody must not change what the epochs run on.
  const span = { from: asked.span.from, to: await knownUntil(dependencies, asked) };
  const { pairs, withoutCandles, others } = await loadPlan(dependencies, { ...asked, span }, instruments);
  if (pairs.length === 0) throw new Error(withoutAnyCandles);
  const step = timeframeLengths[plan.timeframe as Timeframe];
  const candles = pairs.map((pair) => pair.candles);
  const from = tradingStart(span.from, candles, strategy.startupCandles, step);
  const to = Math.min(span.to - step, Math.max(...candles.map(({ openTime }) => openTime.at(-1) ?? -Infinity)));
  if (!(from < to)) throw new Error('There are no candles in this time after the warm-up of the strategy.');
  const ranges = sealedRange({ from, to }, search.sealedShare, step);
  if (ranges === null) throw new Error('There are too few candles to seal a part of them.');
  const { studied: range, sealed } = ranges;

  await work.progress('running', 0, 'Trying the settings as they are');
  const read: SeriesName[] = [];
  const { parameters: ofStrategy, ...values } = valuesOf({ ownSettings: {} }, known.terms, strategy);
  const strategySettings = { values, parameters: ofStrategy };
  const { parameters, settings, timeframe, detailTimeframe, code, strategyClass, python } = taskOfStudy(
    dependencies,
    row,
    known,
    { pairs, others, range },
    [],
  );
  const { result } = await inThreads(
    {
      strategyClass,
      code,
      parameters,
      settings,
      timeframe,
      detailTimeframe,
      pairs: [...pairs],
      withoutCandles,
      others,
      from: range.from,
      to: range.to + step,
      python,
      slippageShare: 0,
    },
    work,
    dependencies.warmPythons,
    async (name) => {
      read.push(name);
      return pythonSeries(dependencies, exchangeId, name, span, strategy.startupCandles, work);
    },
  );
  const details = result as PortfolioDetails;
  return {
    range,
    sealed,
    until: span.to,
    ...(row.bot === null ? { settings: strategySettings } : {}),
    instruments: pairs.map(({ instrument }) => toKeptInstrument(instrument)),
    candles: candlesHash(pairs, others),
    series: read,
    notes: [
      ...(details.notes ?? []),
      ...(withoutCandles.length === 0 ? [] : [`Without candles in this range: ${withoutCandles.join(', ')}.`]),
    ],
    configured: {
      trades: details.total.trades,
      profit: details.net_pnl,
      profitRatio: details.net_ratio,
      // As that of every epoch, beside which it stands.
      maxDrawdownRatio: drawdownOf(
        details.trades.map(({ exit_timestamp: closeTime, pnl: profit }) => ({ closeTime, profit })),
        details.starting_balance,
      ).accountDrawdown,
    },
    marketChange: details.hold_pnl / details.starting_balance,
  };
}
