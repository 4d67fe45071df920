import { dayMs } from '#engine/market/durations.ts';
import type { ClosedOnDay } from '#storage/reports/day-report.ts';

/** The profit of the day in one mode, step by step. */
export interface DayCurve {
  mode: ClosedOnDay['mode'];
  points: { share: number; profit: number }[]; // share of the day, 0 to 1; profit so far in dollars, from the first to the last moment
}

const modes = ['live', 'paper', 'testnet'] as const;

/**
 * The sum of the profits so far over the day, a curve for each mode with trades in dollars: real and simulated money are
 * never added. A step goes from the sum before a trade to the sum after it. `end`: in ms, where the curves end.
 */
export function dayCurves(day: string, trades: readonly ClosedOnDay[], end: number): DayCurve[] {
  const start = Date.parse(day);
  const shareOf = (time: number) => Math.min(1, Math.max(0, (time - start) / dayMs));
  return modes.flatMap((mode) => {
    const ofMode = trades.filter((trade) => trade.mode === mode && trade.isDollar);
    if (ofMode.length === 0) return [];
    let profit = 0;
    const points = [{ share: 0, profit }];
    for (const trade of ofMode) {
      const share = shareOf(trade.closedAt.getTime());
      points.push({ share, profit });
      profit += Number(trade.profit);
      points.push({ share, profit });
    }
    points.push({ share: Math.max(shareOf(end), points.at(-1)?.share ?? 0), profit });
    return [{ mode, points }];
  });
}
