import { describe, expect, test } from 'vitest';
import { anOrder } from '../account/testing/an-order.ts';
import { aTrade } from '../account/testing/a-trade.ts';
import type { Instrument } from '../market/instrument.ts';
import type { Trade } from '../account/trade.ts';
import type { SettingsInput } from '../settings/normalise-settings.ts';
import type { BotEffect } from './effect.ts';
import type { Step } from './execution.ts';
import { copyOf, feesOf, instrumentOf, placeOrder } from './execution.ts';
import type { BotState } from './state.ts';
import { enter, hour, instrument, market, quiet, Rig, start, symbol, viewAt } from './testing/rig.ts';

const minute = 60_000;
/** A fill of 10 at 100 without a fee. */
const bought = { id: 'b', price: 100, amount: 10, fee: 0, feeCurrency: 'USDT', feeInQuote: 0, liquidity: 'taker', time: start } as const;
const stepOf = (rig: Rig, time = start): Step => ({ state: rig.state, context: rig.context, time, effects: [] });
const flat = (rig: Rig, minutes: number, price: number) => rig.tick(minutes, price, { bid: price, ask: price });
/** A bot that has bought 10 for 1000 at minute 60 without a fee. */
function holding(settings: Partial<SettingsInput> = {}, state: Partial<BotState> = {}): Rig {
  const rig = new Rig({ ...market, fee: 0, ...settings });
  Object.assign(rig.state, state);
  rig.candle(1, enter);
  flat(rig, 60, 100);
  return rig;
}
const of = <Kind extends BotEffect['kind']>(rig: Rig, kind: Kind) =>
  rig.effects.filter((effect): effect is Extract<BotEffect, { kind: Kind }> => effect.kind === kind);

describe('what a bot trades', () => {
  test('costs the fees of its market, or the configured one', () => {
    expect(feesOf(stepOf(new Rig()), symbol)).toEqual({ maker: 0.0005, taker: 0.001 });
    expect(feesOf(stepOf(new Rig({ fee: 0.002 })), symbol)).toEqual({ maker: 0.002, taker: 0.002 });
    expect(feesOf(stepOf(new Rig({ fee: 0 })), symbol)).toEqual({ maker: 0, taker: 0 });
  });
  test('must be known to its exchange', () => {
    expect(() => instrumentOf(stepOf(new Rig()), 'NO/USDT')).toThrow('The instrument NO/USDT is not known to bot bot-1.');
  });
});

describe('OP-83 an order', () => {
  const placed = (action: 'enter' | 'exit', waitsForBook: boolean, hasBook: boolean, minutes = 90) => {
    const rig = new Rig({ fee: 0 });
    Object.assign(rig.context, { waitsForBook });
    rig.state.pairs = { [symbol]: { signal: { ...quiet, enterLong: true, candleTime: 77 }, decidedCandleTime: -1, view: null } };
    const trade = aTrade();
    const view = viewAt(minutes, 100, hasBook ? { asks: [[100, 100]], bids: [[100, 100]] } : {});
    const purpose = action === 'enter' ? 'entry' : 'exit';
    placeOrder(stepOf(rig, view.time), trade, { action, purpose, type: 'market', price: 100, amount: 1, tag: 'why' }, view);
    return trade.orders[0];
  };
  test.each([
    ['is tried at once', false, false, 'filled'],
    ['waits for the book where there will be one', true, false, 'open'],
    ['is tried on the book', true, true, 'filled'],
  ] as const)('%s', (_, waitsForBook, hasBook, state) => {
    expect(placed('enter', waitsForBook, hasBook)).toMatchObject({ state, tag: 'why', follows: null });
  });
  test('of an entry names the candle of its signal, every other the newest that has closed', () => {
    expect(placed('enter', true, false)?.candleTime).toBe(77);
    expect(placed('exit', true, false)?.candleTime).toBe(start);
    expect(placed('exit', true, false, 60)?.candleTime).toBe(start);
    expect(placed('exit', true, false, 59)?.candleTime).toBe(start - hour);
  });
  test('that fills names its fee; while that of a third currency is not known, the usual one', () => {
    const rig = new Rig(market);
    rig.candle(1, enter);
    flat(rig, 60, 100);
    flat(rig, 61, 90);
    expect(of(rig, 'order-filled').map(({ fee, tradeId, order }) => [fee, tradeId, order.state])).toEqual([
      [1, 1, 'filled'],
      [0.9, 1, 'filled'],
    ]);
    const live = new Rig(market);
    Object.assign(live.context, { execution: 'exchange' });
    live.candle(1, enter);
    flat(live, 60, 100);
    Object.assign(live.state.trades[0] ?? {}, { feeOpen: 0.002, feeClose: 0.003 });
    const fill = {
      id: 'a',
      price: 100,
      amount: 10,
      fee: 1,
      feeCurrency: 'BNB',
      feeInQuote: null,
      liquidity: 'taker',
      time: start,
    } as const;
    const report = { state: 'filled', requested: 10, filled: 10, fills: [fill] } as const;
    live.take({ kind: 'order-update', time: start + hour, orderId: 'fl-bot1-1', report });
    flat(live, 61, 80);
    live.take({ kind: 'order-update', time: start + hour, orderId: 'fl-bot1-2', report });
    expect(of(live, 'order-filled').map(({ fee }) => fee)).toEqual([3, 3]);
  });
});

