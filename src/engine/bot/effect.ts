import type { Fill } from '../account/fill.ts';
import type { Order, OrderAction } from '../account/order.ts';
import type { Trade } from '../account/trade.ts';
import type { SeenCandle } from '../market/candle.ts';
import type { EntryGate } from '../risk/gate.ts';
import type { LimitFacts, WriteGate } from '../risk/limit.ts';
import type { Nearness } from '../strategy/nearness.ts';

/** What a bot did with a closed candle. */
export type DecisionAction = 'enter' | 'exit' | 'hold' | 'none';

/** Which check said no. Checks run in this order, so the same candle always has the same gate. */
export type Gate =
  | 'no-signal' // the strategy did not want to enter
  | 'strategy-failed' // it gave no answer about the candle
  | 'exit-not-profitable' // it wanted to leave, but only with profit
  | 'stale-candle' // the newest candle is too old to be trusted
  | 'account-differs' // of an open trade: its account holds less than it, and a person has to decide first
  | 'halted' // the kill switch; of an open trade: an exit other than a stop was not made
  | 'reducing' // the kill switch: no entries
  | 'stopped'
  | 'paused'
  | WriteGate // found when the entry was to be written, not by the engine
  | EntryGate;

/** Why what a person wants was not done. */
export type ManualRefusal =
  | Gate // what would have kept the bot itself from entering
  | 'cannot-short' // on spot, or by a strategy that never does
  | 'too-late' // nothing could be done about it in its time
  | 'trade-over' // its trade is closed, or is being closed
  | 'entry-waits' // an entry of the trade still waits to be filled
  | 'part-too-small' // the exchange takes no order for so little
  | 'part-too-large' // the exchange takes no order for so much
  | 'rest-too-small' // what would be left could not be sold
  | 'stop-beyond-price' // the price has passed it already: the trade would close at once
  | 'stop-too-small' // what is held would be worth less at it than the smallest order: the exchange would have no stop at all
  | 'stop-beyond-liquidation' // the position would be liquidated before
  | 'stop-filling'; // the stop has been reached

/** What stood against an entry, as far as the gate has numbers: trades, times in ms, stake currency. */
export interface RefusalNumbers {
  open?: number; // trades
  most?: number; // trades at once
  until?: number; // the end of a lock
  stake?: number; // that was wanted
  available?: number; // free for a new trade
  limit?: number; // the smallest or largest stake that is allowed
}

/** One per symbol and closed candle: what was seen, which gate said no, what was done. */
export interface Decision {
  symbol: string;
  candleTime: number; // opening time of the closed candle
  action: DecisionAction;
  gate: Gate | null;
  seen: {
    enterLong: boolean;
    exitLong: boolean;
    enterShort: boolean;
    exitShort: boolean;
    tag: string | null;
    confidence: number | null;
    price: number | null; // the price it would have entered or left at
    last?: number; // the market's price, where no price of its own was looked at
    priceAge?: number; // ms since the prices last moved; absent where they just have, or there are none
    values?: Readonly<Record<string, number>>; // of the strategy's indicators, by name
    candle?: SeenCandle; // that it was decided on
    near?: Nearness; // without a signal: how far the candle was from one, in the direction that was nearer
    numbers?: RefusalNumbers; // of the gate that said no
    limit?: LimitFacts; // that said no
    failure?: string; // of the strategy, in a sentence
  };
}

/** What a step has brought about, oldest first. Trades and orders are copies and may be kept. */
export type BotEffect =
  | { kind: 'order-created'; time: number; tradeId: number; symbol: string; order: Order }
  /** Only when orders go to an exchange: the order still stands until a report says otherwise. */
  | { kind: 'cancel-requested'; time: number; tradeId: number; symbol: string; orderId: string }
  | { kind: 'order-filled'; time: number; tradeId: number; symbol: string; order: Order; fee: number } // fee in quote currency
  | { kind: 'order-cancelled'; time: number; tradeId: number; symbol: string; order: Order; reason: CancelReason }
  | { kind: 'trade-opened'; time: number; trade: Trade } // its first order is made, nothing is held yet
  | { kind: 'trade-updated'; time: number; trade: Trade } // filled, stop moved, prices seen, funding paid
  | { kind: 'trade-closed'; time: number; trade: Trade } // profit and ratio are final
  | { kind: 'trade-cancelled'; time: number; trade: Trade } // its first order was never filled
  /** A fill, or (null) a payment of funding, has become known after the trade was closed: its profit is another now. */
  | { kind: 'trade-corrected'; time: number; trade: Trade; fill: Fill | null; profitChange: number }
  /** Somebody must see this: what is held may differ from what the trades say. */
  | { kind: 'alarm'; time: number; symbol: string | null; tradeId: number | null; orderId: string; reason: AlarmReason }
  /** What a person wanted done by hand has been done, or is refused. */
  | {
      kind: 'manual-ended';
      time: number;
      actionId: string;
      refusal: ManualRefusal | null; // null: it was done
      tradeId: number | null; // of what was done
      orderId: string | null; // the order that it made
    }
  | { kind: 'bot-paused'; time: number; reason: 'max-consecutive-losses'; losses: number }
  | { kind: 'decision'; time: number; decision: Decision };

/** Why an order ended before it was filled. */
export type CancelReason = 'timed-out' | 'replaced' | 'stopped' | 'by-strategy' | 'by-exchange' | 'expired' | 'refused';

/** Why somebody must act. */
export type AlarmReason =
  | 'late-fill' // of a trade that was over
  | 'fill-of-unknown-order' // it counts nowhere
  | 'amount-differs'; // the exchange has an order of another amount than was decided

/** An order as an intent, before anybody has tried to fill it. */
export interface OrderIntent {
  action: OrderAction;
  follows?: string; // the order it replaces, or whose rest it takes
  purpose: 'entry' | 'exit';
  type: Order['type'];
  price: number;
  amount: number;
  tag: string | null;
  isProtective?: boolean; // an exit that limits a loss
}
