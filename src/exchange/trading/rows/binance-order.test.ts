import { describe, expect, test } from 'vitest';
import type { AccountClient } from '../account-client.ts';
import type { Row } from './answer-row.ts';
import { readAlgo } from './binance-algo.ts';
import { readOrder, restNames } from './binance-order.ts';
import { OrderMemory } from '../order-memory.ts';
import { readSpotEvent } from '../stream/spot-events.ts';

/** An order as spot lists it; names and types as Binance sends them. */
const row: Row = {
  symbol: 'BTCUSDT',
  orderId: '8389765611839268193',
  clientOrderId: 'ours',
  price: '100.10',
  origQty: '2.00',
  executedQty: '0.50',
  status: 'PARTIALLY_FILLED',
  type: 'LIMIT',
  side: 'BUY',
  stopPrice: '0.00',
};
const of = { symbol: 'BTC/USDT', createdTime: 5 };
const read = (changed: Row = {}) => readOrder({ ...row, ...changed }, restNames, of);

describe('an order of Binance', () => {
  test('keeps an id that is longer than a number is exact, and writes nothing where the exchange writes 0', () => {
    expect(read()).toEqual({
      clientOrderId: 'ours',
      exchangeOrderId: '8389765611839268193',
      symbol: 'BTC/USDT',
      side: 'buy',
      type: 'limit',
      state: 'open',
      requested: 2,
      filled: 0.5,
      price: 100.1,
      stopPrice: null,
      createdTime: 5,
    });
  });

  test.each([
    ['NEW', 'open'],
    ['PENDING_NEW', 'open'],
    ['PENDING_CANCEL', 'open'],
    ['CANCELED', 'cancelled'],
    ['EXPIRED', 'expired'],
    ['EXPIRED_IN_MATCH', 'expired'],
    ['REJECTED', 'refused'],
  ])('%s is %s', (status, state) => {
    expect(read({ status }).state).toBe(state);
  });

  test.each([
    ['LIMIT_MAKER', 'limit'],
    ['MARKET', 'market'],
    ['LIQUIDATION', 'market'],
    ['STOP_LOSS', 'stop'],
    ['STOP_LOSS_LIMIT', 'stop'],
    ['TAKE_PROFIT_LIMIT', 'stop'],
    ['STOP_MARKET', 'stop'],
    ['TRAILING_STOP_MARKET', 'stop'],
  ])('%s is a %s', (type, expected) => {
    expect(read({ type, stopPrice: '90' })).toMatchObject({ type: expected, stopPrice: expected === 'stop' ? 90 : null });
  });

  test.each<[string, Row]>([
    ['a state nobody knows', { status: 'DONE' }],
    ['a name that every object has', { status: 'constructor' }],
    ['a side nobody knows', { side: 'HOLD' }],
    ['more filled than was asked for', { executedQty: '2.01' }],
    ['less than nothing filled', { executedQty: '-1' }],
    ['filled in part, and said to be filled', { status: 'FILLED' }],
    ['no number', { origQty: 'two' }],
    ['no id', { orderId: undefined }],
    ['an empty client id', { clientOrderId: '' }],
  ])('%s makes no sense', (_name, changed) => {
    expect(() => read(changed)).toThrow(Error);
  });
});

describe('a conditional order', () => {
  const algo: Row = {
    algoId: 12,
    clientAlgoId: 'stop-1',
    side: 'SELL',
    quantity: '2',
    algoStatus: 'NEW',
    actualOrderId: '',
    triggerPrice: '95',
    price: '0',
    createTime: 7,
  };
  const made: Row = { status: 'PARTIALLY_FILLED', executedQty: '0.5', origQty: '2' };
  test.each<[string, Row, Row | null, object]>([
    ['waits', {}, null, { state: 'open', filled: 0 }],
    ['was triggered, its order is not known yet', { algoStatus: 'FINISHED', actualOrderId: '99' }, null, { state: 'open', filled: 0 }],
    ['was triggered, and is filled in part', { algoStatus: 'TRIGGERED', actualOrderId: '99' }, made, { state: 'open', filled: 0.5 }],
    [
      'was triggered, and is filled',
      { algoStatus: 'FINISHED' },
      { ...made, status: 'FILLED', executedQty: '2' },
      { state: 'filled', filled: 2 },
    ],
    ['was cancelled', { algoStatus: 'CANCELED' }, null, { state: 'cancelled' }],
    ['has expired', { algoStatus: 'EXPIRED' }, null, { state: 'expired' }],
    ['was refused', { algoStatus: 'REJECTED' }, null, { state: 'refused' }],
  ])('that %s', (_name, changed, order, expected) => {
    expect(readAlgo({ ...algo, ...changed }, { symbol: 'X' }, order)).toMatchObject({
      clientOrderId: 'stop-1',
      exchangeOrderId: 'algo-12',
      type: 'stop',
      stopPrice: 95,
      requested: 2,
      ...expected,
    });
  });
  test.each<[string, Row]>([
    ['more filled than was asked for', { ...made, executedQty: '3' }],
    ['a state nobody knows', { ...made, status: 'DONE' }],
  ])('%s makes no sense', (_name, order) => {
    expect(() => readAlgo(algo, { symbol: 'X' }, order)).toThrow(Error);
  });
});

describe('a report of the spot stream', () => {
  const account = { symbolOf: () => 'BTC/USDT' } as unknown as AccountClient;
  const event: Row = {
    e: 'executionReport',
    s: 'BTCUSDT',
    c: 'ours',
    C: '',
    S: 'BUY',
    o: 'LIMIT',
    q: '2.00',
    p: '100.10',
    P: '0.00',
    x: 'TRADE',
    X: 'PARTIALLY_FILLED',
    i: 7,
    l: '0.50',
    z: '0.50',
    L: '100.00',
    n: '0.0005',
    N: 'BTC',
    T: 6,
    t: 77,
    m: true,
    O: 5,
  };
  test('of an execution is the order and its fill', () => {
    expect(readSpotEvent(event, account, new OrderMemory())).toMatchObject({
      reports: [
        {
          order: { clientOrderId: 'ours', exchangeOrderId: '7', filled: 0.5, createdTime: 5 },
          fill: { id: '77', clientOrderId: 'ours', price: 100, amount: 0.5, fee: 0.0005, feeCurrency: 'BTC', liquidity: 'maker', time: 6 },
        },
      ],
    });
  });
  test('of a cancelling is about the order, not about the cancelling, which has a client id of its own', () => {
    const cancelled = { ...event, x: 'CANCELED', X: 'CANCELED', c: 'web_123', C: 'ours', t: -1, N: null };
    expect(readSpotEvent(cancelled, account, new OrderMemory())).toMatchObject({
      reports: [{ order: { clientOrderId: 'ours', state: 'cancelled' }, fill: null }],
    });
  });
  test('an end of the stream, and what concerns no order', () => {
    expect(readSpotEvent({ e: 'eventStreamTerminated' }, account, new OrderMemory())).toBe('ended');
    expect(readSpotEvent({ e: 'balanceUpdate', a: 'BTC', d: '1' }, account, new OrderMemory())).toEqual({ reports: [] });
  });
  test('one without a field makes no sense', () => {
    expect(() => readSpotEvent({ ...event, t: undefined }, account, new OrderMemory())).toThrow('the field t');
  });
});
