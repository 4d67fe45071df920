import type { FundingEvents } from '#engine/account/funding.ts';
import type { TradingSettings } from '#engine/settings/trading-settings.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import type { Instrument } from '#engine/market/instrument.ts';
import type { OtherPairs } from '#engine/strategy/series.ts';
import type { ParameterValues } from '#engine/strategy/strategy.ts';
import type { BacktestOutcome } from '#storage/backtests/backtests.ts';
import type { SeriesName } from '#strategy-process/wire/python-load.ts';
import type { WantedCopy } from './copies-for-threads.ts';
import type { PythonOfTask } from './python-of-task.ts';
import type { StrategyOfTask } from '../strategy-of-task.ts';

/** What a thread is given to run: plain data, with candles in shared memory. */
export interface BacktestTask extends StrategyOfTask {
  parameters: ParameterValues; // what the strategy is computed with
  settings: TradingSettings;
  instrument: Instrument;
  candles: CandleColumns; // warm-up included
  others: OtherPairs; // candles of pairs that the strategy reads besides
  funding: FundingEvents | null; // of perpetuals
  from: number; // first candle of the range
  to: number; // end of the range
  python: PythonOfTask | null; // of a strategy in Python
}

/** What a thread reports: how far it is with what, the result, what it cannot continue without, a Python that it asks for, or why there is no result. */
export type BacktestMessage =
  | { progress: number; step: string }
  | { outcome: BacktestOutcome }
  | { wanted: readonly SeriesName[] }
  | { wantedCopy: WantedCopy }
  | { fault: string };
