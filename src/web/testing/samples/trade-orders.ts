import type { CallReply } from '#contract/client.ts';
import { idOf } from './ids.ts';

type Trade = CallReply<'tradeOrders'>;
type Order = Trade['orders'][number];

/** An entry at an exchange whose answer was lost, and which was found filled. */
export function aTradeOrder(changes: Partial<Order> = {}): Order {
  return {
    order_id: 'fl-7c1e-1',
    exchange_order_id: '8841',
    stop_gap_ms: null,
    alike_before: 0,
    purpose: 'entry',
    side: 'buy',
    type: 'limit',
    time_in_force: 'GTC',
    price: 2060.9,
    stop_price: null,
    requested: 0.4853,
    filled: 0.4853,
    average_price: 2060.558,
    reason: 'cross',
    signal_candle: '2026-11-21T06:40:00.000Z',
    state: 'filled',
    attempts: 1,
    refusal: null,
    planned_at: '2026-11-21T06:45:00.450Z',
    sent_at: '2026-11-21T06:45:00.594Z',
    acknowledged_at: '2026-11-21T06:45:03.824Z',
    expires_at: '2026-11-21T06:45:02.594Z',
    closed_at: '2026-11-21T06:45:03.824Z',
    events: [
      { at: '2026-11-21T06:45:00.594Z', state: 'sent', detail: 'attempt 1, valid for 2000 ms' },
      { at: '2026-11-21T06:45:01.012Z', state: 'unknown', detail: null },
      { at: '2026-11-21T06:45:03.824Z', state: 'filled', detail: null },
    ],
    fills: [
      aFill('501', { at: '2026-11-21T06:45:03.824Z', is_maker: true }),
      aFill('502', { at: '2026-11-21T06:45:03.824Z', price: 2060.75, amount: 0.1853, fee: 0.00003, fee_currency: 'BNB', fee_value: 0.19 }),
    ],
    ...changes,
  };
}

function aFill(id: string, changes: Partial<Order['fills'][number]>): Order['fills'][number] {
  return {
    fill_id: id,
    at: '2026-11-21T06:45:03.824Z',
    price: 2060.44,
    amount: 0.3,
    fee: 0.12,
    fee_currency: 'USDT',
    fee_value: 0.12,
    is_maker: false,
    ...changes,
  };
}

/** An open live trade at the sandbox: an entry, and the stop that lies at the exchange. */
export function someTradeOrders(changes: Partial<Trade> = {}): Trade {
  const stop = aTradeOrder({
    order_id: 'fl-7c1e-2',
    exchange_order_id: '8842',
    purpose: 'stop',
    side: 'sell',
    type: 'stop',
    price: null,
    stop_price: 2039.95,
    filled: 0,
    average_price: null,
    reason: null,
    signal_candle: null,
    state: 'open',
    planned_at: '2026-11-21T06:45:03.872Z',
    sent_at: '2026-11-21T06:45:03.901Z',
    acknowledged_at: '2026-11-21T06:45:04.073Z',
    closed_at: null,
    events: [
      { at: '2026-11-21T06:45:03.901Z', state: 'sent', detail: 'attempt 1, valid for 2000 ms' },
      { at: '2026-11-21T06:45:04.073Z', state: 'open', detail: null },
    ],
    fills: [],
  });
  return {
    time: '2026-11-21T19:04:00.000Z',
    trade_id: idOf(900),
    bot_id: idOf(101),
    nickname: 'Momentum Desk',
    exchange_id: 'sandbox',
    symbol: 'ETH/USDT',
    direction: 'long',
    mode: 'testnet',
    status: 'open',
    opened_at: '2026-11-21T06:45:00.412Z',
    closed_at: null,
    amount: 0.4853,
    leverage: 1,
    stake: 1000,
    entry_price: 2060.558,
    exit_price: null,
    stop_price: 2039.95,
    stop_by_hand: false,
    stop_moves: [],
    by_hand: [],
    price_tick: 0.01,
    entry_tag: 'cross',
    exit_reason: null,
    pnl: null,
    pnl_ratio: null,
    fees: 0.31,
    funding: 0,
    close_asked_at: null,
    may_close: true,
    no_stop: null,
    left_over: 0,
    entered_on: null,
    left_on: null,
    orders: [aTradeOrder(), stop],
    ...changes,
  };
}
