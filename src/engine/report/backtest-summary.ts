import type { BacktestResult } from '../backtest/backtest-result.ts';
import type { Candle } from '../market/candle.ts';

/** The version of `BacktestDetails` that this program keeps; a change of its shape that old rows do not have gets a new one. */
export const detailsVersion = 1;

/** A value at a moment. */
export interface TimedValue {
  time: number;
  value: number;
}

/** The figures of a backtest in the list. */
export interface BacktestMetrics {
  total_trades: number;
  win_rate: number;
  net_pnl: number;
}

/** A figure with its name, its unit and how it is calculated; a value of null cannot be calculated. */
export interface NamedMetric {
  name: string;
  value: number | null;
  unit: 'money' | 'ratio' | 'number' | 'count' | 'minutes' | 'days';
  meaning: string;
}

/** A closed trade of a backtest. */
export interface BacktestTrade {
  timestamp: number; // of the entry
  exit_timestamp: number;
  direction: 'long' | 'short';
  entry_price: number;
  exit_price: number;
  amount: number;
  stake: number;
  leverage: number;
  pnl: number;
  pnl_ratio: number; // of the stake
  entry_tag: string | null;
  exit_reason: string;
}

/** Everything that is kept of a backtest besides its figures and its equity: what the screen draws. Names as they travel. */
export interface BacktestDetails {
  version: typeof detailsVersion;
  from: number;
  to: number;
  candle_timeframe: string;
  candles: (Omit<Candle, 'openTime'> & { timestamp: number })[];
  drawdown: TimedValue[];
  trades: BacktestTrade[];
  metric_sets: { name: string; metrics: NamedMetric[] }[];
  exit_reasons: { reason: string; trades: number; wins: number; pnl: number }[];
  rejected_signals: number;
  entries: {
    signals: number;
    entered: number;
    unfilled: number;
    refused: { gate: string; name: string; count: number; reason: string }[];
    no_trades: string | null;
    stopped: string | null;
  };
  hold: TimedValue[];
  fee_ratio: number | null;
  market_change: number;
  mode: BacktestResult['mode'];
  notes?: string[]; // what there is to say of the strategy, in sentences
}
