import { dayMs } from '#engine/market/durations.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import { candleOpenTime } from '#engine/market/timeframe.ts';
import type { PortfolioPlan } from '#engine/settings/portfolio-plan.ts';
import type { BacktestOutcome, BacktestRow } from '#storage/backtests/backtests.ts';
import type { BacktestWork } from '#storage/backtests/jobs.ts';
import type { TimeSpan } from '#storage/candles/candle-months.ts';
import type { StrategyView } from '#storage/strategies/strategies.ts';
import { findCode } from '#storage/strategies/strategy-code.ts';
import { knownOnCandles } from '#strategies/known-strategy.ts';
import { codeToRun } from '../strategy-of-task.ts';
import { inThreads } from './in-thread.ts';
import { downloadPlan, loadPlan } from './plan-candles.ts';
import { pythonOfRun } from './python-of-run.ts';
import { pythonSeries } from './python-series.ts';
import { settingsOfPlan } from './settings-of-plan.ts';
import type { BacktestDependencies } from './backtest-dependencies.ts';

/** Works on one backtest over several pairs: fetches what is missing of their candles, then runs them in a thread of its own. */
export async function workPortfolio(
  dependencies: BacktestDependencies,
  run: BacktestRow & { plan: PortfolioPlan },
  terms: StrategyView,
  work: BacktestWork,
): Promise<BacktestOutcome> {
  const { db, now } = dependencies;
  const { plan, exchangeId } = run;
  const kept = run.codeId === null ? null : await findCode(db, run.codeId);
  const timeframe = plan.timeframe as Timeframe;
  const strategy = knownOnCandles(terms.className, kept, timeframe);
  const span = spanOfPlan(plan, now());
  const where = { exchangeId, plan, strategy, span };
  const instruments = await downloadPlan(dependencies, where, work);
  await work.progress('running', 0, 'Loading candles');
  const { pairs, withoutCandles, others } = await loadPlan(dependencies, where, instruments);
  const [first] = pairs;
  if (first === undefined) throw new Error(withoutAnyCandles);
  const { parameters, settings, uncosted, slippageShare } = settingsOfPlan(run, terms, strategy, first.instrument);
  return inThreads(
    {
      strategyClass: terms.className,
      code: kept === null ? null : codeToRun(kept),
      parameters,
      settings,
      slippageShare,
      timeframe,
      detailTimeframe: plan.detail_timeframe as Timeframe | null,
      pairs,
      withoutCandles,
      others,
      ...span,
      python: pythonOfRun(dependencies, kept, {
        exchangeId,
        pairs: pairs.map(({ instrument }) => instrument.symbol),
        timeframe,
        settings: uncosted,
        parameters,
      }),
    },
    work,
    dependencies.warmPythons,
    (name) => pythonSeries(dependencies, exchangeId, name, span, strategy.startupCandles, work),
  );
}

/** What is said where no pair of a plan has candles. */
export const withoutAnyCandles = 'None of the pairs has candles in this range.';

/** The time of a plan, as far as its candles have closed. Fails: Error where none has */
export function spanOfPlan(plan: PortfolioPlan, now: number): TimeSpan {
  const from = Date.parse(plan.from);
  const to = Math.min(Date.parse(plan.to) + dayMs, candleOpenTime(plan.timeframe as Timeframe, now));
  if (to <= from) throw new Error('The range has no closed candle yet.');
  return { from, to };
}
