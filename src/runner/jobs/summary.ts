import type { BacktestDetails, BacktestTrade, NamedMetric, TimedValue } from '#engine/report/backtest-summary.ts';
import { detailsVersion } from '#engine/report/backtest-summary.ts';
import type { backtestStrategy } from '#engine/backtest/backtest-strategy.ts';
import type { Trade } from '#engine/account/trade.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import { dayMs, minuteMs } from '#engine/market/durations.ts';
import { breakdown, durationsOf } from '#engine/report/breakdown.ts';
import { drawdownOf, equityOf, feesOf, thinned } from '#engine/report/equity-curve.ts';
import { dailyEquityMetrics } from '#engine/report/daily-equity-metrics.ts';
import { entryReport } from '#engine/report/entry-report.ts';
import type { MetricSpan } from '#engine/report/reference-metrics.ts';
import { perTradeMetrics } from '#engine/report/per-trade-metrics.ts';
import type { BacktestOutcome } from '#storage/backtests/backtests.ts';

type Result = ReturnType<typeof backtestStrategy>;

const mostCandles = 3_000;
const mostTrades = 5_000;

/** What a summary has to know besides the result. */
export interface SummaryRange {
  from: number;
  to: number;
  timeframe: string;
  timeframeMs: number;
  currency: string; // of the stake
}

/** What is kept of a backtest: the figures of the list, the equity curve, and everything the screen draws. */
export function summarise(result: Result, range: SummaryRange): BacktestOutcome<BacktestDetails> {
  const { trades, startingBalance, finalBalance } = result;
  const span: MetricSpan = { startTime: result.startTime, endTime: result.endTime, startingBalance, finalBalance };
  const equity = equityOf(trades, startingBalance, result.startTime, result.endTime);
  const wins = trades.filter((trade) => (trade.profit ?? 0) > 0).length;
  const [computed] = result.computed;
  const drawn = drawnCandles(computed?.candles, range);
  return {
    metrics: {
      total_trades: trades.length,
      win_rate: trades.length === 0 ? 0 : wins / trades.length,
      net_pnl: trades.reduce((sum, trade) => sum + (trade.profit ?? 0), 0),
    },
    equity: thinned(equity),
    result: {
      version: detailsVersion,
      from: result.startTime,
      to: result.endTime,
      candle_timeframe: drawn.timeframe,
      candles: drawn.candles,
      drawdown: thinned(drawdownOf(equity, startingBalance)),
      trades: trades.slice(0, mostTrades).map(tradeLine),
      metric_sets: [
        { name: 'per trade, freqtrade', metrics: perTrade(trades, span) },
        { name: 'daily equity', metrics: daily(result, startingBalance) },
      ],
      exit_reasons: breakdown(trades, 'exitReason', startingBalance).map((row) => ({
        reason: row.key,
        trades: row.tradeCount,
        wins: row.wins,
        pnl: row.totalProfit,
      })),
      rejected_signals: result.counters.rejectedSignals,
      entries: entriesOf(result, range.currency),
      hold: thinned(holdOf(computed?.candles, startingBalance, result)),
      fee_ratio: result.feeRatio,
      market_change: result.marketChange,
      mode: result.mode,
    },
  };
}

/** What became of the signals, in the words of the wire. */
function entriesOf(result: Result, currency: string): BacktestDetails['entries'] {
  const { signals, entered, unfilled, refused, noTrades, stopped } = entryReport(result, currency);
  return { signals, entered, unfilled, refused, no_trades: noTrades, stopped };
}

/** The start balance as if it had been held in the symbol: it ends where the market change says. */
function holdOf(candles: CandleColumns | undefined, startingBalance: number, { startTime, endTime }: Result): TimedValue[] {
  if (candles === undefined) return [];
  const { openTime, close } = candles;
  const first = openTime.findIndex((time) => time >= startTime);
  if (first === -1) return [];
  const points: TimedValue[] = [];
  for (let at = first; at < openTime.length && (openTime[at] ?? 0) <= endTime; at++) {
    points.push({ time: openTime[at] ?? 0, value: (startingBalance * (close[at] ?? 0)) / (close[first] ?? 1) });
  }
  return points;
}

/** The candles of the range, joined so far that they can be drawn. */
function drawnCandles(columns: CandleColumns | undefined, range: { from: number; timeframe: string; timeframeMs: number }) {
  if (columns === undefined) return { timeframe: range.timeframe, candles: [] };
  const first = columns.openTime.findIndex((time) => time >= range.from);
  const count = first === -1 ? 0 : columns.openTime.length - first;
  const group = Math.max(1, Math.ceil(count / mostCandles));
  const candles = [];
  for (let at = first; at >= 0 && at < columns.openTime.length; at += group) {
    const end = Math.min(at + group, columns.openTime.length);
    candles.push({
      timestamp: columns.openTime[at] ?? 0,
      open: columns.open[at] ?? 0,
      high: Math.max(...columns.high.subarray(at, end)),
      low: Math.min(...columns.low.subarray(at, end)),
      close: columns.close[end - 1] ?? 0,
      volume: columns.volume.subarray(at, end).reduce((sum, volume) => sum + volume, 0),
    });
  }
  return { timeframe: group === 1 ? range.timeframe : lengthName(group * range.timeframeMs), candles };
}

/** A length of time as a timeframe: '45m', '3h', '1h 15m'. */
function lengthName(ms: number): string {
  const minutes = Math.round(ms / minuteMs);
  const units = [
    [1440, 'd'],
    [60, 'h'],
    [1, 'm'],
  ] as const;
  let rest = minutes;
  const words: string[] = [];
  for (const [size, unit] of units) {
    const count = Math.floor(rest / size);
    if (count > 0) words.push(`${count}${unit}`);
    rest -= count * size;
  }
  return words.join(' ');
}

