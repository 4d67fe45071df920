import type { report } from '#contract/reports.ts';
import type { ClosedOnDay } from '#storage/reports/day-report.ts';
import type { z } from 'zod';

/**
 * The figures of a day's closed trades, in the order of closing; at least one. Money is that of trades in dollars; trades in
 * other currencies count in the rest.
 */
export function dayFigures(trades: readonly ClosedOnDay[]): z.input<typeof report> {
  const stops = trades.map(({ stopSize }) => stopSize).filter((size) => size !== null);
  const confidences = trades.map(({ confidence }) => confidence).filter((value) => value !== null);
  let profit = 0;
  let peak = 0;
  let maxDrawdown = 0;
  for (const trade of trades) {
    if (trade.isDollar) profit += Number(trade.profit);
    peak = Math.max(peak, profit);
    maxDrawdown = Math.max(maxDrawdown, peak - profit);
  }
  return {
    total_trades: trades.length,
    net_pnl: profit,
    win_rate: trades.filter((trade) => Number(trade.profit) > 0).length / trades.length,
    max_drawdown: maxDrawdown,
    avg_stop_size: mean(stops.map(Number)) * 100,
    leaves_out: trades.some(({ isDollar }) => !isDollar),
    ...(confidences.length === 0 ? {} : { average_confidence: mean(confidences.map(Number)) }),
  };
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
