import type { Trade } from '#engine/account/trade.ts';
import type { BacktestResult } from '#engine/backtest/backtest-result.ts';
import { candlesShown } from '#engine/backtest/backtest-strategy.ts';
import type { BacktestPair } from '#engine/backtest/input.ts';
import { PreparedBacktest } from '#engine/backtest/prepared-backtest.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import type { ReplayedDay } from '#engine/report/certificate/certificate.ts';
import { candleKey } from '#engine/report/certificate/recorded-decision.ts';
import type { Flags } from '#engine/report/certificate/recorded-decision.ts';
import { tradeAt } from '#engine/report/certificate/trade-at.ts';
import type { QuirkName } from '#engine/risk/quirks.ts';
import type { Signals } from '#engine/strategy/strategy.ts';
import type { CandlesOf, CertificateTask, Stretch } from './certificate-task.ts';
import type { OpenedStrategy, OpenStrategy } from './open-strategy.ts';

/** What a running bot does otherwise than a backtest that is to agree with the reference: its ticks, stakes and payments are the exchange's. */
const quirksOff: readonly QuirkName[] = [
  'minimumStakeAssumesConstantStop',
  'fundingCountsTwiceAtAFill',
  'costLimitsTimesContractSize',
  'priceTickReadFromCandles',
];

/** More refused signals than a day has candles. */
const mostRefusedListed = 100_000;

/**
 * What the backtester makes of a day: each stretch with its own strategy and settings, beginning with what was open at midnight and going on with what
 * the stretch before has left. Nothing is closed at the end.
 *
 * Fails: as `backtest` and `openStrategy`
 */
export async function replayDay(task: CertificateTask, openStrategy: OpenStrategy, candlesOf: CandlesOf): Promise<ReplayedDay> {
  const flags = new Map<string, Flags>();
  const refused: ReplayedDay['refused'][number][] = [];
  const made: Trade[] = [];
  let open = task.trades.flatMap(({ trade, stopMoves }) => tradeAt(trade, task.from, stopMoves) ?? []);
  let closed = [...task.closed];
  let { closedProfit } = task;
  for (const stretch of task.stretches) {
    const rows = rowsOf(stretch);
    if (rows === null) continue;
    const { timeframeMs, range } = rows;
    const held = new Set(open.map(({ symbol }) => symbol));
    const traded = (symbol: string): boolean => stretch.symbols.includes(symbol) || held.has(symbol);
    const ofLength = task.series.filter(({ timeframe }) => timeframe === stretch.timeframe);
    const own = ofLength.filter(({ symbol }) => traded(symbol));
    const run = ({ strategy, watch }: OpenedStrategy): BacktestResult => {
      const shown = candlesShown({
        strategy,
        timeframe: stretch.timeframe,
        range,
        pairs: own.map((series) => ({ instrument: series.instrument, candles: candlesOf(series), funding: series.funding })),
        others: Object.fromEntries(
          ofLength.filter(({ symbol }) => !traded(symbol)).map((series) => [series.symbol, candlesOf(series)] as const),
        ),
      });
      const pairs = shown.pairs.map((pair): BacktestPair => {
        const { symbol } = pair.instrument;
        const signals = strategy.compute(pair.candles, stretch.parameters, shown.others(symbol), symbol);
        const isDecided = (openTime: number): boolean => openTime >= range.from && openTime < range.to;
        for (const [row, openTime] of pair.candles.openTime.entries())
          if (stretch.symbols.includes(symbol) && isDecided(openTime))
            flags.set(candleKey({ symbol, candleTime: openTime }), flagsAt(signals, row));
        const mayEnter = (openTime: number): boolean =>
          stretch.symbols.includes(symbol) && openTime >= task.entriesFrom && openTime <= task.entriesUntil;
        return { ...pair, signals: withEntriesOnly(signals, pair.candles.openTime, mayEnter) };
      });
      const input = { timeframeMs, range, startupCandles: strategy.startupCandles, pairs };
      return new PreparedBacktest(input).run(stretch.settings, {
        callbacks: strategy.callbacks ?? {},
        ...(watch === undefined ? {} : { watch }),
        quirksOff,
        mostRefusedListed,
        withoutBalance: true,
        staysOpen: true,
        start: { trades: open, closed, closedProfit, locks: [] },
      });
    };
    const opened = await openStrategy(stretch, own, candlesOf);
    let result: BacktestResult;
    try {
      result = run(opened);
    } finally {
      await opened.end();
    }
    // The signal of the last candle is the next stretch's, or the next day's.
    const listed = result.entries.listed.filter(({ gate }) => gate !== 'end-of-run');
    refused.push(...listed.map((signal) => ({ ...signal, candleTime: signal.time - timeframeMs })));
    made.push(...result.trades);
    closed = [...closed, ...result.trades];
    closedProfit += result.trades.reduce((sum, { profit }) => sum + (profit ?? 0), 0);
    open = result.unclosedTrades;
  }
  return { trades: [...made, ...open], refused, flags };
}

/** The candles that a stretch trades on: `range` begins with the one before the first, which gives its signals. Null for none. */
export function rowsOf({ timeframe, from, to }: Pick<Stretch, 'timeframe' | 'from' | 'to'>): {
  timeframeMs: number;
  range: { from: number; to: number };
} | null {
  const timeframeMs = timeframeLengths[timeframe];
  const first = Math.ceil(from / timeframeMs) * timeframeMs;
  const last = (Math.ceil(to / timeframeMs) - 1) * timeframeMs;
  return first > last ? null : { timeframeMs, range: { from: first - timeframeMs, to: last } };
}

function flagsAt({ enterLong, exitLong, enterShort, exitShort }: Signals, row: number): Flags {
  return {
    enterLong: enterLong[row] === 1,
    exitLong: exitLong[row] === 1,
    enterShort: enterShort[row] === 1,
    exitShort: exitShort[row] === 1,
  };
}

/** The signals without the entries of candles on which the bot did not run, and of pairs that it only still holds. */
function withEntriesOnly(signals: Signals, openTime: Float64Array, mayEnter: (openTime: number) => boolean): Signals {
  const allowed = Uint8Array.from(openTime, (time) => (mayEnter(time) ? 1 : 0));
  const only = (flags: Uint8Array): Uint8Array => flags.map((flag, row) => flag & (allowed[row] ?? 0));
  return { ...signals, enterLong: only(signals.enterLong), enterShort: only(signals.enterShort) };
}
