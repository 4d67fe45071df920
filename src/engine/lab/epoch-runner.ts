import type { BacktestResult } from '../backtest/backtest-result.ts';
import { candlesShown, type StrategyBacktestInput } from '../backtest/backtest-strategy.ts';
import type { AccountView } from '../backtest/account-view.ts';
import type { BacktestPair } from '../backtest/input.ts';
import { PreparedBacktest } from '../backtest/prepared-backtest.ts';
import type { CandleColumns } from '../market/candle.ts';
import { type Timeframe, timeframeLengths } from '../market/timeframe.ts';
import type { QuirkName } from '../risk/quirks.ts';
import type { StrategyCallbacks } from '../strategy/callbacks.ts';
import { type OtherPairs, startupOn } from '../strategy/series.ts';
import type { ParameterValues, Signals, Strategy, TagColumn } from '../strategy/strategy.ts';
import { noSignals } from '../strategy/strategy.ts';
import type { Dimension, Point } from './dimension.ts';
import { dailyProfits, type EpochFigures, epochFigures } from './epoch-figures.ts';
import { type LossName, losses } from './losses.ts';
import { type Choices, choicesAt, type SearchBase } from './search-space.ts';

/** Computes a strategy on the candles of a pair; whoever runs epochs decides how far its code is trusted. */
export type Compute = (candles: CandleColumns, parameters: ParameterValues, symbol: string, others: OtherPairs) => Signals;

/** What all epochs of a study share. */
export interface EpochSetup {
  base: SearchBase & { strategy: Pick<Strategy, 'name' | 'series' | 'startupCandles' | 'parameters'> };
  dimensions: readonly Dimension[];
  loss: LossName;
  minTrades: number; // with fewer trades an epoch has no loss
  pairs: StrategyBacktestInput['pairs'];
  others: OtherPairs;
  detailTimeframe: Timeframe | null;
  range: { from: number; to: number } | null; // opening times, both included
  quirksOff: readonly QuirkName[];
  compute: Compute;
  callbacks: StrategyCallbacks;
  watch?: (account: AccountView) => void; // is shown the account of each run before it begins
  keepsNoSignals?: boolean; // each epoch is computed: what answers its callbacks looks at what was computed last
}

/** What is made harder for an epoch that is to be judged. */
export type Hardship = 'doubled-fees' | 'delayed-signals';

/** What came of an epoch. */
export interface EpochOutcome {
  loss: number | null; // null with too few trades, and where the loss cannot be said
  figures: EpochFigures;
  daily: Float64Array; // see `dailyProfits`
}

/** What came of a point: an outcome, or a sentence why there is none. */
export type PointAnswer = EpochOutcome | { fault: string };

/** So much memory the signals that are kept may take, in bytes. */
const keptBytes = 16e6;

/**
 * Runs the epochs of a study. Signals are kept by the parameters they were computed with: an epoch that only turns settings costs its loop alone.
 *
 * Fails: as `backtest`, and as the strategy does
 */
export class EpochRunner {
  readonly #setup: EpochSetup;
  readonly #pairs: readonly Omit<BacktestPair, 'signals'>[];
  readonly #othersOf: (symbol: string) => OtherPairs;
  readonly #kept = new Map<string, PreparedBacktest>(); // the one that was used last is the last one
  readonly #mostKept: number;
  #candles: PreparedBacktest | null = null;

  constructor(setup: EpochSetup) {
    this.#setup = setup;
    const { strategy, timeframe } = setup.base;
    const { pairs, others } = candlesShown({ ...setup, strategy, timeframe });
    this.#pairs = pairs;
    this.#othersOf = others;
    const rows = pairs.reduce((sum, { candles }) => sum + candles.openTime.length, 0);
    this.#mostKept = setup.keepsNoSignals === true ? 0 : Math.max(1, Math.floor(keptBytes / (rows * 12))); // flags and tags, and the calendar of entries
  }

  /** The whole result of a point. */
  run(point: Point, hardship: Hardship | null = null, withoutBalance = false): BacktestResult {
    const { base, dimensions } = this.#setup;
    return this.runWith(choicesAt(base, dimensions, point), hardship, withoutBalance);
  }

