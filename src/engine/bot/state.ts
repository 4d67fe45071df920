import type { Trade } from '../account/trade.ts';
import type { Instrument } from '../market/instrument.ts';
import type { Timeframe } from '../market/timeframe.ts';
import type { RefusedEntry } from '../risk/limit.ts';
import type { Lock } from '../risk/locks.ts';
import type { StrategyCallbacks } from '../strategy/callbacks.ts';
import type { PartToLeave } from './part-to-leave.ts';
import type { ManualAction } from './manual-action.ts';
import type { BotStatus, MarketView, Missing, SignalRow, TradingState } from './event.ts';
import type { TradingSettings } from '../settings/trading-settings.ts';

/** Everything a bot knows. Plain data: written as JSON and read back it continues as if nothing had happened. */
export interface BotState {
  botId: string;
  status: BotStatus;
  tradingState: TradingState; // the kill switch of the bot, its owner or the server, whichever is stricter
  timeframe: Timeframe;
  settings: TradingSettings;
  trades: Trade[]; // open ones, oldest first; at most one per symbol
  recentTrades: Trade[]; // closed ones that protections may still count, in closing order
  closedProfit: number; // of all closed trades
  locks: Lock[];
  consecutiveLosses: number;
  nextTradeId: number;
  nextOrderNumber: number;
  exitTimeouts: Record<number, number>; // by trade id: exits in a row that ran out of time
  exitRetryTimes: Record<number, number>; // by trade id: after a refused exit, no other before this time
  freeCoins: Record<number, number>; // by trade id: what its account had when it refused a sale; not stored, because it refuses again
  missing: Readonly<Record<number, Missing>>; // by trade id: what open differences say of its account; not stored, because it is reported again
  closeAsked: readonly number[]; // trade ids: what a person wants closed, until it is; not stored, because it is asked for again
  actions: readonly ManualAction[]; // what people want done by hand and is not done yet; not stored, because it is asked for again
  endedActions: readonly string[]; // the newest of these that have ended; not stored, because what has ended is not asked for again
  enteredCandleTimes: Record<string, number>; // by symbol: the candle of the newest entry that was filled; its signal is used up
  refusedEntries: Readonly<Record<string, RefusedEntry>>; // by symbol: the newest entry that a limit has refused; not stored
  adjustAskedAt: Record<number, number>; // by trade id: when its strategy was last asked whether to adjust the position; not stored
  partsToLeave: Record<number, PartToLeave>; // by trade id: not stored, because the strategy is asked again
  formerTrades: Trade[]; // that have ended lately: fills of them, at an exchange, or payments of funding may still become known
  pairs: Record<string, PairMemory>;
}

/** What a bot remembers of one symbol. */
export interface PairMemory {
  signal: (SignalRow & { candleTime: number }) | null; // of the newest closed candle
  decidedCandleTime: number; // the newest candle with a decision record; -1 for none
  view: MarketView | null; // the newest prices
}

/** What a bot needs besides its state; the same on each step. */
export interface BotContext {
  instruments: ReadonlyMap<string, Instrument>;
  callbacks: StrategyCallbacks;
  execution: 'simulated' | 'exchange'; // simulated: against the market view, at once
  stopsAtExchange?: boolean; // stops lie at the exchange too, not only in the bot
  waitsForBook?: boolean; // a simulated order made on prices without an order book is tried when a `book` event brings it
}

/** What a bot starts from; what is left out has not happened yet. */
export type BotStart = Pick<BotState, 'botId' | 'timeframe' | 'settings' | 'status'> &
  Partial<
    Pick<
      BotState,
      | 'tradingState'
      | 'trades'
      | 'recentTrades'
      | 'closedProfit'
      | 'locks'
      | 'consecutiveLosses'
      | 'nextTradeId'
      | 'nextOrderNumber'
      | 'exitTimeouts'
      | 'exitRetryTimes'
      | 'enteredCandleTimes'
      | 'formerTrades'
    >
  > & { decidedCandleTimes?: Readonly<Record<string, number>> };

/** The state of a bot, new or rebuilt from what was stored. Fails: RangeError for settings no running bot can honour. */
export function botState(start: BotStart): BotState {
  const { decidedCandleTimes = {}, ...given } = start;
  if (start.settings.positionStacking) throw new RangeError('Position stacking is offered in backtests only.');
  const pairs: Record<string, PairMemory> = {};
  for (const [symbol, decidedCandleTime] of Object.entries(decidedCandleTimes))
    pairs[symbol] = { signal: null, decidedCandleTime, view: null };
  return {
    tradingState: 'active',
    trades: [],
    recentTrades: [],
    closedProfit: 0,
    locks: [],
    consecutiveLosses: 0,
    nextTradeId: 1,
    nextOrderNumber: 1,
    exitTimeouts: {},
    exitRetryTimes: {},
    freeCoins: {},
    missing: {},
    closeAsked: [],
    actions: [],
    endedActions: [],
    enteredCandleTimes: {},
    refusedEntries: {},
    adjustAskedAt: {},
    partsToLeave: {},
    formerTrades: [],
    ...given,
    pairs,
  };
}

/** What a bot remembers of a symbol; begins with nothing. */
export function pairMemory(state: BotState, symbol: string): PairMemory {
  return (state.pairs[symbol] ??= { signal: null, decidedCandleTime: -1, view: null });
}

/**
 * The id of a bot's n-th order, the same after every restart. At most 36 letters, digits and hyphens, which every
 * exchange takes.
 */
export function clientOrderId(botId: string, orderNumber: number): string {
  return `${orderPrefix(botId)}${orderNumber.toString(36)}`;
}

/** Whether an order id is one of any bot's. */
export function isOwnOrderId(id: string): boolean {
  return id.startsWith(ownPrefix);
}

/** Whether an order id is one of a bot's. */
export function isOrderOf(botId: string, id: string): boolean {
  return id.startsWith(orderPrefix(botId));
}

/** The number of a bot's order; null for an id that is not one of its own. */
export function orderNumberOf(botId: string, id: string): number | null {
  const digits = id.slice(orderPrefix(botId).length);
  return isOrderOf(botId, id) && /^[0-9a-z]{1,10}$/u.test(digits) ? Number.parseInt(digits, 36) : null;
}

const ownPrefix = 'fl-';

function orderPrefix(botId: string): string {
  return `${ownPrefix}${botId.replaceAll(/[^a-zA-Z0-9]/g, '').slice(-22)}-`;
}
