import type { Order, OrderAction } from '../account/order.ts';
import type { Trade } from '../account/trade.ts';
import type { Direction } from '../market/direction.ts';
import type { OrderType } from '../market/order-type.ts';
import type { EntrySize } from '../risk/entry.ts';
import { newTrade } from '../risk/entry.ts';
import { moveStopByHand, setInitialStop } from '../risk/stops.ts';
import type { MarketView } from './event.ts';
import type { Step } from './execution.ts';
import { copyOf, feesOf, instrumentOf, liveQuirks, placeOrder } from './execution.ts';

/** What a trade is opened with. */
export interface Opening {
  direction: Direction;
  tag: string | null;
  price: number;
  size: EntrySize;
  type: OrderType;
  action: Extract<OrderAction, 'enter' | 'manual-enter'>;
  stop: number | null; // the price where a person wants it; null: that of the settings
}

/** Opens a trade of the symbol of these prices: makes it with its stop, and its entry order. */
export function openTrade(step: Step, opening: Opening, view: MarketView): { trade: Trade; order: Order } {
  const { state } = step;
  const { settings } = state;
  const { direction, tag, price, size, type, action, stop } = opening;
  const instrument = instrumentOf(step, view.symbol);
  const { taker } = feesOf(step, view.symbol);
  const trade = newTrade({
    id: state.nextTradeId++,
    instrument,
    direction,
    time: step.time,
    tag,
    price,
    size,
    priceTick: instrument.priceTick,
    feeOpen: taker,
    feeClose: taker,
    settings,
  });
  setInitialStop(trade, settings.stoploss, liveQuirks);
  if (stop !== null) {
    moveStopByHand(trade, stop);
    trade.initialStop = trade.stop;
    trade.initialStopRatio = trade.stopRatio;
  }
  state.trades.push(trade);
  step.effects.push({ kind: 'trade-opened', time: step.time, trade: copyOf(trade) });
  const order = placeOrder(step, trade, { action, purpose: 'entry', type, price, amount: size.amount, tag }, view);
  return { trade, order };
}
