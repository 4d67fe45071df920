import type { BacktestDetails, BacktestRequest, BacktestRun } from '../../backtest/run-list.ts';
import { idOf } from './ids.ts';

const hour = 3_600_000;

/** When the period of a sample run begins, in ms: 2026-10-21 00:00 UTC. */
export const sampleFrom = 1_792_540_800_000;

/** What a run of thirty days at 1h is asked for with. */
export const sampleRequest = {
  strategy_id: idOf(50),
  strategy_name: 'EMA Cross',
  exchange: 'Sandbox',
  symbol: 'BTC/USDT:USDT',
  trading_mode: 'futures',
  timeframe: '1h',
  days: 30,
  stake_amount: 1000,
  max_open_trades: 1,
} satisfies BacktestRequest;

/** A finished run of thirty days at 1h with three trades. Its id is that of 200 plus the number. */
export function aRun(number: number, changes: Partial<BacktestRun> = {}): BacktestRun {
  return {
    id: idOf(200 + number),
    status: 'done',
    ...sampleRequest,
    bot: null,
    created_at: new Date(sampleFrom + (720 + number) * hour).toISOString(),
    finished_at: new Date(sampleFrom + (720 + number) * hour + 4_000).toISOString(),
    error: null,
    is_own: true,
    metrics: { total_trades: 3, win_rate: 2 / 3, net_pnl: 12.3 },
    equity: [
      { time: sampleFrom, value: 1000 },
      { time: sampleFrom + 100 * hour, value: 1020 },
      { time: sampleFrom + 300 * hour, value: 1002.3 },
      { time: sampleFrom + 500 * hour, value: 1012.3 },
      { time: sampleFrom + 720 * hour, value: 1012.3 },
    ],
    progress: 1,
    step: '',
    seconds_left: null,
    is_cancelled: false,
    details_removed_at: null,
    ...changes,
  };
}

/** A trade from the candle `entry` to the candle `exit` of the sample period. */
export function aBacktestTrade(
  entry: number,
  exit: number,
  pnl: number,
  changes: Partial<BacktestDetails['trades'][number]> = {},
): BacktestDetails['trades'][number] {
  return {
    timestamp: sampleFrom + entry * hour,
    exit_timestamp: sampleFrom + exit * hour,
    direction: 'long',
    entry_price: 64_250.5,
    exit_price: 64_250.5 * (1 + pnl / 1000),
    amount: 0.01556,
    stake: 1000,
    leverage: 1,
    pnl,
    pnl_ratio: pnl / 1000,
    entry_tag: 'cross_up',
    exit_reason: 'roi',
    ...changes,
  };
}

/** The details of the sample run: a gain, a stop, and a short that gained. */
export function someDetails(changes: Partial<BacktestDetails> = {}): BacktestDetails {
  const candles = Array.from({ length: 720 }, (_, i) => {
    const open = 64_000 + Math.sin(i / 40) * 1500 + Math.sin(i / 5) * 200;
    const close = 64_000 + Math.sin((i + 1) / 40) * 1500 + Math.sin((i + 1) / 5) * 200;
    return {
      timestamp: sampleFrom + i * hour,
      open,
      close,
      high: Math.max(open, close) + 60,
      low: Math.min(open, close) - 60,
      volume: 5 + (i % 9),
    };
  });
  return {
    from: sampleFrom,
    to: sampleFrom + 720 * hour,
    candle_timeframe: '1h',
    candles,
    notes: [],
    drawdown: [
      { time: sampleFrom, value: 0 },
      { time: sampleFrom + 100 * hour, value: 0 },
      { time: sampleFrom + 300 * hour, value: -17.7 },
      { time: sampleFrom + 500 * hour, value: -7.7 },
      { time: sampleFrom + 720 * hour, value: -7.7 },
    ],
    trades: [
      aBacktestTrade(80, 100, 20),
      aBacktestTrade(280, 300, -17.7, { exit_reason: 'stop_loss' }),
      aBacktestTrade(450, 500, 10, { direction: 'short', entry_tag: null, exit_reason: 'exit_signal' }),
    ],
    metric_sets: [
      {
        name: 'per trade, freqtrade',
        metrics: [
          { name: 'Total profit', value: 12.3, unit: 'money', meaning: 'Sum of the profits of all trades, after fees.' },
          { name: 'Win rate', value: 2 / 3, unit: 'ratio', meaning: 'Winning trades ÷ all trades; a draw is not a win.' },
          { name: 'Sharpe', value: 1.2345, unit: 'number', meaning: 'Mean profit per day over the deviation per trade.' },
          { name: 'Profit factor', value: null, unit: 'number', meaning: 'Sum of all gains over the sum of all losses.' },
          { name: 'Fees', value: 6, unit: 'money', meaning: 'Sum of the fees of all fills; part of the total profit.' },
          { name: 'Trades', value: 3, unit: 'count', meaning: 'Closed trades.' },
          { name: 'Average duration', value: 1800, unit: 'minutes', meaning: 'Mean time from entry to exit.' },
        ],
      },
      {
        name: 'daily equity',
        metrics: [
          { name: 'Sharpe', value: -0.5, unit: 'number', meaning: 'Mean over deviation of the daily returns of the wallet.' },
          { name: 'Max drawdown', value: -17.7, unit: 'money', meaning: 'Deepest fall of the wallet between any two candles.' },
        ],
      },
    ],
    exit_reasons: [
      { reason: 'roi', trades: 1, wins: 1, pnl: 20 },
      { reason: 'stop_loss', trades: 1, wins: 0, pnl: -17.7 },
      { reason: 'exit_signal', trades: 1, wins: 1, pnl: 10 },
    ],
    rejected_signals: 4,
    entries: {
      signals: 12,
      entered: 3,
      unfilled: 0,
      refused: [
        { gate: 'has-open-trade', name: 'A trade was open', count: 5, reason: 'a trade of the pair was open already' },
        { gate: 'slots-full', name: 'No free slot', count: 4, reason: 'all slots were in use' },
      ],
      no_trades: null,
      stopped: null,
    },
    hold: [
      { time: sampleFrom, value: 1000 },
      { time: sampleFrom + 350 * hour, value: 1031.5 },
      { time: sampleFrom + 720 * hour, value: 947.7 },
    ],
    fee_ratio: 0.001,
    market_change: -0.0523,
    mode: 'parity',
    ...changes,
  };
}