describe('the liquidation price', () => {
  const perpetual = { marketType: 'futures', maxLeverage: 10 } as const;
  const futures = { marketType: 'futures', leverage: 10, startingBalance: 10_000, maxOpenTrades: 2 } as const;
  test('is set with the fill of an entry, and written once', () => {
    const rig = new Rig({ ...market, ...futures, fee: 0 }, {}, perpetual);
    rig.candle(1, enter);
    flat(rig, 60, 100);
    // 90 without a fee for the liquidation, 0.1 per cent of it, and a buffer of 5 per cent.
    expect(rig.state.trades[0]?.liquidationPrice).toBeCloseTo(90 / 0.999 + (100 - 90 / 0.999) * 0.05, 2);
    expect(rig.kinds()).toEqual(['trade-opened', 'order-created', 'order-filled', 'trade-updated', 'decision']);
  });
  test('of another trade is written only where it has changed', () => {
    const rig = new Rig({ ...market, ...futures, marginMode: 'cross', fee: 0 }, {}, perpetual);
    const other = 'ETH/USDT';
    (rig.context.instruments as Map<string, Instrument>).set(other, { ...instrument, ...perpetual, symbol: other });
    rig.candle(1, enter);
    flat(rig, 60, 100);
    const row = { enterLong: true, exitLong: false, enterShort: false, exitShort: false, enterTag: null, exitTag: null, confidence: null };
    const view = { symbol: other, time: start + hour, bid: 10, ask: 10, last: 10 };
    // Nothing is won or lost by an entry without a fee: the wallet carries the other trade as before.
    const effects = rig.take({ kind: 'candle-closed', time: start + hour, symbol: other, candleTime: start, row, view });
    expect(effects.flatMap((effect) => (effect.kind === 'trade-updated' ? [effect.trade.id] : []))).toEqual([2]);
  });
});

test('the strategy is asked about an exit of a part when it is settled', () => {
  const seen: number[] = [];
  const rig = new Rig(
    { ...market, fee: 0 },
    { orderFilled: ({ trade, order }) => void (order.purpose === 'exit' && seen.push(trade.amount)) },
  );
  Object.assign(rig.context, { execution: 'exchange' });
  rig.state.trades.push(
    aTrade({
      amount: 10,
      orders: [anOrder({ id: 'e', state: 'filled', filled: 10, fillPrice: 100, fills: [bought] }), anOrder({ id: 'x', purpose: 'exit' })],
    }),
  );
  const report = { state: 'expired', requested: 10, filled: 4, fills: [{ ...bought, id: 'x1', amount: 4 }] } as const;
  rig.take({ kind: 'order-update', time: start, orderId: 'x', report });
  expect(seen).toEqual([6]);
});

test('a copy of a trade shares nothing with it', () => {
  const trade = aTrade({
    interest: { scheme: 'binance', ratePerPeriod: 0.1 },
    orders: [anOrder({ fills: [{ id: '1', price: 1, amount: 1, fee: 0, feeCurrency: 'USDT', feeInQuote: 0, liquidity: null, time: 1 }] })],
  });
  const copy = copyOf(trade);
  expect(copy).toEqual(trade);
  expect(copy.interest).not.toBe(trade.interest);
  expect(copy.orders).not.toBe(trade.orders);
  expect(copy.orders[0]).not.toBe(trade.orders[0]);
  expect(copy.orders[0]?.fills[0]).not.toBe(trade.orders[0]?.fills[0]);
  expect(copyOf(aTrade()).interest).toBe(null);
});

