import type { SignalRow } from '#engine/bot/event.ts';
import type { StrategyDefaults, StrategyKind, StrategyParameter } from '#engine/strategy/strategy.ts';
import type { StrategySeries } from '#engine/strategy/series.ts';
import type { CallbackName } from '#engine/strategy/callbacks.ts';
import type { LookAhead } from '#engine/backtest/look-ahead.ts';
import type { AccountNews, PythonLoad, WantedThing } from './python-load.ts';
import type { SignalsHead } from './column-bytes.ts';

/** The text of each file of a strategy, by its path below the folder, e.g. `dips.ts` and `lines/slope.ts`. */
export type SourceFiles = Readonly<Record<string, string>>;

/** What is to be loaded: a file in a folder on the disk, or the texts that were kept of one. */
export type StrategySource = { folder: string; file: string } | { files: SourceFiles; file: string };

/** What a strategy says of itself; functions are asked for where they run. */
export interface StrategyDescription {
  exportName: string;
  name: string;
  title: string;
  description: string;
  losesWhen: string;
  kind: StrategyKind;
  canShort: boolean;
  startupCandles: number; // of its own candles; `startupOn` says how many with what it reads besides
  series: readonly StrategySeries[];
  defaults: StrategyDefaults;
  parameters: Readonly<Record<string, StrategyParameter>>;
  callbacks: readonly CallbackName[];
  stopAfterFill: boolean;
}

/** What was found when a file was loaded: its strategies, and every file it is made of. */
export interface Loaded {
  files: SourceFiles;
  strategies: readonly StrategyDescription[];
}

/** What a strategy costs on the candles it was tried with. */
export interface Tried {
  computeMs: number; // for the candles that were given
  memoryMb: number; // of the process
}

/** What was found of a strategy in Python, which may do what one in TypeScript is refused for. */
export interface TriedInPython extends Tried {
  differs: string | null; // the column that was another at the second time
  ahead: LookAhead | null;
  unsearched: string | null; // why it was not searched for look-ahead
}

/** Which strategy of the process is meant, and with which values. */
interface OfStrategy {
  exportName: string;
  parameters: Readonly<Record<string, number>>;
}

/**
 * What a question says of the candles of one series. The process keeps those of a series that has a name: of these the oldest `dropped`
 * go, `kept` after them stay, and `added` follow, which are in the body. With `kept` 0 all are in the body.
 */
export interface CandlesHead {
  series: string | null; // its name between the two ends; null for one that is not kept
  dropped: number;
  kept: number;
  added: number;
}

/** What a question says of all its candles. The body has what is added, first of the own, then of the others in their sequence. */
export interface CandlesHeads {
  own: CandlesHead;
  others: Readonly<Record<string, CandlesHead>>; // other pairs, by the names that the strategy has for them
  forgotten: readonly string[]; // series that are kept no more once the question is answered
}

/** The questions a strategy process answers, and what it answers. */
export interface Questions {
  load: { ask: { source: StrategySource } | PythonLoad; answer: Loaded };
  /** Whether a strategy says the same twice, does not look ahead, and what it costs. */
  try: { ask: OfStrategy & { symbol: string }; answer: Tried };
  /** The row of the newest candle. */
  row: { ask: OfStrategy & { symbol: string }; answer: SignalRow };
  /** All rows; the columns are the body. */
  columns: { ask: OfStrategy & { symbol: string }; answer: SignalsHead };
  /** One callback; with what is new of the account where the strategy asks for it. */
  callback: { ask: { exportName: string; callback: CallbackName; question: unknown; account?: AccountNews }; answer: CallbackAnswer };
}

/** The answer of a callback, as it came. */
export interface CallbackAnswer {
  value: unknown;
  failed?: string; // what it failed with
  customData?: Readonly<Record<string, unknown>>; // what the strategy keeps with the trade from now on, where that has changed
}

/** A class of a file in Python, as far as it has to be known before it is made. */
export interface ClassOfFile {
  name: string;
  canShort: boolean;
  hasTimeframe: boolean; // without one the configuration names it
}

/** Those that a process for Python answers besides. */
export interface PythonOnlyQuestions {
  /** The strategies of a file. */
  classes: { ask: { source: { folder: string; file: string } }; answer: { classes: readonly ClassOfFile[] } };
}

/** All questions that are asked of one process or another. */
export type AllQuestions = Questions & PythonOnlyQuestions;

/** The kinds of questions. */
export type QuestionKind = keyof Questions;

/** Those that are about candles. */
export type CandlesKind = 'try' | 'row' | 'columns';

/** A question on the wire. */
export type Question = {
  [Kind in QuestionKind]: { id: number; kind: Kind } & Questions[Kind]['ask'] &
    (Kind extends CandlesKind ? { candles: CandlesHeads } : unknown);
}[QuestionKind];

/** An answer on the wire. A fault is a sentence; the process lives on. What is wanted has to be handed over before the question is asked again. */
export type Answer = { id: number; answer: unknown } | { id: number; fault: string } | { id: number; wanted: WantedThing };