  /** The whole result of parameters and settings, whether a point has them or not. */
  runWith({ parameters, settings }: Choices, hardship: Hardship | null = null, withoutBalance = false): BacktestResult {
    const { callbacks, quirksOff, watch } = this.#setup;
    const choices = { callbacks, quirksOff, withoutBalance, ...(watch === undefined ? {} : { watch }) };
    const prepared = this.#prepared(parameters, hardship === 'delayed-signals');
    if (hardship !== 'doubled-fees') return prepared.run(settings, choices);
    const { takerFee, makerFee } = this.#pairs[0].instrument;
    const fee = 2 * (settings.fee ?? Math.max(takerFee, makerFee));
    return prepared.run({ ...settings, fee }, choices);
  }

  /** What came of a point. */
  outcome(point: Point, hardship: Hardship | null = null): EpochOutcome {
    return this.outcomeOf(this.run(point, hardship, true));
  }

  /** What came of a run. */
  outcomeOf(result: BacktestResult): EpochOutcome {
    const { trades, startingBalance, startTime, endTime } = result;
    const { loss: name, minTrades } = this.#setup;
    const symbols = this.#pairs.map(({ instrument }) => instrument.symbol);
    const isEnough = trades.length > 0 && trades.length >= minTrades;
    const loss = isEnough ? losses[name]({ trades, symbols, startingBalance, startTime, endTime }) : NaN;
    return {
      // A profit without any drawdown is infinitely good: the largest number, so that it can be written down.
      loss: Number.isNaN(loss) ? null : Math.min(Math.max(loss, -Number.MAX_VALUE), Number.MAX_VALUE),
      figures: epochFigures(result),
      daily: dailyProfits(result),
    };
  }

  #prepared(parameters: ParameterValues, isDelayed: boolean): PreparedBacktest {
    const key = JSON.stringify([isDelayed, parameters]);
    const known = this.#kept.get(key);
    this.#kept.delete(key);
    const prepared = known ?? this.#newlyPrepared(parameters, isDelayed);
    this.#kept.set(key, prepared);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > this.#mostKept && oldest !== undefined) this.#kept.delete(oldest);
    return prepared;
  }

  #newlyPrepared(parameters: ParameterValues, isDelayed: boolean): PreparedBacktest {
    const { base, detailTimeframe, range, compute } = this.#setup;
    this.#candles ??= new PreparedBacktest({
      timeframeMs: timeframeLengths[base.timeframe],
      detailTimeframeMs: detailTimeframe === null ? null : timeframeLengths[detailTimeframe],
      startupCandles: startupOn(base.strategy, base.timeframe),
      range,
      pairs: this.#pairs.map((pair) => ({ ...pair, signals: noSignals(pair.candles.openTime.length) })),
    });
    const signals = this.#pairs.map(({ candles, instrument: { symbol } }) => {
      const computed = compute(candles, parameters, symbol, this.#othersOf(symbol));
      const { enterLong, exitLong, enterShort, exitShort, tags, enterTag, exitTag } = isDelayed ? delayed(computed) : computed;
      return { enterLong, exitLong, enterShort, exitShort, tags, enterTag, exitTag }; // without the indicators, which would take most of the memory
    });
    return this.#candles.withSignals(signals);
  }
}

/** Signals one candle later than they were given. */
function delayed(signals: Signals): Signals {
  const later = <Column extends TagColumn>(column: Column): Column => {
    const moved = column.slice() as Column;
    moved.copyWithin(1, 0, column.length - 1);
    moved[0] = 0;
    return moved;
  };
  const orNull = (column: TagColumn | null): TagColumn | null => (column === null ? null : later(column));
  return {
    ...signals,
    enterLong: later(signals.enterLong),
    exitLong: later(signals.exitLong),
    enterShort: later(signals.enterShort),
    exitShort: later(signals.exitShort),
    enterTag: orNull(signals.enterTag),
    exitTag: orNull(signals.exitTag),
  };
}
