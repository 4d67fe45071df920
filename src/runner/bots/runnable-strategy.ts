import type { SignalRow } from '#engine/bot/event.ts';
import { failedRow, signalRowAt } from '#engine/bot/signal-row.ts';
import { watchedRowAt } from '#engine/bot/watched-row.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import type { FixedSettings } from '#engine/settings/fixed-settings.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import { errorText } from '#engine/ports/error-text.ts';
import type { AnswerNeeded } from '#engine/strategy/callback-memo.ts';
import { CallbackMemo } from '#engine/strategy/callback-memo.ts';
import type { StrategyCallbacks } from '#engine/strategy/callbacks.ts';
import { defaultAnswer } from '#engine/strategy/default-answer.ts';
import { namesOfPairs, type OtherPairs, pairOf } from '#engine/strategy/series.ts';
import type { ParameterValues, Strategy } from '#engine/strategy/strategy.ts';
import type { Series } from '#feeds/series.ts';
import type { Asker } from '#strategy-process/asker.ts';
import type { AccountNow, StrategyOfVersion, StrategyProcesses } from '#strategy-process/strategy-processes.ts';
import type { StrategyDescription } from '#strategy-process/wire/questions.ts';

/** A series that a strategy reads besides, by its own name for it. */
export interface ReadSeries {
  name: string;
  series: Series;
}

/** Where the rows of closed candles come from. Bots of the same key share them. */
export interface SignalSource {
  key: string;
  startupCandles: number;
  leastCandles?: number; // a window is never smaller, whatever the warm-up
  /** What it reads besides the candles of a series. Fails: StrategyError */
  reads(series: Series): readonly ReadSeries[] | Promise<readonly ReadSeries[]>;
  /** What is said about the newest of these candles, to those who ask; of a process of its own it comes later, and a failure is a row that says so. */
  rowOf(
    candles: CandleColumns,
    parameters: ParameterValues,
    series: Series,
    others: OtherPairs,
    askers: readonly Asker[],
  ): SignalRow | Promise<SignalRow>;
}

/** Candles beyond a strategy's own warm-up, so that its newest row never lies at the edge of it. */
const spareCandles = 50;

/** How many closed candles a strategy is shown at each candle. */
export function windowSize({ startupCandles, leastCandles = 0 }: Pick<SignalSource, 'startupCandles' | 'leastCandles'>): number {
  return Math.max(startupCandles + spareCandles, leastCandles);
}

/** The other pairs that a strategy reads beside a series: of the same exchange, market and timeframe. */
function otherPairsOf(strategy: Pick<Strategy, 'series'>, series: Series): ReadSeries[] {
  return namesOfPairs(strategy).map((name) => ({ name, series: { ...series, symbol: pairOf(name, series.symbol) } }));
}

/** The callbacks of a strategy that runs in a process of its own. */
export interface OutsideCallbacks {
  memo: CallbackMemo;
  /** Asks the process. One that fails is reported, and counts as the reference has it. */
  ask(needed: Pick<AnswerNeeded, 'callback' | 'question'>): Promise<unknown>;
}

/** A strategy as bots run it: in this process, or in one of its own. */
export interface RunnableStrategy {
  canShort: boolean;
  adjustsPosition: boolean; // it makes trades larger, or leaves parts of them
  parameters: Strategy['parameters'];
  fixed?: FixedSettings; // what its class says of how trades are made
  signals: SignalSource;
  callbacks: StrategyCallbacks; // for the steps of a bot; those of a process answer from a memo
  loop: Pick<StrategyCallbacks, 'loopStart'>; // what is called besides steps
  outside: OutsideCallbacks | null; // of a process
}

/** A strategy that runs in this process: one that is part of the program, or rules. Bots of the same `key` share its rows. */
export function localStrategy(strategy: Strategy, key = strategy.name): RunnableStrategy {
  const { canShort, parameters, callbacks = {} } = strategy;
  const adjustsPosition = callbacks.adjustPosition !== undefined;
  return { canShort, adjustsPosition, parameters, signals: localSignals(strategy, key), callbacks, loop: callbacks, outside: null };
}

/** The rows of a strategy that runs in this process. */
export function localSignals(strategy: Strategy, key = strategy.name): SignalSource {
  return {
    key,
    startupCandles: strategy.startupCandles,
    reads: (series) => otherPairsOf(strategy, series),
    rowOf(candles, parameters, _series, others) {
      const signals = strategy.compute(candles, parameters, others);
      const at = candles.openTime.length - 1;
      return { ...signalRowAt(signals, at), ...watchedRowAt(strategy, parameters, signals, candles.close, at) };
    },
  };
}

/** A strategy of a file, which runs in a process of its own; `onError` receives each callback that fails. */
export function outsideStrategy(
  processes: StrategyProcesses,
  strategy: StrategyOfVersion,
  description: StrategyDescription,
  asker: Asker,
  onError: (error: unknown) => void,
): RunnableStrategy {
  const outside = outsideCallbacks(processes, strategy, description, asker, onError);
  const { canShort, parameters, startupCandles } = description;
  return {
    canShort,
    parameters,
    signals: {
      key: `${strategy.version.id} ${strategy.exportName}`,
      startupCandles,
      reads: (series) => otherPairsOf(description, series),
      async rowOf(candles, values, series, read, askers) {
        const { symbol, timeframe } = series;
        const own = { candles, series: seriesName(series) };
        const others = Object.fromEntries(
          Object.entries(read).map(([name, each]) => [
            name,
            { candles: each, series: seriesName({ ...series, symbol: pairOf(name, symbol) }) },
          ]),
        );
        try {
          return await processes.row(strategy, values, { symbol, own, others, timeframeMs: timeframeLengths[timeframe] }, askers);
        } catch (error) {
          return failedRow(errorText(error));
        }
      },
    },
    ...outside,
  };
}

/** The callbacks of a strategy that runs in a process of its own; `onError` receives each that fails. */
export function outsideCallbacks(
  processes: StrategyProcesses,
  strategy: StrategyOfVersion,
  description: StrategyDescription,
  asker: Asker, // the bot
  onError: (error: unknown) => void,
  account: (() => Promise<AccountNow>) | null = null, // where the strategy asks for it
): Pick<RunnableStrategy, 'adjustsPosition' | 'callbacks' | 'loop' | 'outside'> {
  const { callbacks } = description;
  const memo = new CallbackMemo(callbacks, description.stopAfterFill);
  const ask = async ({ callback, question }: Pick<AnswerNeeded, 'callback' | 'question'>): Promise<unknown> => {
    try {
      return await processes.callback(strategy, callback, question, account === null ? null : await account(), asker);
    } catch (error) {
      onError(error);
      return defaultAnswer(callback, question);
    }
  };
  return {
    adjustsPosition: callbacks.includes('adjustPosition'),
    callbacks: memo.callbacks,
    loop: callbacks.includes('loopStart') ? { loopStart: (time) => void ask({ callback: 'loopStart', question: time }) } : {},
    outside: { memo, ask },
  };
}

/** What a series is called between the product and a strategy process. */
export function seriesName({ exchangeId, marketType, symbol, timeframe }: Series): string {
  return `${exchangeId} ${marketType} ${symbol} ${timeframe}`;
}
