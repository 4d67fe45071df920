import type { BacktestPair } from '#engine/backtest/input.ts';
import type { WhatIfChanges } from '#engine/lab/what-if/changes.ts';
import type { WhatIfTerms } from '#engine/lab/what-if/terms.ts';
import type { WhatIfReport } from '#engine/lab/what-if/what-if-report.ts';
import type { OtherPairs } from '#engine/strategy/series.ts';
import type { SeriesName } from '#strategy-process/wire/python-load.ts';
import type { PythonOfTask } from '../../jobs/python-of-task.ts';
import type { StrategyOfTask } from '../../strategy-of-task.ts';

/** What the thread is given to replay with changes: plain data, with candles in shared memory. */
export interface WhatIfTask extends StrategyOfTask {
  terms: WhatIfTerms;
  changes: WhatIfChanges;
  fingerprinted: number | null; // see `ReportTerms`
  pairs: readonly Omit<BacktestPair, 'signals'>[]; // with candles in the range
  others: OtherPairs;
  python: PythonOfTask | null; // of a strategy in Python
  key: string; // of what is the same for all changes: a strategy in Python stays loaded for it
}

/** What the thread answers: the report with the time it took in ms, what it cannot continue without, or why there is none. */
export type WhatIfResult =
  | { ok: true; report: WhatIfReport; tookMs: number }
  | { ok: true; wanted: readonly SeriesName[] }
  | { ok: false; fault: string };
