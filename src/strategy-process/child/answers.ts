import { signalRowAt } from '#engine/bot/signal-row.ts';
import { watchedRowAt } from '#engine/bot/watched-row.ts';
import { lookAheadSentence, quickLookAhead } from '#engine/backtest/quick-look-ahead.ts';
import { candleColumns } from '#engine/market/candle.ts';
import { errorText } from '#engine/ports/error-text.ts';
import type { StrategyCallbacks } from '#engine/strategy/callbacks.ts';
import type { ParameterValues, Signals, Strategy } from '#engine/strategy/strategy.ts';
import { computeSignals, guardCallbacks } from '../code/guarded-strategy.ts';
import type { CallbackName } from '#engine/strategy/callbacks.ts';
import { callbackResults } from '../code/strategy-shape.ts';
import { StrategyError } from '../strategy-error.ts';
import { signalBytes } from '../wire/column-bytes.ts';
import type { CandlesGiven } from '../wire/held-candles.ts';
import { HeldCandles } from '../wire/held-candles.ts';
import type { Question, StrategyDescription, Tried } from '../wire/questions.ts';
import { importStrategy, placeIn } from './import-strategy.ts';

/** What the process needs that a strategy must not have. */
export interface Measures {
  nowMs(): number;
  memoryMb(): number;
}

interface Answered {
  answer: unknown;
  body?: Uint8Array;
}

const none: CandlesGiven = { own: candleColumns(0), others: {} }; // of a question that is about no candles

/** Answers the questions about the strategies of one file, one after the other. */
export class Answers {
  readonly #measures: Measures;
  readonly #held = new HeldCandles();
  readonly #strategies = new Map<string, { strategy: Strategy; callbacks: StrategyCallbacks }>();

  constructor(measures: Measures) {
    this.#measures = measures;
  }

  /** The answer to a question. Fails: OutOfStep, StrategyError, and with whatever else went wrong, whose message is the sentence */
  async to(question: Question, body: Uint8Array): Promise<Answered> {
    // Before anything can fail: what is sent next follows what was sent now.
    const given = 'candles' in question ? this.#held.take(question.candles, body) : none;
    switch (question.kind) {
      case 'load': {
        const { files, strategies } = await importStrategy(question.source);
        for (const [name, strategy] of strategies) this.#strategies.set(name, { strategy, callbacks: guardCallbacks(strategy) });
        return { answer: { files, strategies: [...strategies].map(([name, strategy]) => descriptionOf(name, strategy)) } };
      }
      case 'try':
        return { answer: this.#try(question, given) };
      case 'row': {
        const { strategy } = this.#of(question.exportName);
        const { own, others } = given;
        const signals = computeSignals(strategy, question.parameters, own, question.symbol, others);
        const at = own.openTime.length - 1;
        return { answer: { ...signalRowAt(signals, at), ...watchedRowAt(strategy, question.parameters, signals, own.close, at) } };
      }
      case 'columns': {
        const { strategy } = this.#of(question.exportName);
        const { head, body: columns } = signalBytes(
          computeSignals(strategy, question.parameters, given.own, question.symbol, given.others),
        );
        return { answer: head, body: columns };
      }
      case 'callback': {
        const { callbacks } = this.#of(question.exportName);
        const callback = callbacks[question.callback] as ((asked: unknown) => unknown) | undefined;
        if (callback === undefined) throw new StrategyError(`The strategy has no callback ${question.callback}.`);
        return { answer: { value: callback(question.question) ?? null } };
      }
    }
  }

  #of(exportName: string): { strategy: Strategy; callbacks: StrategyCallbacks } {
    const found = this.#strategies.get(exportName);
    if (found === undefined) throw new StrategyError(`There is no strategy ${exportName} in this file.`);
    return found;
  }

  #try(
    { exportName, parameters, symbol }: { exportName: string; parameters: ParameterValues; symbol: string },
    { own, others }: CandlesGiven,
  ): Tried {
    const { strategy } = this.#of(exportName);
    const begun = this.#measures.nowMs();
    const signals = computeSignals(strategy, parameters, own, symbol, others);
    const computeMs = this.#measures.nowMs() - begun;
    const differs = firstDifference(signals, computeSignals(strategy, parameters, own, symbol, others));
    if (differs !== null)
      throw new StrategyError(
        `${strategy.name} gives another answer for the same candles at the second time: ${differs} differs on ${symbol}.`,
      );
    const ahead = quickLookAhead(strategy, parameters, own, signals, others);
    if (ahead !== null) throw new StrategyError(lookAheadSentence(strategy.name, symbol, own, ahead));
    return { computeMs, memoryMb: this.#measures.memoryMb() };
  }
}

/** What a strategy that names no trailing stop suggests. */
const noTrailing = {
  trailingStop: false,
  trailingStopPositive: null,
  trailingStopPositiveOffset: 0,
  trailingOnlyOffsetIsReached: false,
} as const;

function descriptionOf(exportName: string, strategy: Strategy): StrategyDescription {
  const {
    name,
    title,
    description,
    losesWhen,
    kind,
    canShort,
    startupCandles,
    series = [],
    defaults: given,
    parameters,
    callbacks = {},
  } = strategy;
  return {
    exportName,
    name,
    title: textOr(title, name),
    description: textOr(description, ''),
    losesWhen: textOr(losesWhen, ''),
    kind,
    canShort,
    startupCandles,
    series,
    defaults: { ...noTrailing, ...given },
    parameters,
    callbacks: (Object.keys(callbackResults) as CallbackName[]).filter((each) => callbacks[each] !== undefined),
    stopAfterFill: callbacks.stopAfterFill === true,
  };
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value : otherwise;
}

/** The name of the first column in which two computations differ, or null. */
function firstDifference(first: Signals, second: Signals): string | null {
  const columnsOf = (signals: Signals): [string, ArrayLike<number> | null][] => [
    ...(['enterLong', 'exitLong', 'enterShort', 'exitShort', 'enterTag', 'exitTag', 'confidence'] as const).map(
      (name): [string, ArrayLike<number> | null] => [name, signals[name]],
    ),
    ...Object.entries(signals.indicators),
  ];
  const others = new Map(columnsOf(second));
  for (const [name, column] of columnsOf(first)) if (!isSame(column, others.get(name) ?? null)) return name;
  return first.tags.join('\n') === second.tags.join('\n') ? null : 'tags';
}

function isSame(a: ArrayLike<number> | null, b: ArrayLike<number> | null): boolean {
  if (a === null || b === null) return a === b;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!Object.is(a[i], b[i])) return false;
  return true;
}

/** The sentence for whoever asked a question that failed. */
export function faultOf(error: unknown): string {
  const text = (error instanceof Error ? error.message : String(error)).slice(0, 2_000);
  return error instanceof StrategyError ? text : `${errorText(error)}${placeIn(error)}`.slice(0, 2_000);
}
