import type { Order, OrderAction } from '../account/order.ts';
import type { Trade } from '../account/trade.ts';
import { walletOf } from '../account/wallet.ts';
import type { Direction } from '../market/direction.ts';
import type { OrderType } from '../market/order-type.ts';
import type { EntrySize } from '../risk/entry.ts';
import { newTrade } from '../risk/entry.ts';
import { liquidationOf } from '../risk/liquidation.ts';
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
  const { tag, price, size, type, action, stop } = opening;
  const trade = tradeOf(step, opening, view.symbol);
  state.nextTradeId++;
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

/** Where the exchange would take an opening away once it is filled at its price, buffer included; null where it never does. */
export function liquidationOfOpening(step: Step, opening: Opening, symbol: string): number | null {
  const { settings, closedProfit, trades } = step.state;
  const { amount, stake } = opening.size;
  const filled = { ...tradeOf(step, opening, symbol), amount, stake };
  const { free } = walletOf(settings, closedProfit, trades);
  return liquidationOf(filled, [...trades, filled], free - stake, settings, (each) => step.context.instruments.get(each), liveQuirks);
}

/** The trade of an opening before its first order: it holds nothing. */
function tradeOf(step: Step, { direction, tag, price, size }: Opening, symbol: string): Trade {
  const { settings, nextTradeId } = step.state;
  const instrument = instrumentOf(step, symbol);
  const { taker } = feesOf(step, symbol);
  return newTrade({
    id: nextTradeId,
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
}