describe('OP-84 after a trade is closed', () => {
  test('its pair rests in its direction until the next candle; locks that are over are forgotten', () => {
    const over = { symbol: 'X', side: '*', endTime: start + 61 * minute, reason: 'over' } as const;
    const rig = holding({}, { locks: [over, { ...over, endTime: start + 3 * hour }] });
    flat(rig, 61, 80);
    expect(rig.state.locks).toEqual([
      { ...over, endTime: start + 3 * hour },
      { symbol, side: 'long', endTime: start + 2 * hour, reason: 'closed in this candle' },
    ]);
  });
  test('protections may lock more', () => {
    const rig = holding({ protections: [{ kind: 'cooldown', stopCandles: 4 }] });
    flat(rig, 61, 80);
    expect(rig.state.locks.map(({ reason, endTime }) => [reason, (endTime - start) / hour])).toEqual([
      ['closed in this candle', 2],
      ['cooldown', 6],
    ]);
  });
  test('protections of one side lock the side of the trade, also of a short', () => {
    const lowProfit = { kind: 'low-profit', onlyPerSide: true, stopCandles: 4 } as const;
    const rig = new Rig({ ...market, fee: 0, marketType: 'futures', canShort: true, protections: [lowProfit] });
    rig.candle(1, { enterShort: true });
    flat(rig, 60, 100);
    flat(rig, 61, 120);
    expect(rig.closed()).toMatchObject([{ direction: 'short' }]);
    expect(rig.state.locks.map(({ side, reason }) => [side, reason])).toEqual([
      ['short', 'closed in this candle'],
      ['short', 'low-profit'],
    ]);
  });
  test.each([
    ['a loss is one more', 80, 1, 2],
    ['a win is the end of them', 120, 1, 0],
    ['neither changes nothing', 100, 1, 1],
  ])('of losses in a row %s', (_, price, before, after) => {
    const rig = holding({}, { consecutiveLosses: before });
    rig.candle(2, { exitLong: true });
    flat(rig, 120, price);
    expect(rig.closed()).toHaveLength(1);
    expect(rig.state.consecutiveLosses).toBe(after);
  });
  test.each([
    ['that many losses pause the bot', 2, 'active', 'paused', [{ reason: 'max-consecutive-losses', losses: 2, time: start + 61 * minute }]],
    ['fewer do not', 3, 'active', 'active', []],
    ['no number of them does without a limit', 0, 'active', 'active', []],
    ['a paused bot is not paused again', 2, 'paused', 'paused', []],
    ['OP-86 a stopped bot stays stopped', 2, 'stopped', 'stopped', []],
  ] as const)('%s', (_, maxConsecutiveLosses, status, after, effects) => {
    const rig = holding({ maxConsecutiveLosses }, { consecutiveLosses: 1 });
    rig.state.status = status;
    flat(rig, 61, 80);
    expect(rig.state.status).toBe(after);
    expect(of(rig, 'bot-paused')).toMatchObject(effects);
  });
  test('it is remembered as long as a protection looks back, and no longer', () => {
    const closed = (id: number, minutesAgo: number) =>
      aTrade({ id, isOpen: false, closeTime: start + (61 - minutesAgo) * minute, profit: 0 });
    const remembered = (settings: Partial<SettingsInput>) => {
      const rig = holding(settings, { recentTrades: [closed(90, 120), closed(91, 119), closed(92, 60), closed(93, 59)] });
      flat(rig, 61, 80);
      return rig.state.recentTrades.map(({ id }) => id);
    };
    expect(remembered({})).toEqual([]);
    expect(remembered({ protections: [{ kind: 'cooldown', stopCandles: 1 }] })).toEqual([93, 1]);
    expect(remembered({ protections: [{ kind: 'cooldown', lookbackMinutes: 120 }, { kind: 'cooldown' }] })).toEqual([91, 92, 93, 1]);
    expect(remembered({ protections: [{ kind: 'cooldown', lookbackCandles: 2 }] })).toEqual([91, 92, 93, 1]);
  });
  test('it counts for a protection also where one that closed long after it was reported before it, as after an outage', () => {
    const stopped = (id: number, minutes: number) =>
      aTrade({ id, symbol: 'ETH/USDT', isOpen: false, closeTime: start + minutes * minute, profitRatio: -0.1, exitReason: 'stop_loss' });
    const guard = { kind: 'stoploss-guard', lookbackMinutes: 60, tradeLimit: 3, stopMinutes: 30 } as const;
    const far = { kind: 'cooldown', lookbackMinutes: 1440, stopMinutes: 1 } as const;
    const locked = (recentTrades: readonly Trade[]) => {
      const rig = holding({ protections: [guard, far] }, { recentTrades: [...recentTrades] });
      flat(rig, 121, 80);
      expect(rig.closed()).toMatchObject([{ exitReason: 'stop_loss' }]);
      return [rig.state.recentTrades.map(({ id }) => id), rig.state.locks.some(({ symbol }) => symbol === '*')];
    };
    expect(locked([stopped(90, 1), stopped(91, 90), stopped(92, 100)])).toEqual([[90, 91, 92, 1], true]);
    expect(locked([stopped(91, 90), stopped(92, 130)])).toEqual([[91, 1, 92], true]);
  });
  test('the others stay open', () => {
    const other = aTrade({ id: 50, symbol: 'ETH/USDT', amount: 1 });
    const rig = holding({ maxOpenTrades: 2 }, { trades: [other] });
    flat(rig, 61, 80);
    expect(rig.state.trades).toEqual([other]);
  });
  test('its profit counts, its reason is that of its order, and pauses of its exits are forgotten', () => {
    const rig = holding({}, { closedProfit: 7 });
    Object.assign(rig.state, { exitTimeouts: { 1: 3, 8: 1 }, exitRetryTimes: { 1: 3, 8: 1 } });
    flat(rig, 61, 80);
    expect(rig.state).toMatchObject({ closedProfit: -193, trades: [], exitTimeouts: { 8: 1 }, exitRetryTimes: { 8: 1 } });
    expect(rig.closed()).toMatchObject([{ exitReason: 'stop_loss', isOpen: false, profit: -200 }]);
    expect(rig.state.formerTrades).toEqual([]);
  });
});

