import type { ParameterValues } from '#engine/strategy/strategy.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import type { SeriesName, Words } from '#strategy-process/wire/python-load.ts';

/** What a thread needs to run a strategy in Python: plain data, with candles in shared memory. */
export interface PythonOfTask {
  program: string; // the interpreter
  config: Words; // in freqtrade's words
  pairs: readonly string[];
  parameters: ParameterValues;
  series: readonly { name: SeriesName; candles: CandleColumns }[]; // that it reads besides; what it needs more it says
  notes: readonly string[]; // what there is to say of it, for the report
}
