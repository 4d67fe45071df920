import type { ParameterValues } from '#engine/strategy/strategy.ts';
import type { SeriesName, Words, PythonLoad } from '../wire/python-load.ts';
import type { SignalsHead } from '../wire/column-bytes.ts';
import type { CallbackAnswer, Questions, SourceFiles, StrategyDescription } from '../wire/questions.ts';

/** What the class of a Python file says of itself, under the configuration it was made with. */
export interface PythonDescription extends StrategyDescription {
  words: Words; // its settings in freqtrade's words; those of the configuration where that has any
  protections: readonly Words[];
  announced: readonly SeriesName[]; // the series it reads, by informative_pairs and @informative
}

/** What a Python has that strategies usually need; null for what it lacks, or has not loaded. */
export interface PythonVersions {
  python: string;
  pandas: string | null;
  numpy: string | null;
  talib: string | null;
  freqtrade: string | null;
}

/** The questions to a Python process, and what it answers. They are those of every strategy process, and the candles of other series. */
export interface PythonQuestions {
  load: { ask: PythonLoad; answer: { files: SourceFiles; strategies: readonly PythonDescription[]; versions: PythonVersions } };
  /** The candles of another series are the body; they stay until the process ends. */
  series: { ask: { symbol: string; timeframe: string; series: string }; answer: object };
  /** Parameters have these values from now on, until they are given others. */
  parameters: { ask: { values: ParameterValues }; answer: object };
  /** Settings have these values from now on, in freqtrade's words, until they are given others. */
  settings: { ask: { words: Words }; answer: object };
  /** A run begins: what was kept of the trades of the run before is forgotten. */
  begin: { ask: object; answer: object };
  /** All rows; the columns are the body. Not kept: callbacks still see the columns of before. */
  columns: { ask: Questions['columns']['ask'] & { indicators: boolean; keep: boolean }; answer: SignalsHead };
  /** The row of the newest candle, as a running bot asks for it. Gathered, the rows of a pair are what callbacks see after `begin`. */
  row: { ask: Questions['row']['ask'] & { gather: boolean }; answer: Questions['row']['answer'] };
  /** The names of what the class, its file or itself, keeps otherwise than when it was made; of one that was loaded as watched. */
  memory: { ask: object; answer: { changed: readonly string[] } };
  /** One callback; with what it failed, where it did. */
  callback: { ask: Questions['callback']['ask']; answer: CallbackAnswer };
}

/** The kinds of questions to a Python process. */
export type PythonQuestion = keyof PythonQuestions;
