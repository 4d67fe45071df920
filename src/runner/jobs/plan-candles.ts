import { fundingColumns } from '#engine/account/funding.ts';
import type { BacktestPair } from '#engine/backtest/input.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import type { Instrument } from '#engine/market/instrument.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import { candleOpenTime, timeframeLengths } from '#engine/market/timeframe.ts';
import type { PortfolioPlan } from '#engine/settings/portfolio-plan.ts';
import type { OtherPairs } from '#engine/strategy/series.ts';
import { pairsBeside } from '#engine/strategy/series.ts';
import type { BacktestWork } from '#storage/backtests/jobs.ts';
import { loadCandles } from '#storage/candles/candle-cache.ts';
import { type CandleSeries, missingSpans } from '#storage/candles/candle-chunks.ts';
import type { TimeSpan } from '#storage/candles/candle-months.ts';
import { missingFunding, readFunding } from '#storage/candles/funding.ts';
import type { KnownStrategy } from '#strategies/known-strategy.ts';
import type { BacktestDependencies } from './backtest-dependencies.ts';
import type { HistoryRequest } from './download-history.ts';
import { historyFor } from './history-for.ts';

/** Over which candles a plan is run: the warm-up of its strategy is loaded besides. */
export interface PlanCandles {
  exchangeId: string;
  plan: PortfolioPlan;
  strategy: Pick<KnownStrategy, 'startupCandles' | 'series'>;
  span: TimeSpan; // without the warm-up
}

/** The most candles of all that a strategy reads of a plan: they are in memory together. What the plan itself asks for is refused on the page from 8 million on. */
const mostRead = 20_000_000;

const readsTooMuch =
  'The strategy reads more than 20 million candles here: those of its pairs, of the pairs that it reads besides, and of its warm-up. Choose fewer pairs, a shorter range or a longer timeframe.';

/** Fetches what is missing of the candles of a plan. Returns its instruments by their symbols. Fails: Error in one sentence, also where they are too many */
export async function downloadPlan(
  dependencies: BacktestDependencies,
  where: PlanCandles,
  work: BacktestWork,
): Promise<Map<string, Instrument>> {
  const wanted = historiesOf(where);
  const candles = wanted.reduce((sum, { series, request: { candles: span } }) => sum + candlesIn(series, span), 0);
  if (candles > mostRead) throw new Error(readsTooMuch);
  const instruments = new Map<string, Instrument>();
  for (const [i, { series, request }] of wanted.entries()) {
    // Each pair is a part of the progress, its details another.
    const part: BacktestWork = {
      signal: work.signal,
      progress: (phase, ratio, step) => work.progress(phase, (i + ratio) / wanted.length, step === '' ? step : `${series.symbol}: ${step}`),
    };
    instruments.set(series.symbol, await historyFor(dependencies, series, request, part));
  }
  return instruments;
}

/**
 * Up to when the candles of a plan are known, once they have been downloaded: newer ones may come yet. It is a time at which a candle
 * closed.
 */
export async function knownUntil({ db }: Pick<BacktestDependencies, 'db'>, where: PlanCandles): Promise<number> {
  let until = where.span.to;
  for (const { series, request } of historiesOf(where)) {
    const missing = [
      ...(await missingSpans(db, series, request.candles)),
      ...(request.funding === null ? [] : await missingFunding(db, series, request.funding)),
    ];
    until = Math.min(until, ...missing.map(({ from }) => from));
  }
  return candleOpenTime(where.plan.timeframe as Timeframe, until);
}

/** What a plan reads: its pairs and those beside them, and the details. */
function historiesOf({ exchangeId, plan, strategy, span }: PlanCandles): { series: CandleSeries; request: HistoryRequest }[] {
  const { timeframe, warm, paid, detailTimeframe } = spansOf(plan, strategy, span);
  const seriesOf = seriesOfPlan(exchangeId, plan);
  return [
    ...plan.pairs.map((symbol) => ({ series: seriesOf(symbol, timeframe), request: { candles: warm, funding: paid } })),
    ...pairsBeside(strategy, plan.pairs).map((symbol) => ({
      series: seriesOf(symbol, timeframe),
      request: { candles: warm, funding: null },
    })),
    ...(detailTimeframe === null
      ? []
      : plan.pairs.map((symbol) => ({ series: seriesOf(symbol, detailTimeframe), request: { candles: span, funding: null } }))),
  ];
}

/** The candles of a plan as they are stored, in shared memory; a pair without any in its time is left out and named. */
export async function loadPlan(
  { db, cacheFolder }: Pick<BacktestDependencies, 'db' | 'cacheFolder'>,
  { exchangeId, plan, strategy, span }: PlanCandles,
  instruments: ReadonlyMap<string, Instrument>,
): Promise<{ pairs: Omit<BacktestPair, 'signals'>[]; withoutCandles: string[]; others: OtherPairs }> {
  const { timeframe, warm, paid, detailTimeframe } = spansOf(plan, strategy, span);
  const seriesOf = seriesOfPlan(exchangeId, plan);
  const load = (symbol: string): Promise<CandleColumns> => loadCandles(db, cacheFolder, seriesOf(symbol, timeframe), warm);
  const pairs: Omit<BacktestPair, 'signals'>[] = [];
  const withoutCandles: string[] = [];
  for (const symbol of plan.pairs) {
    const candles = await load(symbol);
    const instrument = instruments.get(symbol);
    if (instrument === undefined || !candles.openTime.some((time) => time >= span.from)) {
      withoutCandles.push(symbol);
      continue;
    }
    const detail = detailTimeframe === null ? null : await loadCandles(db, cacheFolder, seriesOf(symbol, detailTimeframe), span);
    const funding = paid === null ? null : fundingColumns(await readFunding(db, seriesOf(symbol, timeframe), paid));
    pairs.push({ instrument, candles, detail, funding });
  }
  const beside = pairsBeside(strategy, plan.pairs);
  const others = Object.fromEntries(await Promise.all(beside.map(async (symbol) => [symbol, await load(symbol)] as const)));
  return { pairs, withoutCandles, others };
}

function candlesIn({ timeframe }: CandleSeries, { from, to }: TimeSpan): number {
  return (to - from) / timeframeLengths[timeframe as Timeframe];
}

function seriesOfPlan(exchangeId: string, { trading_mode: marketType }: PortfolioPlan) {
  return (symbol: string, timeframe: Timeframe): CandleSeries => ({ exchangeId, marketType, symbol, timeframe });
}

function spansOf(plan: PortfolioPlan, { startupCandles }: Pick<KnownStrategy, 'startupCandles'>, span: TimeSpan) {
  const timeframe = plan.timeframe as Timeframe;
  return {
    timeframe,
    detailTimeframe: plan.detail_timeframe as Timeframe | null,
    warm: { from: span.from - startupCandles * timeframeLengths[timeframe], to: span.to },
    paid: plan.trading_mode === 'futures' ? span : null,
  };
}
