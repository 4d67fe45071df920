import { currenciesOf } from '../account/fill.ts';
import { isWaiting, newOrder } from '../account/order.ts';
import { fundingMissed, setRunningFunding } from '../account/refresh-funding.ts';
import type { Trade } from '../account/trade.ts';
import { exitSide } from '../market/direction.ts';
import { dividedBy, times, toDecimal, toNumber } from '../market/decimal.ts';
import { roundPrice } from '../market/rounding.ts';
import { candleOpenTime, timeframeLengths } from '../market/timeframe.ts';
import type { BotEvent } from './event.ts';
import type { Step } from './execution.ts';
import { cancelOrder, takeFill } from './execution.ts';
import { freshPrice } from './fresh-price.ts';
import { cancelBeyond, heldFor, lessMissing } from './missing.ts';
import { clientOrderId, pairMemory } from './state.ts';
import { keepStop } from './stop-order.ts';

/** The reason of an exit that was made at the exchange by somebody else than the bot. */
export const soldOnExchange = 'sold_on_exchange';

/**
 * Corrects an open trade to what the account holds of it, as a person has decided: what is missing is booked as an exit that happened
 * outside, at the price and with the fees that the account was paid; where it does not say so, at the newest price and without a fee. Funding that was counted for it since
 * it was sold was never paid. A stop of the strategy's own is measured from the newest price, as that of the sale may be hours old. Nothing is sent. When nothing is left the trade is closed, once none of its orders is
 * under way any more: what became of one later would be nobody's, and come out of what the next trade holds.
 *
 * The same wish twice is once, by the id of its fill. It waits for a first price, unless none is to be had any more: then it is booked at the
 * last one that the trade knows. Simulated trades lie in no account.
 */
export function takeHeldElsewhere(step: Step, event: Extract<BotEvent, { kind: 'held-elsewhere' }>): void {
  const { state } = step;
  const trade = state.trades.find(({ id }) => id === event.tradeId);
  if (step.context.execution !== 'exchange' || trade === undefined || !trade.isOpen) return;
  if (trade.orders.some(({ fills }) => fills.some(({ id }) => id === event.fillId))) return;
  const { view } = pairMemory(state, trade.symbol);
  const amount = Math.min(event.amount, trade.amount);
  const { paid } = event;
  if ((view === null && event.isPriceless !== true && paid === undefined) || !(amount > 0)) return;
  if (amount === trade.amount && !isQuiet(step, trade)) return;
  const price = paid?.price ?? roundPrice(view?.last ?? lastKnownPrice(trade), trade.priceTick);
  const order = newOrder({
    id: clientOrderId(state.botId, state.nextOrderNumber++),
    purpose: 'exit',
    side: exitSide(trade.direction),
    type: 'market',
    price,
    amount,
    tag: soldOnExchange,
    createdTime: step.time,
    candleTime: candleOpenTime(state.timeframe, step.time) - timeframeLengths[state.timeframe],
    action: 'take-out',
    follows: event.fillId, // one candle may see several
    state: 'filled',
  });
  trade.orders.push(order);
  const { fee: paidFee = 0, sales = [] } = paid ?? {};
  const cost = paidFee === null ? null : partOf(paidFee, amount, event.amount);
  const fee = { fee: cost ?? 0, feeCurrency: currenciesOf(trade.symbol).quote, feeInQuote: cost };
  const sold = sales.map((sale) => ({ amount: partOf(sale.amount, amount, event.amount), time: sale.time }));
  const soldEarlier = sold.map((sale) => ({ ...sale, fillId: event.fillId }));
  if (sold.length > 0) trade.soldOutside = [...(trade.soldOutside ?? []), ...soldEarlier];
  const neverPaid = fundingMissed(trade, order, ...sold);
  if (neverPaid !== 0) setRunningFunding(trade, trade.fundingRunning + neverPaid);
  lessMissing(state, trade, amount);
  const fill = { id: event.fillId, price, amount, ...fee, liquidity: null, time: step.time };
  takeFill(step, trade, order, fill, null, freshPrice(step, trade.symbol));
  if (!trade.isOpen) return;
  cancelBeyond(step, trade, heldFor(state, trade), order.id);
  // Without an instrument nobody can say what stop its exchange would take.
  if (step.context.instruments.has(trade.symbol)) keepStop(step, trade);
}

/** The part of a sum that falls on an amount: the trade may hold less by now than was asked about. */
function partOf(sum: number, amount: number, of: number): number {
  return amount === of ? sum : toNumber(dividedBy(times(toDecimal(sum), toDecimal(amount)), toDecimal(of)));
}

/** The newest price that a trade itself knows: of its newest fill, or of the market when the exchange has refused an exit or a stop since. */
function lastKnownPrice({ orders, exitFailures, stopFailures, openRate }: Trade): number {
  let [newest, price] = [-Infinity, openRate];
  const note = (time: number, known: number | null): void => {
    if (known !== null && time >= newest) [newest, price] = [time, known];
  };
  for (const { fills } of orders) for (const fill of fills) note(fill.time, fill.price);
  for (const failures of [exitFailures, stopFailures]) if (failures !== undefined) note(failures.last, failures.marketPrice);
  return price;
}

/** Whether no order of a trade that is about to end is under way. Those that are get cancelled, and no exit is made meanwhile. */
function isQuiet(step: Step, trade: Trade): boolean {
  const waiting = trade.orders.filter(isWaiting);
  if (waiting.length === 0) return true;
  const { state } = step;
  const waits = state.missing[trade.id]?.waits ?? false;
  state.missing = { ...state.missing, [trade.id]: { amount: trade.amount, waits } };
  for (const order of waiting) cancelOrder(step, trade, order, 'replaced');
  return false;
}