describe('OP-84 on paper, a trade that has ended', () => {
  const leave = (rig: Rig, minutes: number) =>
    rig.take({ kind: 'close-asked', time: start + minutes * minute, tradeId: rig.state.nextTradeId - 1 });
  /** A bot that has bought a perpetual at minute 61 and sold it then, with what is paid at a full hour. */
  const left = (minutes: number, state: Partial<BotState> = {}) => {
    const rig = new Rig({ ...market, fee: 0, marketType: 'futures', leverage: 2 }, {}, { marketType: 'futures', maxLeverage: 10 });
    Object.assign(rig.state, state);
    rig.candle(1, enter);
    flat(rig, 61, 100);
    flat(rig, minutes, 90.5);
    leave(rig, minutes);
    return { rig, pay: (hours: number) => rig.take({ kind: 'funding', time: start + hours * hour, symbol, rate: 0.001, mark: 100 }) };
  };
  const idsOf = ({ state }: Rig) => state.formerTrades.map(({ id }) => id);

  test('is remembered when it was held at a full hour, and corrected by what is published of it then', () => {
    const { rig, pay } = left(8 * 60 + 1);
    const { profit } = rig.closed()[0] ?? aTrade();
    expect(idsOf(rig)).toEqual([1]);
    rig.state = JSON.parse(JSON.stringify(rig.state)) as BotState;
    const [{ amount }] = rig.closed();
    expect(pay(8).map(({ kind }) => kind)).toEqual(['trade-corrected']);
    expect(pay(8)).toEqual([]);
    expect(rig.state.closedProfit).toBeCloseTo((profit ?? 0) - 0.1 * amount, 8);
    // It is forgotten with the next one that ends.
    rig.candle(9, enter);
    flat(rig, 9 * 60 + 1, 100);
    leave(rig, 9 * 60 + 1);
    expect(rig.closed()).toHaveLength(2);
    expect(idsOf(rig)).toEqual([]);
  });

  test('is forgotten when it was not held at a full hour, and after a day', () => {
    expect(idsOf(left(119).rig)).toEqual([]);
    const time = start + 120 * minute;
    const held = { symbol, marketType: 'futures', isOpen: false, profit: 1 } as const;
    const dayAgo = [time - 24 * hour, time - 24 * hour + 1].map((closeTime, i) => {
      const orders = [anOrder({ purpose: 'exit', filled: 1, filledTime: closeTime })];
      return aTrade({ ...held, id: 80 + i, openTime: closeTime - 2 * hour, closeTime, orders });
    });
    expect(idsOf(left(120, { formerTrades: dayAgo }).rig)).toEqual([81, 1]);
  });
});

