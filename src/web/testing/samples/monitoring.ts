import type { CallReply } from '#contract/client.ts';

/** The newest `count` candles of 5 minutes; the last one opened at `lastTime` (ms) and closes at `close`. */
export function someCandles(count: number, close: number, lastTime = 1_763_683_200_000): CallReply<'chartCandles'> {
  const step = 300_000;
  const candles = Array.from({ length: count }, (_, i) => {
    const isLast = i === count - 1;
    const open = 100 + Math.sin(i / 5) * 10;
    const end = isLast ? close : 100 + Math.sin((i + 1) / 5) * 10;
    return {
      timestamp: lastTime - (count - 1 - i) * step,
      open,
      high: Math.max(open, end) + 1,
      low: Math.min(open, end) - 1,
      close: end,
      volume: 10 + i,
    };
  });
  return { candles, timeframe: '5m' };
}

/** Profit and loss with an open position. */
export function somePnl(changes: Partial<CallReply<'pnlMetrics'>> = {}): CallReply<'pnlMetrics'> {
  return {
    unrealized_pnl: -12.345,
    current_price: 101.5,
    position_size: 0.0155,
    entry_price: 102.25,
    leverage: 3,
    liquidation_price: 70.5,
    history: [
      { time: 1_763_600_000_000, pnl: 1 },
      { time: 1_763_650_000_000, pnl: -2 },
    ],
    ...changes,
  };
}

/** Order metrics with one line of the log. */
export function someOrders(changes: Partial<CallReply<'orderMetrics'>> = {}): CallReply<'orderMetrics'> {
  return {
    win_rate: 0.5833,
    trade_count: 12,
    trades: [
      {
        timestamp: '2026-11-20T10:15:30.000Z',
        symbol: 'BTC/USDT',
        direction: 'long',
        size: 0.0155,
        entry: 64_321.12,
        status: 'open',
        confidence: 0.715,
        stop_loss: null,
      },
    ],
    ...changes,
  };
}
