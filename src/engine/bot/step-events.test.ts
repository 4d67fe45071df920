import { describe, expect, test } from 'vitest';
import { aTrade } from '../account/testing/a-trade.ts';
import type { SignalRow } from './event.ts';
import { botState, clientOrderId, pairMemory } from './state.ts';
import { Rig, enter, hour, market, quiet, start, symbol, viewAt } from './testing/rig.ts';

const minute = 60_000;
const second = 1000;
const decided = (rig: Rig) => rig.decisions().map(({ candleTime, action, gate }) => [(candleTime - start) / hour, action, gate]);

describe('OP-83 a closed candle', () => {
  test('is decided when the first prices after it come, once', () => {
    const rig = new Rig();
    expect(rig.candle(1)).toEqual([]);
    rig.tick(60, 100);
    rig.tick(61, 100);
    expect(decided(rig)).toEqual([[0, 'none', 'no-signal']]);
  });
  test('without prices until the next one is decided then', () => {
    const rig = new Rig();
    rig.candle(1, enter);
    rig.candle(2);
    expect(decided(rig)).toEqual([[0, 'none', 'no-price']]);
    expect(rig.decisions()[0]?.seen).toMatchObject({ enterLong: true, tag: 'up', confidence: 0.8, price: null });
    rig.tick(120, 100);
    rig.candle(3);
    expect(decided(rig).slice(1)).toEqual([[1, 'none', 'no-signal']]);
  });
  test('that is reported twice is one, and its newest signal counts', () => {
    const rig = new Rig(market);
    rig.candle(1);
    rig.candle(1, enter);
    rig.tick(60, 100);
    expect(decided(rig)).toEqual([[0, 'enter', null]]);
  });
  test('older than the newest is not looked at', () => {
    const rig = new Rig(market);
    rig.candle(2);
    rig.candle(1, enter);
    rig.tick(120, 100);
    expect(decided(rig)).toEqual([[1, 'none', 'no-signal']]);
  });
  test('is decided at once on prices of up to ten seconds ago, at the time of its close', () => {
    for (const [age, count] of [
      [10 * second, 1],
      [10 * second + 1, 0],
    ] as const) {
      const rig = new Rig(market);
      rig.take({ kind: 'market', view: { ...viewAt(60, 100), time: start + hour - age } });
      rig.candle(1, enter);
      expect(rig.decisions()).toHaveLength(count);
      if (count === 1) expect(rig.state.trades[0]?.openTime).toBe(start + hour);
    }
  });
  test('is decided on the prices that come with it, whatever came before', () => {
    const rig = new Rig(market);
    rig.take({ kind: 'market', view: { ...viewAt(60, 50), time: start + hour - second } });
    const row: SignalRow = { ...quiet, ...enter };
    rig.take({ kind: 'candle-closed', time: start + hour, symbol, candleTime: start, row, view: viewAt(60, 100) });
    expect(rig.state.trades[0]?.openRate).toBe(100.01);
  });
  test('does not find the order book of before: only bid and ask', () => {
    const rig = new Rig({ ...market, entryPricing: { useOrderBook: true } });
    const book = { asks: [[120, 100]] as const, bids: [[80, 100]] as const };
    rig.take({ kind: 'market', view: { ...viewAt(60, 100, book), time: start + hour - second } });
    rig.candle(1, enter);
    expect(rig.state.trades[0]?.openRate).toBe(100.01);
  });
  test('names the tag of the side it was acted on: of the entry where there was one, else of the exit', () => {
    const tags = { enterTag: 'in', exitTag: 'out' };
    const tagOf = (row: Partial<SignalRow>) => {
      const rig = new Rig();
      rig.candle(1, { ...tags, ...row });
      rig.tick(60, 100);
      return rig.decisions()[0]?.seen.tag;
    };
    expect([tagOf({ enterLong: true }), tagOf({ exitLong: true }), tagOf({}), tagOf({ enterLong: true, exitLong: true })]).toEqual([
      'in',
      'out',
      'out',
      'out',
    ]);
  });
});

describe('prices', () => {
  test('that close a trade may open one the other way; the record names the exit', () => {
    const futures = { marketType: 'futures', canShort: true } as const;
    const rig = new Rig({ ...market, ...futures }, {}, { marketType: 'futures', maxLeverage: 5 });
    rig.candle(1, enter);
    rig.tick(60, 100);
    rig.candle(2, { exitLong: true, enterShort: true, enterTag: 'down' });
    rig.tick(120, 100);
    expect(rig.closed()).toHaveLength(1);
    expect(rig.state.trades).toMatchObject([{ direction: 'short', enterTag: 'down' }]);
    expect(rig.decisions().at(-1)).toMatchObject({ action: 'exit', gate: null, seen: { price: 99.99 } });
  });
  test('of one pair do nothing to the trade of another', () => {
    const rig = new Rig({ maxOpenTrades: 2 });
    const other = aTrade({ id: 9, symbol: 'ETH/USDT', amount: 10, stop: 90 });
    rig.state.trades.push(other);
    const before = structuredClone(other);
    rig.tick(60, 50);
    expect(rig.state.trades).toEqual([before]);
  });
  test('at which an open trade was held are in the record', () => {
    const rig = new Rig(market);
    rig.candle(1, enter);
    rig.tick(60, 100);
    rig.candle(2);
    rig.tick(120, 105);
    expect(rig.decisions().at(-1)).toMatchObject({ action: 'hold', gate: null, seen: { price: 104.99 } });
  });
});

