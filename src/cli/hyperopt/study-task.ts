import type { CandleColumns } from '#engine/market/candle.ts';
import type { PythonWishes } from '../python/python-job.ts';
import type { Dimension } from '#engine/lab/dimension.ts';
import type { EpochSetup } from '#engine/lab/epoch-runner.ts';

/** What a thread of a study is given: plain data, with candles in shared memory. It loads the strategy itself. */
export interface StudyTask extends Omit<EpochSetup, 'base' | 'compute' | 'callbacks' | 'others'> {
  strategyWord: string; // as `loadStrategy` takes it
  startupCandles: number;
  settings: EpochSetup['base']['settings'];
  timeframe: EpochSetup['base']['timeframe'];
  dimensions: readonly Dimension[];
  others: Readonly<Record<string, CandleColumns>>;
  python: PythonOfStudy | null; // of a strategy in Python
}

/** What a thread makes a strategy in Python with: each has a process of its own. */
export interface PythonOfStudy {
  config: string; // the file of the configuration
  wishes: PythonWishes;
}

/** Candles that all threads read without a copy. */
export function sharedColumns(columns: CandleColumns): CandleColumns {
  const shared = (column: Float64Array): Float64Array => {
    const copy = new Float64Array(new SharedArrayBuffer(column.byteLength));
    copy.set(column);
    return copy;
  };
  return {
    openTime: shared(columns.openTime),
    open: shared(columns.open),
    high: shared(columns.high),
    low: shared(columns.low),
    close: shared(columns.close),
    volume: shared(columns.volume),
  };
}
