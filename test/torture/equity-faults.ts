import type { Trade } from '#engine/account/trade.ts';
import type { BacktestResult } from '#engine/backtest/backtest-result.ts';
import type { BacktestInput } from '#engine/backtest/input.ts';

const day = 86_400_000;

/**
 * Whether the wallet's value of each day is cash plus the coins at the open of its last candle, worked out from the fills
 * alone. Spot only, where entries fill at once (a waiting one ties money up that no fill shows) and no trade stays unclosed.
 */
export function equityFaults(result: BacktestResult, input: BacktestInput): string[] {
  const { settings, pairs, timeframeMs, callbacks = {} } = input;
  const isPlain = settings.marketType === 'spot' && callbacks.entryPrice === undefined && result.unclosedTrades.length === 0;
  if (!isPlain) return [];
  const openAt = (symbol: string, time: number): number => {
    const candles = pairs.find(({ instrument }) => instrument.symbol === symbol)?.candles;
    const at = candles?.openTime.findLastIndex((openTime) => openTime <= time) ?? -1;
    return candles?.open[at] ?? NaN;
  };
  // A forced exit comes when the run is over, and has the time of its pair's last candle. Where it is an order that has waited, the trade does not
  // say which it was: its reason is that of the order.
  const mayBeForced = ({ symbol, closeTime }: Trade): boolean =>
    pairs.find(({ instrument }) => instrument.symbol === symbol)?.candles.openTime.at(-1) === closeTime;
  for (const { dayTime, balance } of result.dailyBalance.days) {
    const time = Math.min(result.endTime, dayTime + day - timeframeMs);
    let expected = [settings.startingBalance];
    for (const trade of result.trades) {
      const ways = trade.exitReason === 'force_exit' ? [true] : mayBeForced(trade) ? [false, true] : [false];
      const added = new Set(ways.map((isForced) => valueAdded(trade, time, openAt, isForced)));
      expected = expected.flatMap((value) => [...added].map((each) => value + each));
    }
    if (expected.every((value) => Math.abs(value - balance) > 1e-6 * settings.startingBalance))
      return [`The wallet is worth ${balance} at ${time}, cash and coins make ${expected.join(' or ')}.`];
  }
  return [];
}

/** What a trade has added to the wallet before `time`: profits of its exits, and what its coins have risen since. */
function valueAdded(trade: Trade, time: number, openAt: (symbol: string, time: number) => number, isForced: boolean): number {
  let [amount, cost, paidFees, realized] = [0, 0, 0, 0];
  for (const order of trade.orders) {
    const { purpose, amount: filled, fillPrice, filledTime, feeRatio } = order;
    if ((filledTime ?? Infinity) >= time || (isForced && order === trade.orders.at(-1))) break;
    const value = filled * (fillPrice ?? 0);
    const fee = value * (feeRatio ?? 0);
    if (purpose === 'entry') {
      amount += filled;
      cost += value;
      paidFees += fee;
    } else {
      const share = filled / amount;
      realized += value - fee - (cost + paidFees) * share;
      amount -= filled;
      cost *= 1 - share;
      paidFees *= 1 - share;
    }
  }
  // The fee of an entry lowers the profit of its exits; until then the coins stand at what they cost without it.
  return amount > 1e-12 ? realized - cost + amount * openAt(trade.symbol, time) : realized;
}