function tradeLine(trade: Trade): BacktestTrade {
  return {
    timestamp: trade.openTime,
    exit_timestamp: trade.closeTime ?? trade.openTime,
    direction: trade.direction,
    entry_price: trade.openRate,
    exit_price: trade.closeRate ?? trade.openRate,
    amount: trade.amount,
    stake: trade.stake,
    leverage: trade.leverage,
    pnl: trade.profit ?? 0,
    pnl_ratio: trade.profitRatio ?? 0,
    entry_tag: trade.enterTag,
    exit_reason: trade.exitReason ?? '',
  };
}

function perTrade(trades: readonly Trade[], span: MetricSpan): NamedMetric[] {
  const m = perTradeMetrics(trades, span);
  const durations = durationsOf(trades);
  const days = Math.max(1, Math.floor((span.endTime - span.startTime) / dayMs));
  return [
    { name: 'Total profit', value: m.totalProfit, unit: 'money', meaning: 'Sum of the profits of all trades, after fees and funding.' },
    { name: 'Fees', value: feesOf(trades), unit: 'money', meaning: 'Sum of the fees of all fills; part of the total profit.' },
    ...funding(trades),
    { name: 'Total profit ratio', value: m.totalProfitRatio, unit: 'ratio', meaning: 'Total profit over the starting balance.' },
    { name: 'Trades', value: m.tradeCount, unit: 'count', meaning: 'Closed trades, those closed at the end of the range included.' },
    { name: 'Trades per day', value: trades.length / days, unit: 'number', meaning: 'Trades over the whole days of the range.' },
    { name: 'Win rate', value: m.winRate, unit: 'ratio', meaning: 'Winning trades ÷ all trades; a draw is not a win.' },
    {
      name: 'Profit factor',
      value: m.profitFactor,
      unit: 'number',
      meaning: 'Sum of all gains over the sum of all losses.',
    },
    { name: 'Expectancy', value: m.expectancy, unit: 'money', meaning: 'Win rate times average win minus loss rate times average loss.' },
    {
      name: 'Expectancy ratio',
      value: m.expectancyRatio,
      unit: 'number',
      meaning: '(1 + average win / average loss) times win rate, minus 1.',
    },
    {
      name: 'Sharpe',
      value: m.sharpe,
      unit: 'number',
      meaning:
        'Mean profit per day over the deviation per trade, times the root of 365. It grows with the number of trades; do not compare it with fund ratios.',
    },
    { name: 'Sortino', value: m.sortino, unit: 'number', meaning: 'As Sharpe, over the deviation of the losing trades alone.' },
    {
      name: 'Calmar',
      value: m.calmar,
      unit: 'number',
      meaning: 'Mean profit per day in per cent over the account drawdown, times the root of 365.',
    },
    {
      name: 'SQN',
      value: m.sqn,
      unit: 'number',
      meaning: 'Root of the number of trades times mean return over its sample deviation.',
    },
    { name: 'CAGR', value: m.cagr, unit: 'ratio', meaning: 'Yearly growth that leads from the starting to the final balance.' },
    {
      name: 'p-value',
      value: m.pValue,
      unit: 'number',
      meaning: 'Chance of such a mean return if the true one were 0 (two-sided t-test).',
    },
    { name: 'Max drawdown', value: m.maxDrawdownAbs, unit: 'money', meaning: 'Largest fall of the running profit from its highest.' },
    { name: 'Account drawdown', value: m.accountDrawdown, unit: 'ratio', meaning: 'Max drawdown ÷ peak balance.' },
    { name: 'Longest winning streak', value: m.maxConsecutiveWins, unit: 'count', meaning: 'Wins in a row, in closing order.' },
    {
      name: 'Longest losing streak',
      value: m.maxConsecutiveLosses,
      unit: 'count',
      meaning: 'Losses and draws in a row, in closing order.',
    },
    { name: 'Average duration', value: durations.all.average, unit: 'minutes', meaning: 'Mean time from entry to exit.' },
  ];
}

/** What perpetuals have paid or received; spot has no such row. */
function funding(trades: readonly Trade[]): NamedMetric[] {
  if (!trades.some(({ marketType }) => marketType === 'futures')) return [];
  const value = trades.reduce((sum, { fundingFees }) => sum + fundingFees, 0);
  return [{ name: 'Funding', value, unit: 'money', meaning: 'Funding received, or paid when negative; part of the total profit.' }];
}

function daily(result: Result, startingBalance: number): NamedMetric[] {
  const m = dailyEquityMetrics(result.dailyBalance, startingBalance);
  return [
    {
      name: 'Sharpe',
      value: m.sharpe,
      unit: 'number',
      meaning: 'Mean over deviation of the daily returns of the wallet, times the root of 365.',
    },
    { name: 'Sortino', value: m.sortino, unit: 'number', meaning: 'As Sharpe, over the deviation of the losing days alone.' },
    {
      name: 'Calmar',
      value: m.calmar,
      unit: 'number',
      meaning: 'Mean daily profit in per cent over the deepest fall, times the root of 365.',
    },
    {
      name: 'Max drawdown',
      value: m.maxDrawdownAbs,
      unit: 'money',
      meaning:
        'Deepest fall of the wallet between any two candles. Open trades count with the worth of their coins, on perpetuals with their stake.',
    },
    { name: 'Max drawdown ratio', value: m.maxDrawdownRatio, unit: 'ratio', meaning: 'Deepest fall ÷ the highest value before it.' },
    { name: 'Final balance', value: result.finalBalance, unit: 'money', meaning: 'Starting balance plus all profits.' },
    {
      name: 'Market change',
      value: result.marketChange,
      unit: 'ratio',
      meaning: 'Buy-and-hold return over the period.',
    },
  ];
}
