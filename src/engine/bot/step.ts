import { addFunding, keptWhileMissing } from '../account/refresh-funding.ts';
import { isWaiting } from '../account/order.ts';
import type { Trade } from '../account/trade.ts';
import { openOrder } from '../account/trade.ts';
import { entryDirection } from '../risk/entry-direction.ts';
import type { RefusedEntry } from '../risk/limit.ts';
import { doActions, endVainActions, refuseAction, takeAction } from './by-hand.ts';
import type { BotEffect, Decision, DecisionAction, Gate } from './effect.ts';
import type { BotEvent, MarketView } from './event.ts';
import { nearestOf } from '../strategy/nearness.ts';
import type { Step } from './execution.ts';
import { adoptHolding } from './adopt-holding.ts';
import { cancelOrder, copyOf, tryPaperFill } from './execution.ts';
import { viewMaxAgeMs } from './fresh-price.ts';
import { takeHeldElsewhere } from './held-elsewhere.ts';
import { endExitRest, exitRest } from './exit-failures.ts';
import { closeAtMarket, manageTrade } from './manage-trade.ts';
import { takeReport } from './order-report.ts';
import { currentRate } from './pricing.ts';
import type { BotContext, BotState, PairMemory } from './state.ts';
import { pairMemory } from './state.ts';
import { skipRest } from './stop-order.ts';
import type { ManualAction } from './manual-action.ts';
import { takeMissing } from './missing.ts';
import { takeLateFunding } from './settle-again.ts';
import { tryEnter } from './try-enter.ts';

/**
 * One step of a bot: what it does on an event. Changes the state and returns what came of it, oldest first.
 *
 * The state knows no clock: time is that of the events. Events of the same symbol must come by time; those of
 * funding among themselves.
 * For every symbol and closed candle there is exactly one decision among the effects: when the first prices after the
 * candle's close are evaluated, or, if none came, when the next candle closes.
 */
export function step(state: BotState, event: BotEvent, context: BotContext): BotEffect[] {
  const time = event.kind === 'market' || event.kind === 'book' ? event.view.time : event.time;
  const current: Step = { state, context, time, effects: [] };
  switch (event.kind) {
    case 'candle-closed':
      takeCandle(current, event);
      break;
    case 'market':
      evaluate(current, event.view);
      break;
    case 'book':
      fillNewOrders(current, event.view, event.orderIds);
      break;
    case 'status-changed':
      changeStatus(current, event.status);
      break;
    case 'close-asked':
      closeTrade(current, event.tradeId);
      break;
    case 'manual-asked':
      takeAction(current, event.action);
      doFreshActions(current, event.action);
      break;
    case 'manual-refused':
      refuseAction(current, event.actionId, event.refusal);
      break;
    case 'stop-asked':
      skipRest(state, event.tradeId, event.orderId);
      break;
    case 'held-elsewhere':
      takeHeldElsewhere(current, event);
      break;
    case 'account-differs':
      takeMissing(current, event.missing);
      break;
    case 'order-numbers-seen':
      state.nextOrderNumber = Math.max(state.nextOrderNumber, event.highest + 1);
      break;
    case 'holding-adopted':
      adoptHolding(current, event);
      break;
    case 'settings-changed':
      state.settings = event.settings;
      break;
    case 'entry-refused':
      state.refusedEntries = { ...state.refusedEntries, [event.symbol]: refusedEntry(event) };
      break;
    case 'funding':
      takeFunding(current, event);
      break;
    case 'order-update':
      takeReport(current, event.orderId, event.report);
      break;
  }
  return current.effects;
}

function refusedEntry({ candleTime, gate, limit }: Extract<BotEvent, { kind: 'entry-refused' }>): RefusedEntry {
  return { candleTime, gate, ...(limit === undefined ? {} : { limit }) };
}

