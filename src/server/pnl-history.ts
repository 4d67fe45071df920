import { profitAt } from '#engine/account/profit.ts';
import type { Trade as EngineTrade } from '#engine/account/trade.ts';
import type { Candle } from '#engine/market/candle.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import type { Trade } from '#storage/trades.ts';

const day = 86_400_000;

/** The windows of the profit and loss chart, each with candles fine enough for its points. */
export const pnlWindows = {
  daily: { lengthMs: day, timeframe: '5m' },
  weekly: { lengthMs: 7 * day, timeframe: '1h' },
  monthly: { lengthMs: 30 * day, timeframe: '4h' },
  yearly: { lengthMs: 365 * day, timeframe: '1d' },
} as const satisfies Record<string, { lengthMs: number; timeframe: Timeframe }>;

const pointCount = 100;

/**
 * Profit and loss over a range: at each of 100 evenly spaced moments the profit of the trades closed by then plus what
 * the open ones were worth at the candle's close. Money in stake currency.
 *
 * `profitBefore`: sum of the profits of trades closed before the range. `candles`: of the range, oldest first.
 */
export function pnlHistory(input: {
  from: number;
  to: number;
  profitBefore: number;
  trades: readonly Trade[];
  candles: readonly Candle[];
}): { time: number; pnl: number }[] {
  const step = (input.to - input.from) / (pointCount - 1);
  let candle = 0;
  return Array.from({ length: pointCount }, (_, i) => {
    const time = Math.round(input.from + i * step);
    while (candle + 1 < input.candles.length && (input.candles[candle + 1]?.openTime ?? Infinity) <= time) candle += 1;
    const price = input.candles[candle]?.close ?? null;
    let pnl = input.profitBefore;
    for (const trade of input.trades) {
      if (trade.openedAt.getTime() > time) continue;
      if (trade.closedAt !== null && trade.closedAt.getTime() <= time) pnl += Number(trade.profit ?? 0);
      else if (price !== null) pnl += unrealizedPnl(trade, price, time);
    }
    return { time, pnl };
  });
}

/** What an open trade would bring if it were closed at `price`: after fees and funding, in stake currency. */
export function unrealizedPnl(trade: Trade, price: number, time: number): number {
  const held = trade.engineState as unknown as EngineTrade; // as the runner wrote it
  return held.amount > 0 && trade.entryPrice !== null ? profitAt(held, price, time) : 0;
}
