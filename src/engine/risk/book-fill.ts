import type { Fill } from '../account/fill.ts';
import type { Order } from '../account/order.ts';
import { isFinal } from '../account/order-life.ts';
import { setRunningFunding } from '../account/refresh-funding.ts';
import type { Trade } from '../account/trade.ts';
import { closeTrade, countFill, filledEntries, settleTrade } from '../account/trade.ts';
import type { TradingSettings } from '../settings/trading-settings.ts';
import type { StrategyCallbacks } from '../strategy/callbacks.ts';
import type { Quirks } from './quirks.ts';
import { customStopAfterFill, setInitialStop, stopAfterFill } from './stops.ts';

/** What a backtest and a running bot do differently around a fill. */
export interface Booking {
  settings: TradingSettings;
  callbacks: StrategyCallbacks;
  quirks: Quirks;
  feeRatio: number | null; // of a simulated fill, as it was configured
  customStopPrice: number | null; // what the strategy's own stop is measured from; null where that is not known
  settlesExitLast: boolean; // funding, liquidation price and stop of a partial exit go by what was held until it
  leavesNothing(trade: Trade, order: Order): boolean; // whether this exit, with all its fills, is an exit of everything
  updateFunding?(trade: Trade, time: number): void;
  setLiquidations(trade: Trade): void;
  beforeClose?(trade: Trade): void; // all is counted, and the trade is still one of the open ones
}

/**
 * Books a fill: counts it, settles the trade, sets stop and liquidation price, asks the strategy. The same for a backtest, on
 * paper and with real orders. An exit of everything closes the trade; what becomes of a closed trade is the caller's matter.
 *
 * A fill that is known already changes nothing. The state of the order is the caller's too: it says whether more is to come.
 */
export function bookFill(trade: Trade, order: Order, fill: Fill, how: Booking): 'known' | 'held' | 'closed' {
  const { settings, callbacks, quirks } = how;
  const { time } = fill;
  const isExit = order.purpose === 'exit';
  if (!countFill(trade, order, fill, how.feeRatio)) return 'known';
  if (isExit && how.leavesNothing(trade, order)) {
    if (isFinal(order.state)) callbacks.orderFilled?.({ trade, order, time });
    how.beforeClose?.(trade);
    closeTrade(trade, order.fillPrice ?? fill.price, order.filledTime ?? time);
    return 'closed';
  }
  if (!isExit) enter(trade, order, quirks);
  else if (!how.settlesExitLast) settleTrade(trade);
  how.updateFunding?.(trade, time);
  if (isFinal(order.state)) callbacks.orderFilled?.({ trade, order, time });
  how.setLiquidations(trade);
  if (how.customStopPrice !== null) customStopAfterFill(trade, how.customStopPrice, time, settings, callbacks, quirks);
  if (isExit && how.settlesExitLast) {
    const running = trade.fundingRunning;
    settleTrade(trade);
    setRunningFunding(trade, running);
  }
  return 'held';
}

/**
 * Settles an entry and sets the stop. tradeOpensWhenOrdered: the trade has opened with its order, however long that waited for its fill.
 *
 * While the first entry is still being filled its average moves, and the stop with it, until it trails.
 */
function enter(trade: Trade, order: Order, quirks: Quirks): void {
  settleTrade(trade);
  const isFirstEntry = filledEntries(trade) === 1;
  const isFirstFill = isFirstEntry && order.fills.length === 1;
  if (isFirstFill && !quirks.tradeOpensWhenOrdered) trade.openTime = order.filledTime ?? trade.openTime;
  if (isFirstEntry && !isFirstFill && !trade.isStopTrailing) setInitialStop(trade, trade.stopRatio, quirks);
  else stopAfterFill(trade, isFirstFill, quirks);
  if (isFirstFill) trade.minRate = trade.maxRate = trade.openRate;
}
