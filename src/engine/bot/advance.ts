import { marginModeOf } from '../risk/liquidation.ts';
import type { BotEffect } from './effect.ts';
import type { BotEvent } from './event.ts';
import { copyOf } from './execution.ts';
import type { BotContext, BotState } from './state.ts';
import { step } from './step.ts';

/**
 * The state after an event, and what came of it. The state before stays as it is, so that whoever writes what came of
 * the step adopts the new state afterwards, or drops it.
 */
export function advance(state: BotState, event: BotEvent, context: BotContext): { state: BotState; effects: BotEffect[] } {
  const draft = draftOf(state, event);
  return { effects: step(draft, event, context), state: draft };
}

/**
 * Only what `step` may change is copied, because prices come many times a second: the trades and the memory of the
 * event's symbol; of all symbols when people change the bot, and with cross margin, where each trade moves the others'
 * liquidation prices.
 */
function draftOf(state: BotState, event: BotEvent): BotState {
  const symbol = symbolOf(event);
  const { settings, trades } = state;
  const isOfAll = symbol === null || settings.marginMode === 'cross' || trades.some((trade) => marginModeOf(trade, settings) === 'cross');
  const pairs = { ...state.pairs };
  for (const name of symbol === null ? Object.keys(pairs) : [symbol]) {
    const memory = pairs[name];
    if (memory !== undefined) pairs[name] = { ...memory };
  }
  return {
    ...state,
    trades: state.trades.map((trade) => (isOfAll || trade.symbol === symbol ? copyOf(trade) : trade)),
    recentTrades: [...state.recentTrades],
    exitTimeouts: { ...state.exitTimeouts },
    exitRetryTimes: { ...state.exitRetryTimes },
    adjustAskedAt: { ...state.adjustAskedAt },
    partsToLeave: { ...state.partsToLeave },
    freeCoins: { ...state.freeCoins },
    enteredCandleTimes: { ...state.enteredCandleTimes },
    formerTrades: changesFormerTrades(event) ? state.formerTrades.map(copyOf) : state.formerTrades,
    pairs,
  };
}

/** Whether an event may change trades that are over: what is published late of their funding, and whatever is about all symbols. */
function changesFormerTrades(event: BotEvent): boolean {
  return event.kind === 'funding' || symbolOf(event) === null;
}

/** The only symbol an event is about; null when it may be about all. */
function symbolOf(event: BotEvent): string | null {
  switch (event.kind) {
    case 'candle-closed':
    case 'funding':
    case 'entry-refused':
    case 'holding-adopted':
      return event.symbol;
    case 'market':
    case 'book':
      return event.view.symbol;
    case 'status-changed':
    case 'settings-changed':
    case 'close-asked':
    case 'stop-asked':
    case 'manual-asked':
    case 'manual-refused':
    case 'held-elsewhere':
    case 'account-differs':
    case 'order-numbers-seen':
    case 'order-update':
      return null;
  }
}
