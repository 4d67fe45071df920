import type { Fill } from '../../../account/fill.ts';
import { newOrder } from '../../../account/order.ts';
import { aTrade } from '../../../account/testing/a-trade.ts';
import type { Trade } from '../../../account/trade.ts';
import { closeTrade, countFill, settleTrade } from '../../../account/trade.ts';
import { dayMs, minuteMs } from '../../../market/durations.ts';
import type { Direction } from '../../../market/direction.ts';
import type { CertificateInput, ReplayedDay } from '../certificate.ts';
import type { CertifiedDay } from '../day-trade.ts';
import type { RecordedDecision } from '../recorded-decision.ts';

/** The beginning of a UTC day. */
export const midnight = 20_000 * dayMs;

/** A candle of five minutes of the day, by its number; 0 opens at midnight. */
export const candleTime = (n: number): number => midnight + n * 5 * minuteMs;

/** A day on which BTC/USDT began at 100 and ended at 110. */
export function aDay(given: Partial<CertifiedDay> = {}): CertifiedDay {
  return {
    from: midnight,
    to: midnight + dayMs,
    startPrices: new Map([['BTC/USDT', 100]]),
    endPrices: new Map([['BTC/USDT', 110]]),
    funding: new Map(),
    ...given,
  };
}

/** An order of a trade that was filled, in one fill or several. */
export interface MadeOrder {
  purpose: 'entry' | 'exit';
  fills: readonly (Pick<Fill, 'price' | 'amount' | 'time'> & Partial<Fill>)[];
  price?: number; // it was made at; that of its first fill unless given
  candleTime?: number;
  tag?: string;
}

/** A trade of these orders, settled as a bot settles it; a last order for leaving closes it when `isClosed`. */
export function tradeOf(direction: Direction, orders: readonly MadeOrder[], isClosed: boolean, given: Partial<Trade> = {}): Trade {
  const trade = aTrade({ direction, amountStep: 1e-8, priceTick: 1e-8, openTime: orders[0]?.fills[0]?.time ?? 0, ...given });
  for (const [n, { purpose, fills, price, candleTime: candle, tag }] of orders.entries()) {
    const order = newOrder({
      id: `order ${n}`,
      purpose,
      side: (purpose === 'entry') === (direction === 'long') ? 'buy' : 'sell',
      type: 'market',
      price: price ?? fills[0].price,
      amount: fills.reduce((sum, { amount }) => sum + amount, 0),
      tag: tag ?? null,
      createdTime: fills[0].time,
      candleTime: candle ?? candleTime(0),
      action: purpose === 'entry' ? (n === 0 ? 'enter' : 'add') : 'exit',
      follows: null,
      state: 'filled',
    });
    trade.orders.push(order);
    for (const [i, fill] of fills.entries()) {
      const whole: Fill = { id: String(i), fee: 0, feeCurrency: 'USDT', feeInQuote: fill.fee ?? 0, liquidity: null, ...fill };
      countFill(trade, order, whole, null);
    }
    settleTrade(trade);
  }
  const last = trade.orders.at(-1)!;
  if (isClosed) closeTrade(trade, last.fillPrice!, last.filledTime!);
  return trade;
}

/** What a certificate is made of, with nothing in it but what is given. */
export function anInput(given: Partial<Omit<CertificateInput, 'stored'>> & { stored?: Partial<ReplayedDay> } = {}): CertificateInput {
  return {
    day: aDay(),
    firstCandleTime: candleTime(-1),
    seen: null,
    trades: [],
    unfilled: [],
    decisions: [],
    ...given,
    stored: { trades: [], refused: [], flags: new Map(), ...given.stored },
  };
}

/** A decision without a signal on a candle of BTC/USDT, except for what is given. */
export function aDecision(given: Partial<RecordedDecision> = {}): RecordedDecision {
  return {
    symbol: 'BTC/USDT',
    candleTime: candleTime(0),
    action: 'none',
    gate: 'no-signal',
    failure: null,
    candle: null,
    enterLong: false,
    exitLong: false,
    enterShort: false,
    exitShort: false,
    ...given,
  };
}
