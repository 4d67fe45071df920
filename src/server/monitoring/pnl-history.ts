import { engineTrade } from '../trades/engine-trade.ts';
import { dayMs } from '#engine/market/durations.ts';
import type { profitTerms } from '#contract/metrics.ts';
import { openProfitAt, profitAsOf, wholeTerms } from '#engine/account/open-profit.ts';
import type { Candle } from '#engine/market/candle.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import type { Trade } from '#storage/trades/trades.ts';
import type { z } from 'zod';

/** The windows of the profit and loss chart, each with candles fine enough for its points. */
export const pnlWindows = {
  daily: { lengthMs: dayMs, timeframe: '5m' },
  weekly: { lengthMs: 7 * dayMs, timeframe: '1h' },
  monthly: { lengthMs: 30 * dayMs, timeframe: '4h' },
  yearly: { lengthMs: 365 * dayMs, timeframe: '1d' },
} as const satisfies Record<string, { lengthMs: number; timeframe: Timeframe }>;

const pointCount = 100;

/**
 * Profit and loss over a range: at each of 100 evenly spaced moments the profit of the trades closed by then plus what
 * the open ones were worth at the candle's close. Money in stake currency.
 *
 * `profitBefore`: sum of the profits of trades closed before the range. `candles`: of the range, oldest first.
 * `price`: that of now, which the last point is worked out at.
 */
export function pnlHistory(input: {
  from: number;
  to: number;
  profitBefore: number;
  trades: readonly Trade[];
  candles: readonly Candle[];
  price: number | null;
}): { time: number; pnl: number }[] {
  const step = (input.to - input.from) / (pointCount - 1);
  const profits = new Map(input.trades.map((trade) => [trade, profitOf(trade)]));
  let candle = 0;
  return Array.from({ length: pointCount }, (_, i) => {
    const time = Math.round(input.from + i * step);
    while (candle + 1 < input.candles.length && (input.candles[candle + 1]?.openTime ?? Infinity) <= time) candle += 1;
    const isNow = i === pointCount - 1;
    const price = (isNow ? input.price : null) ?? input.candles[candle]?.close ?? null;
    let pnl = input.profitBefore;
    for (const trade of input.trades) {
      if (trade.openedAt.getTime() > time) continue;
      if (trade.closedAt !== null && trade.closedAt.getTime() <= time) pnl += Number(trade.profit ?? 0);
      else if (price !== null) pnl += profits.get(trade)?.(price, time) ?? 0;
    }
    return { time, pnl };
  });
}

/** What a trade had brought and would have brought at a price then, in stake currency: a part taken out later was still held. */
function profitOf(trade: Trade): ((price: number, time: number) => number) | null {
  const held = engineTrade(trade.engineState);
  return held === null || trade.entryPrice === null ? null : profitAsOf(held);
}

/** What an open trade would bring if it were closed at `price`, with what was taken out of it: after fees and funding, in stake currency. */
export function unrealizedPnl(trade: Trade, price: number, time: number): number {
  const held = engineTrade(trade.engineState);
  return held === null || trade.entryPrice === null ? 0 : openProfitAt(held, price, time);
}

/** What the profit of an open trade depends on besides the price, so that a screen can work it out by the same rule; null when nothing is held. */
export function profitTermsOf(trade: Trade): z.infer<typeof profitTerms> | null {
  const held = engineTrade(trade.engineState);
  if (held === null || !(held.amount > 0) || trade.entryPrice === null) return null;
  const terms = wholeTerms(held);
  return {
    direction: held.direction,
    market_type: held.marketType,
    leverage: held.leverage,
    amount: held.amount,
    open_rate: held.openRate,
    open_value: terms.openValue,
    open_time: held.openTime,
    fee_close: held.feeClose,
    funding_fees: terms.fundingFees,
    interest: held.interest === null ? null : { scheme: held.interest.scheme, rate_per_period: held.interest.ratePerPeriod },
    taken_out: held.realizedProfit,
    all_funding: held.fundingFees,
  };
}