function takeCandle(current: Step, event: Extract<BotEvent, { kind: 'candle-closed' }>): void {
  const memory = pairMemory(current.state, event.symbol);
  if (memory.signal !== null && event.candleTime < memory.signal.candleTime) return;
  const isWaiting = memory.signal !== null && memory.signal.candleTime > memory.decidedCandleTime;
  if (isWaiting && memory.signal !== null && event.candleTime > memory.signal.candleTime) {
    decide(current, memory, { symbol: event.symbol, action: 'none', gate: 'no-price' }, { price: null });
  }
  memory.signal = { ...event.row, candleTime: event.candleTime };
  const view = event.view ?? (memory.view === null ? null : withoutBook(memory.view));
  const pricedAt = event.view === undefined ? view?.time : event.pricedAt;
  if (view !== null && event.time - view.time <= viewMaxAgeMs) evaluate(current, { ...view, time: event.time }, pricedAt);
}

/** Prices may be remembered for a while; an order book of before is not what can be had now. */
function withoutBook({ symbol, time, bid, ask, last }: MarketView): MarketView {
  return { symbol, time, bid, ask, last };
}

/** Tries the simulated orders that have waited for the order book of their symbol. */
function fillNewOrders(current: Step, view: MarketView, orderIds: readonly string[]): void {
  pairMemory(current.state, view.symbol).view = view;
  for (const trade of current.state.trades.filter(({ symbol }) => symbol === view.symbol)) {
    for (const order of trade.orders.filter(({ id }) => orderIds.includes(id))) tryPaperFill(current, trade, order, view, true);
  }
}

/** What a person wants is done at once where prices are fresh, else with the next ones. */
function doFreshActions(current: Step, action: ManualAction): void {
  const { state, time } = current;
  const symbol = action.kind === 'enter' ? action.symbol : state.trades.find(({ id }) => id === action.tradeId)?.symbol;
  const view = symbol === undefined ? null : pairMemory(state, symbol).view;
  endVainActions(current);
  if (view !== null && time - view.time <= viewMaxAgeMs) doActions(current, { ...view, time });
}

/** Everything that follows from new prices of a symbol: what people want first, then its trade, then an entry. `pricedAt`: when they last moved. */
function evaluate(current: Step, view: MarketView, pricedAt = view.time): void {
  const { state } = current;
  const memory = pairMemory(state, view.symbol);
  memory.view = view;
  if (state.actions.length > 0) {
    endVainActions(current);
    doActions(current, view);
  }
  const { signal } = memory;
  const trade = state.trades.find(({ symbol }) => symbol === view.symbol) ?? null;

  let action: DecisionAction = 'none';
  let gate: Gate | null = null;
  let price: number | null = null;
  let against: Pick<Decision['seen'], 'numbers' | 'limit'> = {};
  if (trade !== null) {
    price = currentRate('exit', trade.direction, state.settings.orderTypes.exit, view, state.settings);
    const managed = manageTrade(current, trade, view, signal);
    action = managed.hasLeft ? 'exit' : 'hold';
    gate = managed.gate ?? (signal?.failure === undefined || managed.hasLeft ? null : 'strategy-failed');
  }
  const isFree = !state.trades.some(({ symbol }) => symbol === view.symbol);
  if (isFree) {
    const entry = tryEnter(current, view, signal);
    // A trade that was left and one the other way may fall on the same prices: the record names the exit.
    if (action !== 'exit') {
      action = entry.gate === null ? 'enter' : 'none';
      gate = entry.gate;
      price = entry.price ?? price;
      against = entry;
    }
  }
  // A candle is decided about once; but one that was refused and is entered with after all, when a pause or a gate has ended, says so.
  if (signal !== null && (signal.candleTime > memory.decidedCandleTime || action === 'enter'))
    decide(
      current,
      memory,
      { symbol: view.symbol, action, gate },
      { price, last: view.last, priceAge: Math.max(0, view.time - pricedAt), numbers: against.numbers, limit: against.limit },
    );
}

/** What a decision is made on besides its signal. */
type SeenHere = Pick<Decision['seen'], 'price'> & {
  [Name in 'last' | 'priceAge' | 'numbers' | 'limit']?: Decision['seen'][Name] | undefined;
};

