import type { BacktestPair } from '#engine/backtest/input.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import type { TradingSettings } from '#engine/settings/trading-settings.ts';
import type { OtherPairs } from '#engine/strategy/series.ts';
import type { ParameterValues } from '#engine/strategy/strategy.ts';
import type { PythonOfTask } from './python-of-task.ts';
import type { StrategyOfTask } from '../strategy-of-task.ts';

/** What a thread is given to run over several pairs: plain data, with candles in shared memory. */
export interface PortfolioTask extends StrategyOfTask {
  parameters: ParameterValues;
  settings: TradingSettings;
  timeframe: Timeframe;
  detailTimeframe: Timeframe | null;
  pairs: Omit<BacktestPair, 'signals'>[]; // warm-up included
  withoutCandles: string[]; // pairs that were asked for and have none
  others: OtherPairs; // candles of pairs that the strategy reads besides
  from: number; // first candle of the range
  to: number; // end of the range
  python: PythonOfTask | null; // of a strategy in Python
  slippageShare: number; // of what fills cost
}
