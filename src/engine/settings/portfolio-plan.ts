import type { Protection } from './protection.ts';

/** What a backtest over several pairs is asked for, as it travels and is kept. Ratios are fractions; days are UTC, both included. */
export interface PortfolioPlan {
  exchange: string;
  trading_mode: 'spot' | 'futures';
  pairs: string[];
  from: string; // '2026-05-01'
  to: string;
  timeframe: string;
  detail_timeframe: string | null;
  max_open_trades: number;
  starting_balance: number; // stake currency
  stake_amount: number | null; // null: unlimited
  leverage: number;
  fee_ratio: number | null; // null: the market's
  slippage_ratio: number; // of the value of each fill
  protections: Protection[];
}
