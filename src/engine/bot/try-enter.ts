import { walletOf } from '../account/wallet.ts';
import { tickBar } from '../market/price-bar.ts';
import { roundPrice } from '../market/rounding.ts';
import { entryPrice, sizeEntry } from '../risk/entry.ts';
import { entryDirection } from '../risk/entry-direction.ts';
import type { LimitFacts } from '../risk/limit.ts';
import { activeLock } from '../risk/locks.ts';
import type { Gate, RefusalNumbers } from './effect.ts';
import type { MarketView } from './event.ts';
import type { Step } from './execution.ts';
import { instrumentOf, liveQuirks } from './execution.ts';
import { instrumentToEnter } from './largest-order.ts';
import { openTrade } from './open-trade.ts';
import { currentRate, withinDistance } from './pricing.ts';
import { slotsFull } from '../risk/slots.ts';
import { isExpired, isStale } from './signal-age.ts';
import type { PairMemory } from './state.ts';

/** What became of a signal to enter. */
export interface EntryAnswer {
  gate: Gate | null; // the first that said no; null when a trade was opened
  price: number | null; // that was looked at
  numbers?: RefusalNumbers; // what stood against it
  limit?: LimitFacts; // that refused it when it was to be written
}

/** Opens a trade if the newest candle asks for it and no gate says no; else names the first gate that does. */
export function tryEnter(step: Step, view: MarketView, signal: PairMemory['signal']): EntryAnswer {
  const { state, context } = step;
  const { settings } = state;
  const { callbacks } = context;
  const { symbol } = view;
  const direction = signal === null ? null : entryDirection(signal, settings.canShort);
  const no = (gate: Gate, price: number | null = null, numbers: RefusalNumbers = {}): EntryAnswer => ({ gate, price, numbers });
  if (signal?.failure !== undefined) return no('strategy-failed', view.last);
  if (signal === null || direction === null) return no('no-signal', view.last);
  if (isStale(signal.candleTime, step.time, state.timeframe)) return no('stale-candle');
  if (isExpired(signal.candleTime, step.time, state.timeframe, settings.ignoreExpiredAfterMs)) return no('expired-signal');
  if (state.tradingState !== 'active') return no(state.tradingState);
  if (state.status === 'stopped') return no('stopped');
  if (state.status === 'paused') return no('paused');
  // A lock ends with its candle, which may be before the next signal comes.
  if (signal.candleTime <= (state.enteredCandleTimes[symbol] ?? -1)) return no('locked');
  const lock = activeLock(state.locks, symbol, direction, step.time);
  if (lock !== null) return no('locked', null, { until: lock.endTime });
  const refused = state.refusedEntries[symbol];
  if (refused?.candleTime === signal.candleTime)
    return { ...no(refused.gate), ...(refused.limit === undefined ? {} : { limit: refused.limit }) };
  const open = state.trades.length;
  if (slotsFull(settings, open)) return no('slots-full', null, { open, most: settings.maxOpenTrades });

  const instrument = instrumentOf(step, symbol);
  const rate = currentRate('entry', direction, settings.orderTypes.entry, view, settings);
  const question = { symbol, time: step.time, direction, tag: signal.enterTag };
  // What the strategy asks for may lie a little off the market, on either side.
  const distance = settings.customPriceMaxDistanceRatio;
  const bar = { ...tickBar(step.time, rate), high: rate * (1 + distance), low: rate * (1 - distance) };
  const asked = entryPrice(question, bar, instrument.priceTick, settings, callbacks);
  const price = roundPrice(withinDistance(asked, rate, distance), instrument.priceTick);

  const wallet = walletOf(settings, state.closedProfit, state.trades);
  const { entry: type } = settings.orderTypes;
  const within = instrumentToEnter(step, symbol, type, price);
  const sized = sizeEntry(question, { entry: price, market: rate }, wallet, within, settings, callbacks, liveQuirks);
  if (!sized.ok) {
    const { stake, available, limit } = sized.facts;
    return no(sized.reason, price, { stake, available, ...(limit === null ? {} : { limit }) });
  }
  if (callbacks.confirmEntry?.({ ...question, price, amount: sized.size.amount }) === false) return no('refused-by-strategy', price);

  openTrade(step, { direction, tag: signal.enterTag, price, size: sized.size, type, action: 'enter', stop: null }, view);
  return { gate: null, price };
}
