import { currenciesOf } from '../account/fill.ts';
import { newOrder } from '../account/order.ts';
import { entrySide } from '../market/direction.ts';
import { roundPrice, truncateAmount } from '../market/rounding.ts';
import { candleOpenTime, timeframeLengths } from '../market/timeframe.ts';
import { newTrade } from '../risk/entry.ts';
import { setInitialStop } from '../risk/stops.ts';
import type { BotEvent } from './event.ts';
import type { Step } from './execution.ts';
import { closeWithRest, copyOf, feesOf, instrumentOf, liveQuirks, takeFill } from './execution.ts';
import { isTooSmallToSell } from './small-rest.ts';
import { clientOrderId } from './state.ts';
import { keepStop } from './stop-order.ts';

/** The entry tag of a trade that was made from what the account held. */
export const adoptedTag = 'adopted';

/**
 * Makes a trade of what the account holds by orders that the bot has no record of, as a person has decided: at their average price and
 * fees. Nothing is sent but its stop; where it is too little for an order the trade ends at once, and takes no slot. The same wish twice is
 * once, by the id of its fill; it waits while the symbol has another trade.
 */
export function adoptHolding(step: Step, event: Extract<BotEvent, { kind: 'holding-adopted' }>): void {
  const { state } = step;
  const { symbol, fillId } = event;
  const { direction, fee, ...holding } = event.holding;
  const isKnown = [...state.trades, ...state.formerTrades].some(({ orders }) =>
    orders.some(({ fills }) => fills.some(({ id }) => id === fillId)),
  );
  if (step.context.execution !== 'exchange' || isKnown || state.trades.some((trade) => trade.symbol === symbol)) return;
  const instrument = instrumentOf(step, symbol);
  const amount = truncateAmount(holding.amount, instrument.amountStep, instrument.contractSize);
  if (!(amount > 0)) return;
  const leverage = state.settings.marketType === 'spot' ? 1 : state.settings.leverage;
  const price = roundPrice(holding.price, instrument.priceTick);
  const { taker } = feesOf(step, symbol);
  const trade = newTrade({
    id: state.nextTradeId++,
    instrument,
    direction,
    time: step.time,
    tag: adoptedTag,
    price,
    size: { stake: (amount * holding.price) / leverage, amount, leverage },
    priceTick: instrument.priceTick,
    feeOpen: taker,
    feeClose: taker,
    settings: state.settings,
  });
  setInitialStop(trade, state.settings.stoploss, liveQuirks);
  state.trades.push(trade);
  step.effects.push({ kind: 'trade-opened', time: step.time, trade: copyOf(trade) });
  const order = newOrder({
    id: clientOrderId(state.botId, state.nextOrderNumber++),
    purpose: 'entry',
    side: entrySide(direction),
    type: 'market',
    price,
    amount,
    tag: adoptedTag,
    createdTime: step.time,
    candleTime: candleOpenTime(state.timeframe, step.time) - timeframeLengths[state.timeframe],
    action: 'add', // it comes of no signal of this bot's record
    follows: fillId,
    state: 'filled',
  });
  trade.orders.push(order);
  const paid = { fee: fee ?? 0, feeCurrency: currenciesOf(symbol).quote, feeInQuote: fee };
  takeFill(step, trade, order, { id: fillId, price: holding.price, amount, ...paid, liquidity: null, time: step.time }, null);
  if (isTooSmallToSell(step, trade, trade.amount, price)) closeWithRest(step, trade);
  else keepStop(step, trade);
}
