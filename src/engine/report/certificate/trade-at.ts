import { addFill } from '../../account/order-fills.ts';
import { newOrder } from '../../account/order.ts';
import type { Trade } from '../../account/trade.ts';
import { settleTrade } from '../../account/trade.ts';
import type { Decimal } from '../../market/decimal.ts';
import { minus, plus, toDecimal, zero } from '../../market/decimal.ts';

/** Where the stop of a trade has gone: oldest first. */
export type StopMoves = readonly { time: number; price: number }[];

/**
 * A trade as it was at an earlier time, out of its fills until then; null when nothing was held. Orders that waited then are not in it.
 *
 * The stop is that of its newest move before, else the first one; the funding since the last fill is still to be counted.
 */
export function tradeAt(trade: Trade, time: number, stopMoves: StopMoves): Trade | null {
  if (!trade.isOpen && trade.closeTime !== null && trade.closeTime < time) return null;
  const orders = trade.orders.flatMap((order) => {
    const fills = order.fills.filter((fill) => fill.time < time);
    if (fills.length === 0) return [];
    const filled = { ...newOrder({ ...order, state: 'filled' }), fundingFee: order.fundingFee };
    // The fee of a simulated fill is known better than a division gives it.
    const known = fills.length === 1 && order.fills.length === 1 ? order.feeRatio : null;
    for (const fill of fills) addFill(filled, fill, trade.symbol, known);
    return [filled];
  });
  let held: Decimal = zero;
  for (const { purpose, filled, baseFee } of orders) {
    const moved = minus(toDecimal(filled), toDecimal(baseFee));
    held = purpose === 'entry' ? plus(held, moved) : minus(held, moved);
  }
  if (held.digits <= 0n) return null;
  const {
    exitFailures: _exits,
    stopFailures: _stops,
    payments: _payments,
    soldOutside: _sold,
    fundedUntil: _until,
    tooSmall: _small,
    ...kept
  } = trade;
  const stop = stopMoves.findLast((move) => move.time < time)?.price ?? trade.initialStop;
  const earlier: Trade = {
    ...kept,
    orders,
    isOpen: true,
    closeTime: null,
    closeRate: null,
    exitReason: null,
    profit: null,
    profitRatio: null,
    stop,
    isStopTrailing: trade.isStopTrailing && stop !== trade.initialStop,
    fundingRunning: 0,
  };
  settleTrade(earlier);
  return earlier;
}
