import type { Trade } from '../account/trade.ts';
import type { TimedValue } from './backtest-summary.ts';

const mostPoints = 1_000;

/** The balance after each closed trade, with the start and the end of the range. */
export function equityOf(trades: readonly Trade[], startingBalance: number, startTime: number, endTime: number): TimedValue[] {
  const points: TimedValue[] = [{ time: startTime, value: startingBalance }];
  let balance = startingBalance;
  for (const trade of [...trades].sort((a, b) => (a.closeTime ?? 0) - (b.closeTime ?? 0))) {
    balance += trade.profit ?? 0;
    const time = trade.closeTime ?? endTime;
    const last = points.at(-1);
    if (last !== undefined && last.time === time) last.value = balance;
    else points.push({ time, value: balance });
  }
  if ((points.at(-1)?.time ?? endTime) < endTime) points.push({ time: endTime, value: balance });
  return points;
}

/** How far each value lies below the highest so far: 0 or negative. */
export function drawdownOf(equity: readonly TimedValue[], startingBalance: number): TimedValue[] {
  let high = startingBalance;
  return equity.map(({ time, value }) => {
    high = Math.max(high, value);
    return { time, value: value - high };
  });
}

/** At most a thousand points, evenly taken; the first and the last stay. */
export function thinned(points: readonly TimedValue[]): TimedValue[] {
  if (points.length <= mostPoints) return [...points];
  const step = (points.length - 1) / (mostPoints - 1);
  return Array.from({ length: mostPoints }, (_, i) => points[Math.round(i * step)]);
}

/** What the fills of these trades cost in fees, in stake currency. */
export function feesOf(trades: readonly Trade[]): number {
  let sum = 0;
  for (const { orders } of trades) {
    for (const { filled, fillPrice, feeRatio } of orders) {
      if (filled > 0) sum += filled * (fillPrice ?? 0) * (feeRatio ?? 0);
    }
  }
  return sum;
}
