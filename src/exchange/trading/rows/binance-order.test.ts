import { describe, expect, test } from 'vitest';
import type { AccountClient } from '../account-client.ts';
import type { Row } from './answer-row.ts';
import { isAlgoOpen, mayBeForgotten, orderOfFills, readAlgo } from './binance-algo.ts';
import { futuresFillNames, futuresStreamFillNames, readFill } from './binance-fill.ts';
import { readOrder, restNames } from './binance-order.ts';
import { OrderMemory } from '../order-memory.ts';
import { type FuturesContext, readFuturesEvent } from '../stream/futures-events.ts';
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
  test.each(['NEW', 'TRIGGERING', 'TRIGGERED'])('has still to end while it is %s', (algoStatus) => {
    expect(isAlgoOpen({ ...algo, algoStatus })).toBe(true);
    expect(readAlgo({ ...algo, algoStatus }, of, null)).toMatchObject({ state: 'open' });
  });

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

  const fills = (...amounts: string[]): Row[] => amounts.map((qty) => ({ qty }));
  test.each<[string, Row, Row[], object]>([
    ['all of it is filled', {}, fills('0.1', '0.7', '1.2'), { state: 'filled', filled: 2, requested: 2 }],
    ['a part is filled, the rest has expired', {}, fills('0.1', '0.2'), { state: 'expired', filled: 0.3, requested: 2 }],
    ['nothing is filled', {}, [], { state: 'expired', filled: 0, requested: 2 }],
    ['it has closed what there was', { quantity: '0' }, fills('0.1', '0.2'), { state: 'filled', filled: 0.3, requested: 0.3 }],
    ['it has found nothing to close', { quantity: '0' }, [], { state: 'expired', filled: 0, requested: 0 }],
  ])('whose order is forgotten is what the fills say: %s', (_name, changed, made, expected) => {
    const ended = { ...algo, ...changed, algoStatus: 'FINISHED', actualOrderId: '99' };
    expect(readAlgo(ended, { symbol: 'X' }, orderOfFills(ended, made))).toMatchObject({ clientOrderId: 'stop-1', ...expected });
  });
  test('whose order has more fills than was asked for makes no sense', () => {
    expect(() => readAlgo(algo, { symbol: 'X' }, orderOfFills(algo, fills('1.5', '0.6')))).toThrow(Error);
  });

  const day = 86_400_000;
  test.each<[string, Row, boolean]>([
    ['was triggered three days ago', { triggerTime: 20 * day, updateTime: 20 * day }, false],
    ['was triggered more than three days ago', { triggerTime: 20 * day - 1, updateTime: 20 * day - 1 }, true],
    ['was made long ago, and triggered now', { triggerTime: 23 * day, updateTime: 1 * day }, false],
    ['was triggered long ago, and has ended now', { triggerTime: 1 * day, updateTime: 23 * day }, false],
    ['does not say when it was triggered', {}, false],
    ['does not say when it was triggered, but when it has changed', { triggerTime: 0, updateTime: 1 * day }, true],
  ])('that %s: whether its order may be forgotten', (_name, times, expected) => {
    expect(mayBeForgotten({ ...algo, ...times }, 23 * day)).toBe(expected);
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
    expect(() => readSpotEvent({ ...event, n: undefined, N: undefined }, account, new OrderMemory())).toThrow('the field n');
  });
});

describe('a report of the stream of USD-M about a conditional order', () => {
  const noted: Row[] = [];
  const context = {
    account: { symbolOf: () => 'BTC/USDT:USDT' },
    memory: new OrderMemory(),
    algos: { createdTime: () => 5, note: (_symbol: string, algo: Row) => void noted.push(algo) },
    refreshBalances: () => {},
  } as unknown as FuturesContext;
  const stop: Row = { aid: 12, caid: 'stop-1', s: 'BTCUSDT', S: 'SELL', q: '2', X: 'NEW', ai: '', tp: '95', p: '0' };
  const read = (changed: Row = {}) => readFuturesEvent({ e: 'ALGO_UPDATE', T: 7, o: { ...stop, ...changed } }, context);

  test('is the order as long as it waits', () => {
    expect(read()).toMatchObject({ reports: [{ order: { clientOrderId: 'stop-1', state: 'open', createdTime: 5 }, fill: null }] });
  });

  test('asks to look once it has made its order: what became of that may have been reported before it was known whose it is', () => {
    expect(read({ X: 'TRIGGERED', ai: '99' })).toEqual({ reports: [{ kind: 'gap' }] });
    expect(noted.at(-1)).toMatchObject({ clientAlgoId: 'stop-1', actualOrderId: '99' });
  });
});