function decide(
  current: Step,
  memory: PairMemory,
  decided: Pick<Decision, 'symbol' | 'action' | 'gate'>,
  { price, last, priceAge, numbers, limit }: SeenHere,
): void {
  const { signal } = memory;
  if (signal === null) return;
  memory.decidedCandleTime = signal.candleTime;
  const { enterLong, exitLong, enterShort, exitShort, confidence, values, candle, failure } = signal;
  const { canShort } = current.state.settings;
  const direction = entryDirection(signal, canShort);
  const near = direction === null ? nearestOf((signal.near ?? []).filter((each) => canShort || each.direction === 'long')) : null;
  const decision: Decision = {
    ...decided,
    candleTime: signal.candleTime,
    seen: {
      enterLong,
      exitLong,
      enterShort,
      exitShort,
      tag: direction === null ? signal.exitTag : signal.enterTag,
      confidence,
      price,
      // What is not known takes no room: there is a row for every candle.
      ...(price !== null || last === undefined ? {} : { last }),
      ...(priceAge === undefined || priceAge === 0 ? {} : { priceAge }),
      ...(values === undefined ? {} : { values }),
      ...(candle === undefined ? {} : { candle }),
      ...(near === null ? {} : { near }),
      ...(numbers === undefined || Object.keys(numbers).length === 0 ? {} : { numbers }),
      ...(limit === undefined ? {} : { limit }),
      ...(failure === undefined ? {} : { failure }),
    },
  };
  current.effects.push({ kind: 'decision', time: current.time, decision });
}

/**
 * Active starts from anything and forgets the losses in a row. Paused makes no entries. Stopped cancels all orders and
 * closes all trades at market; where there is no price yet, as soon as there is one. What closes one already stays.
 */
function changeStatus(current: Step, status: BotState['status']): void {
  const { state } = current;
  if (status === 'active') state.consecutiveLosses = 0;
  state.status = status;
  if (status !== 'stopped') return;
  for (const trade of state.trades) {
    makeWay(current, trade);
    const { view } = pairMemory(state, trade.symbol);
    if (view !== null && mayExit(current, trade) && current.time - view.time <= viewMaxAgeMs)
      closeAtMarket(current, trade, { ...view, time: current.time });
  }
}

/**
 * One trade is to be closed at market, whatever else would be decided of it: at once where prices are fresh, else with the next
 * ones. What closes it already stays.
 */
function closeTrade(current: Step, tradeId: number): void {
  const { state } = current;
  const trade = state.trades.find(({ id }) => id === tradeId);
  if (trade === undefined) return;
  if (!state.closeAsked.includes(tradeId)) {
    state.closeAsked = [...state.closeAsked, tradeId];
    endExitRest(state, trade); // a person wants it tried now
  }
  if (openOrder(trade, 'exit')?.type === 'market') return;
  makeWay(current, trade);
  const { view } = pairMemory(state, trade.symbol);
  if (view !== null && mayExit(current, trade) && current.time - view.time <= viewMaxAgeMs)
    closeAtMarket(current, trade, { ...view, time: current.time });
}

/**
 * Cancels what is in the way of a market exit, which is asked for again and again until it is done: one that is on its way already stays, and so does the
 * stop while exits rest because others were refused. It is cancelled for the next one.
 */
function makeWay(current: Step, trade: Trade): void {
  const exit = openOrder(trade, 'exit');
  const rests = exitRest(current, trade) > 0;
  for (const order of trade.orders.filter(isWaiting)) {
    const stays = order.type === 'stop' ? rests : order === exit && order.type === 'market';
    if (!stays) cancelOrder(current, trade, order, 'stopped');
  }
}

/** Whether a trade is open and no exit of it rests because others were refused. */
function mayExit(current: Step, trade: Trade): boolean {
  return trade.isOpen && exitRest(current, trade) === 0;
}

/** A payment may be reported late, and more than once: it counts once, for what was held at its time, also by a trade that is over. */
function takeFunding(current: Step, event: Extract<BotEvent, { kind: 'funding' }>): void {
  const { trades, formerTrades, missing } = current.state;
  const pays = ({ symbol, marketType }: Trade): boolean => symbol === event.symbol && marketType === 'futures';
  for (const trade of trades.filter(pays))
    if (trade.amount > 0 && addFunding(trade, event, missing[trade.id] === undefined ? undefined : keptWhileMissing))
      current.effects.push({ kind: 'trade-updated', time: current.time, trade: copyOf(trade) });
  for (const trade of formerTrades.filter(pays)) takeLateFunding(current, trade, event);
}