describe('OP-85 at an exchange, after a trade has ended', () => {
  const fill = (id: string, amount: number, price: number) =>
    ({ id, price, amount, fee: 0, feeCurrency: 'USDT', feeInQuote: 0, liquidity: 'taker', time: start + hour }) as const;
  const live = (state: Partial<BotState> = {}) => {
    const rig = new Rig({ ...market, fee: 0 });
    Object.assign(rig.context, { execution: 'exchange' });
    Object.assign(rig.state, state);
    rig.candle(1, enter);
    flat(rig, 60, 100);
    const bought = { state: 'filled', requested: 10, filled: 10, fills: [fill('a', 10, 100)] } as const;
    rig.take({ kind: 'order-update', time: start + hour, orderId: 'fl-bot1-1', report: bought });
    return rig;
  };
  const sold = { state: 'filled', requested: 10, filled: 10, fills: [fill('b', 10, 80)] } as const;

  test('it is a former trade for a day', () => {
    const time = start + hour + minute;
    const day = 24 * hour;
    const former = [aTrade({ id: 80, closeTime: time - day }), aTrade({ id: 81, closeTime: time - day + 1 })];
    const rig = live({ formerTrades: former });
    flat(rig, 61, 80);
    rig.take({ kind: 'order-update', time, orderId: 'fl-bot1-2', report: sold });
    expect(rig.state.formerTrades.map(({ id }) => id)).toEqual([81, 1]);
  });
  test('what still waits of it is cancelled, and only that', () => {
    const rig = live();
    rig.state.trades[0]?.orders.push(anOrder({ id: 'waits', purpose: 'exit' }), anOrder({ id: 'done', purpose: 'exit', state: 'expired' }));
    const order = anOrder({ id: 'sells', purpose: 'exit', amount: 10 });
    rig.state.trades[0]?.orders.push(order);
    rig.take({ kind: 'order-update', time: start + hour, orderId: 'sells', report: sold });
    expect(rig.closed()).toHaveLength(1);
    expect(of(rig, 'cancel-requested').map(({ orderId, tradeId, symbol: name, time }) => [orderId, tradeId, name, time])).toEqual([
      ['waits', 1, symbol, start + hour],
    ]);
  });
  test('the newest candle that has led to a fill is remembered, not an older one that is filled later', () => {
    const rig = live({ enteredCandleTimes: { [symbol]: -1 } });
    expect(rig.state.enteredCandleTimes).toEqual({ [symbol]: start });
    rig.state.enteredCandleTimes[symbol] = start + 5 * hour;
    const again = { state: 'filled', requested: 10, filled: 11, fills: [fill('z', 1, 100)] } as const;
    rig.take({ kind: 'order-update', time: start + hour, orderId: 'fl-bot1-1', report: again });
    expect(rig.state.trades[0]?.amount).toBe(11);
    expect(rig.state.enteredCandleTimes).toEqual({ [symbol]: start + 5 * hour });
  });
  test('an exit in parts asks the protections with every part', () => {
    const rig = live();
    rig.state.settings.protections = [{ kind: 'cooldown', stopCandles: 4 }];
    rig.state.recentTrades = [aTrade({ id: 70, isOpen: false, closeTime: start + hour, profit: 0 })];
    flat(rig, 61, 80);
    const part = { state: 'open', requested: 10, filled: 4, fills: [fill('b', 4, 80)] } as const;
    const effects = rig.take({ kind: 'order-update', time: start + hour, orderId: 'fl-bot1-2', report: part });
    expect(effects.map(({ kind }) => kind)).toEqual(['order-filled', 'trade-updated']);
    expect(rig.state.locks.map(({ reason }) => reason)).toEqual(['cooldown']);
    expect(rig.state.trades[0]?.amount).toBe(6);
  });
  test('a fill of an entry asks no protection', () => {
    const rig = live();
    rig.state.settings.protections = [{ kind: 'cooldown', stopCandles: 4 }];
    rig.state.recentTrades = [aTrade({ id: 70, isOpen: false, closeTime: start + hour, profit: 0 })];
    const more = { state: 'filled', requested: 10, filled: 11, fills: [fill('c', 1, 100)] } as const;
    rig.take({ kind: 'order-update', time: start + hour, orderId: 'fl-bot1-1', report: more });
    expect(rig.state.locks).toEqual([]);
  });
});
