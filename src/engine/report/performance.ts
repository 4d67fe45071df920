import { dayMs } from '../market/durations.ts';

/** What a report needs of a closed trade. */
export interface ClosedProfit {
  closeTime: number; // ms
  profit: number; // quote currency, net of fees
}

/** Profit of one UTC day. */
export interface DailyPnl {
  dayTime: number; // its midnight, UTC
  pnl: number;
}

/** How a bot has done. Ratios are fractions, except where the name says per cent. */
export interface Performance {
  totalTrades: number;
  winningTrades: number; // profit above 0
  losingTrades: number; // profit below 0
  winRate: number; // of the closed trades; 0 without any
  realizedPnl: number;
  unrealizedPnl: number;
  netPnl: number;
  netPnlPct: number; // per cent of the starting balance
  currentBalance: number; // starting balance and realized profit
  maxDrawdown: number; // quote currency
  maxDrawdownPct: number; // per cent of the peak it fell from
  sharpeRatio: number | null; // null with fewer than 2 days or no deviation
  dailyPnl: DailyPnl[];
}

/** Figures of a bot from its closed trades, given in any order. `until` extends the days to that of this time. */
export function performanceOf(
  closed: readonly ClosedProfit[],
  balance: { startingBalance: number; unrealizedPnl: number; until?: number },
): Performance {
  const { startingBalance, unrealizedPnl } = balance;
  const trades = [...closed].sort((a, b) => a.closeTime - b.closeTime);
  const realizedPnl = trades.reduce((sum, { profit }) => sum + profit, 0);
  const winningTrades = trades.filter(({ profit }) => profit > 0).length;
  const netPnl = realizedPnl + unrealizedPnl;
  const daily = dailyPnlOf(trades, balance.until);
  const drawdown = maxDrawdownOf(trades, startingBalance);
  return {
    totalTrades: trades.length,
    winningTrades,
    losingTrades: trades.filter(({ profit }) => profit < 0).length,
    winRate: trades.length === 0 ? 0 : winningTrades / trades.length,
    realizedPnl,
    unrealizedPnl,
    netPnl,
    netPnlPct: startingBalance > 0 ? (netPnl / startingBalance) * 100 : 0,
    currentBalance: startingBalance + realizedPnl,
    maxDrawdown: drawdown.amount,
    maxDrawdownPct: drawdown.ratio * 100,
    sharpeRatio: sharpeOf(dailyReturns(daily, startingBalance)),
    dailyPnl: daily,
  };
}

/** Profit by UTC day of closing, from the first trade on; days without a trade count 0. */
export function dailyPnlOf(closed: readonly ClosedProfit[], until?: number): DailyPnl[] {
  if (closed.length === 0) return [];
  const byDay = new Map<number, number>();
  let first = Infinity;
  let last = -Infinity;
  for (const { closeTime, profit } of closed) {
    const day = Math.floor(closeTime / dayMs);
    byDay.set(day, (byDay.get(day) ?? 0) + profit);
    first = Math.min(first, day);
    last = Math.max(last, day);
  }
  if (until !== undefined) last = Math.max(last, Math.floor(until / dayMs));
  return Array.from({ length: last - first + 1 }, (_, i) => ({ dayTime: (first + i) * dayMs, pnl: byDay.get(first + i) ?? 0 }));
}

/** The largest fall of the balance from an earlier peak, in quote currency and as a fraction of that peak. */
export function maxDrawdownOf(closed: readonly ClosedProfit[], startingBalance: number): { amount: number; ratio: number } {
  let balance = startingBalance;
  let peak = startingBalance;
  const worst = { amount: 0, ratio: 0 };
  for (const { profit } of closed) {
    balance += profit;
    peak = Math.max(peak, balance);
    if (peak - balance > worst.amount) {
      worst.amount = peak - balance;
      worst.ratio = peak > 0 ? (peak - balance) / peak : 0;
    }
  }
  return worst;
}

/** Each day's profit as a fraction of the balance it began with. */
export function dailyReturns(daily: readonly DailyPnl[], startingBalance: number): number[] {
  let balance = startingBalance;
  return daily.map(({ pnl }) => {
    const before = balance;
    balance += pnl;
    return before > 0 ? pnl / before : 0;
  });
}

/** Mean / standard deviation (population) of daily returns x the root of 365; null with fewer than 2 days or no deviation. */
export function sharpeOf(returns: readonly number[]): number | null {
  if (returns.length < 2) return null;
  const mean = returns.reduce((sum, value) => sum + value, 0) / returns.length;
  const deviation = Math.sqrt(returns.reduce((sum, value) => sum + (value - mean) ** 2, 0) / returns.length);
  return deviation > 0 ? (mean / deviation) * Math.sqrt(365) : null;
}
