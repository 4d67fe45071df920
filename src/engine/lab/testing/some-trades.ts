import type { Trade } from '../../account/trade.ts';
import { dayMs, minuteMs } from '../../market/durations.ts';
import { seededRandom } from '../../simulation/seeded-random.ts';
import type { LossInput } from '../losses.ts';

/** Closed trades with profits by chance, in closing order, for tests of what is calculated from trades. */
export function someTrades({ count, mean, spread, seed, days = 40 }: TradeWish): LossInput {
  const random = seededRandom(seed);
  const startTime = Date.UTC(2025, 0, 1, 1, 5);
  const endTime = startTime + days * dayMs + 7 * minuteMs;
  const trades = Array.from({ length: count }, () => {
    const closeTime = startTime + Math.floor(random() * (days * 1440)) * minuteMs;
    const openTime = Math.max(startTime, closeTime - Math.floor(random() * 600) * minuteMs);
    const profitRatio = Math.round((mean + (random() - 0.5) * spread) * 1e8) / 1e8;
    const profit = Math.round(profitRatio * 100 * 1e8) / 1e8;
    const symbol = random() < 0.6 ? 'BTC/USDT' : 'ETH/USDT';
    return { symbol, openTime, closeTime, profit, profitRatio } as Trade;
  }).sort((a, b) => (a.closeTime ?? 0) - (b.closeTime ?? 0));
  return { trades, symbols: ['BTC/USDT', 'ETH/USDT', 'ADA/USDT'], startingBalance: 1_000, startTime, endTime };
}

/** What the trades are to be like. */
export interface TradeWish {
  count: number;
  mean: number; // profit ratio
  spread: number;
  seed: number;
  days?: number;
}