describe('OP-86 the status', () => {
  const bought = () => {
    const rig = new Rig(market);
    rig.candle(1, enter);
    rig.tick(60, 100);
    return rig;
  };
  const change = (rig: Rig, status: 'active' | 'paused' | 'stopped', time: number) => rig.take({ kind: 'status-changed', time, status });
  test('active forgets losses in a row, paused does not', () => {
    const rig = new Rig();
    rig.state.consecutiveLosses = 2;
    change(rig, 'paused', start);
    expect(rig.state).toMatchObject({ status: 'paused', consecutiveLosses: 2 });
    change(rig, 'active', start);
    expect(rig.state).toMatchObject({ status: 'active', consecutiveLosses: 0 });
  });
  test('paused and active leave a trade alone', () => {
    const rig = bought();
    expect(change(rig, 'paused', start + hour)).toEqual([]);
    expect(change(rig, 'active', start + hour)).toEqual([]);
  });
  test.each([
    [10 * second, 1],
    [10 * second + 1, 0],
  ])('stopped %d ms after the newest price: %d trades are closed at once', (age, count) => {
    const rig = bought();
    change(rig, 'stopped', start + hour + age);
    expect(rig.closed()).toHaveLength(count);
    if (count === 1) expect(rig.closed()[0]).toMatchObject({ closeTime: start + hour + age, exitReason: 'force_exit' });
  });
  test('stopped closes nothing that has had no price', () => {
    const rig = new Rig();
    rig.state.trades.push(aTrade({ amount: 1 }));
    change(rig, 'stopped', start);
    expect(rig.state.trades).toHaveLength(1);
  });
});

describe('a payment of funding', () => {
  const pay = (given: Partial<Parameters<typeof aTrade>[0]>) => {
    const rig = new Rig();
    rig.state.trades.push(aTrade({ symbol, marketType: 'futures', amount: 2, ...given }));
    const effects = rig.take({ kind: 'funding', time: start, symbol, rate: 0.001, mark: 100 });
    return [effects.map(({ kind }) => kind), rig.state.trades[0]?.fundingFees];
  };
  test.each([
    ['is for a perpetual that is held', {}, ['trade-updated'], -0.2],
    ['is not for another symbol', { symbol: 'ETH/USDT' }, [], 0],
    ['is not for spot', { marketType: 'spot' }, [], 0],
    ['is not for margin', { marketType: 'margin' }, [], 0],
    ['is not for what is not held yet', { amount: 0 }, [], 0],
    ['is not for a time that was paid for', { fundedUntil: start }, [], 0],
  ] as const)('%s', (_, given, kinds, fees) => {
    expect(pay(given)).toEqual([kinds, fees]);
  });
});

describe('the book that orders have waited for', () => {
  test('fills those of its symbol that it is for, and decides nothing', () => {
    const rig = new Rig(market);
    Object.assign(rig.context, { waitsForBook: true });
    rig.candle(1, enter);
    rig.tick(60, 100);
    const book = viewAt(60, 100, { asks: [[100.5, 100]], bids: [[99, 100]] });
    const orderIds = ['fl-bot1-1'];
    expect(rig.take({ kind: 'book', view: book, orderIds: ['fl-bot1-9'] })).toEqual([]);
    expect(rig.take({ kind: 'book', view: { ...book, symbol: 'ETH/USDT' }, orderIds })).toEqual([]);
    const effects = rig.take({ kind: 'book', view: book, orderIds });
    expect(effects).toMatchObject([
      { kind: 'order-filled', time: book.time },
      { kind: 'trade-updated', time: book.time },
    ]);
    expect(rig.state.trades[0]).toMatchObject({ openRate: 100.5 });
  });
});

test('a new limit order that the book reaches pays as a taker', () => {
  const rig = new Rig({ entryPricing: { side: 'other' } });
  Object.assign(rig.context, { waitsForBook: true });
  rig.candle(1, enter);
  rig.tick(60, 100);
  rig.take({ kind: 'book', view: viewAt(60, 100, { asks: [[100, 100]], bids: [[99, 100]] }), orderIds: ['fl-bot1-1'] });
  expect(rig.state.trades[0]?.orders).toMatchObject([{ state: 'filled', liquidity: 'taker', fillPrice: 100.01 }]);
});

describe('what a bot starts with', () => {
  const { settings } = new Rig().state;
  const identity = { botId: 'b', timeframe: '1h', status: 'active', settings } as const;
  test('is nothing, but for what is given and the candles it has decided', () => {
    expect(botState({ ...identity, decidedCandleTimes: { X: 5 }, closedProfit: 3 })).toEqual({
      ...identity,
      tradingState: 'active',
      trades: [],
      recentTrades: [],
      closedProfit: 3,
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
      pairs: { X: { signal: null, decidedCandleTime: 5, view: null } },
    });
  });
  test('is not position stacking', () => {
    expect(() => botState({ ...identity, settings: { ...settings, positionStacking: true } })).toThrow('is offered in backtests only.');
  });
  test('of a pair is neither a candle nor a price, and what it then learns stays', () => {
    const state = botState(identity);
    const memory = pairMemory(state, symbol);
    expect(memory).toEqual({ signal: null, decidedCandleTime: -1, view: null });
    expect(pairMemory(state, symbol)).toBe(memory);
  });
  test('an order id has the end of that of its bot and the number in letters and digits', () => {
    expect(clientOrderId('ab-c_1', 36)).toBe('fl-abc1-10');
    expect(clientOrderId('0123456789-0123456789-0123456789', 1)).toBe('fl-8901234567890123456789-1');
  });
  test('a candle is decided once, also after a restart', () => {
    const rig = new Rig();
    rig.state = botState({ ...identity, decidedCandleTimes: { [symbol]: start } });
    rig.candle(1);
    rig.tick(60, 100);
    rig.candle(2);
    rig.tick(120 + second / minute, 100);
    expect(decided(rig)).toEqual([[1, 'none', 'no-signal']]);
  });
});
