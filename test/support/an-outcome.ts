import type { BacktestOutcome } from '#storage/backtests/backtests.ts';

/** What a backtest without a trade comes to. */
export function anOutcome(): BacktestOutcome {
  return {
    metrics: { total_trades: 0, win_rate: 0, net_pnl: 0 },
    equity: [{ time: 1, value: 1_000 }],
    result: {
      version: 1,
      from: 0,
      to: 1,
      candle_timeframe: '1h',
      candles: [],
      drawdown: [],
      trades: [],
      metric_sets: [],
      exit_reasons: [],
      rejected_signals: 0,
      entries: { signals: 0, entered: 0, unfilled: 0, refused: [], no_trades: 'There was no signal to enter.', stopped: null },
      hold: [],
      fee_ratio: 0.001,
      market_change: 0,
      notes: [],
      mode: 'parity',
    },
  };
}