describe('a report of the stream of USD-M about an order', () => {
  const context = {
    account: { symbolOf: () => 'BTC/USDT:USDT' },
    memory: new OrderMemory(),
    algos: { makerOf: () => null },
    refreshBalances: () => {},
  } as unknown as FuturesContext;
  const liquidation: Row = {
    s: 'BTCUSDT',
    c: 'autoclose-1',
    S: 'SELL',
    o: 'LIQUIDATION',
    q: '2',
    p: '0',
    sp: '0',
    x: 'CALCULATED',
    X: 'PARTIALLY_FILLED',
    i: 7,
    l: '0.5',
    z: '0.5',
    L: '90',
    n: '0.01',
    N: 'USDT',
    T: 6,
    t: 77,
    m: false,
  };
  const read = (changed: Row = {}) => readFuturesEvent({ e: 'ORDER_TRADE_UPDATE', o: { ...liquidation, ...changed } }, context);

  test('that a liquidation has filled is the order and its fill', () => {
    expect(read()).toMatchObject({
      reports: [
        {
          order: { clientOrderId: 'autoclose-1', exchangeOrderId: '7', side: 'sell', type: 'market', filled: 0.5 },
          fill: { id: '77', clientOrderId: 'autoclose-1', price: 90, amount: 0.5, fee: 0.01, feeCurrency: 'USDT', time: 6 },
        },
      ],
    });
  });

  test.each<[string, Row]>([
    ['that is calculated and has filled nothing', { l: '0', z: '0', L: '0', X: 'NEW' }],
    ['that has expired', { x: 'EXPIRED', X: 'EXPIRED', l: '0' }],
  ])('of a liquidation %s is the order without a fill', (_name, changed) => {
    expect(read(changed)).toMatchObject({ reports: [{ order: { clientOrderId: 'autoclose-1' }, fill: null }] });
  });
});

describe('a fill in a report of the stream of USD-M', () => {
  const free: Row = { L: '100', l: '0.5', t: 77, T: 6, m: true };
  const read = (paid: Row) =>
    readFill({ ...free, ...paid }, futuresStreamFillNames, { symbol: 'BTC/USDC:USDC', clientOrderId: 'ours', side: 'sell' });
  test.each<[string, Row, object]>([
    ['without a fee and its currency has paid nothing', {}, { fee: 0, feeCurrency: 'USDC', feeInQuote: 0 }],
    ['with a fee of 0 in no currency too', { n: '0' }, { fee: 0, feeCurrency: 'USDC', feeInQuote: 0 }],
    ['with a fee says it', { n: '0.01', N: 'USDC' }, { fee: 0.01, feeCurrency: 'USDC', feeInQuote: 0.01 }],
    ['with a fee in another currency says that', { n: '0.01', N: 'BNB' }, { fee: 0.01, feeCurrency: 'BNB', feeInQuote: null }],
  ])('%s', (_name, paid, expected) => {
    expect(read(paid)).toMatchObject({ id: '77', clientOrderId: 'ours', price: 100, amount: 0.5, liquidity: 'maker', ...expected });
  });
  test.each<[string, Row]>([
    ['a fee in no currency', { n: '0.01' }],
    ['a currency without a fee', { N: 'USDC' }],
    ['no number', { n: 'x' }],
  ])('%s makes no sense', (_name, paid) => {
    expect(() => read(paid)).toThrow(Error);
  });
  test('in a list always has a fee', () => {
    const row = { id: 77, price: '100', qty: '0.5', time: 6, maker: true };
    expect(() => readFill(row, futuresFillNames, { symbol: 'BTC/USDC:USDC', clientOrderId: 'ours', side: 'sell' })).toThrow(
      'the field commission',
    );
  });
});
