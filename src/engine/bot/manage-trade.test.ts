import { describe, expect, test } from 'vitest';
import type { Fill } from '../account/fill.ts';
import { anOrder } from '../account/testing/an-order.ts';
import type { SettingsInput } from '../settings/normalise-settings.ts';
import type { StrategyCallbacks } from '../strategy/callbacks.ts';
import type { SignalRow } from './event.ts';
import { Rig, enter, hour, market, start } from './testing/rig.ts';

const minute = 60_000;
const second = 1000;
const perpetual = { marketType: 'futures', maxLeverage: 10 } as const;
const short = { marketType: 'futures', canShort: true, leverage: 1 } as const;

/** A bot that has bought 10 at 100 for 1000 at minute 60, with bid, ask and last the same. */
function holding(settings: Partial<SettingsInput> = {}, callbacks: StrategyCallbacks = {}): Rig {
  const rig = new Rig({ orderTypes: { entry: 'market' }, fee: 0, ...settings }, callbacks);
  rig.candle(1, enter);
  flat(rig, 60, 100);
  return rig;
}
/** The same as a short of 10. */
function shorting(settings: Partial<SettingsInput> = {}, callbacks: StrategyCallbacks = {}): Rig {
  const rig = new Rig({ orderTypes: { entry: 'market' }, fee: 0, ...short, ...settings }, callbacks, perpetual);
  rig.candle(1, { enterShort: true });
  flat(rig, 60, 100);
  return rig;
}
const flat = (rig: Rig, minutes: number, price: number) => rig.tick(minutes, price, { bid: price, ask: price });
const orders = (rig: Rig) => rig.effects.flatMap((effect) => (effect.kind === 'order-created' ? [effect.order] : []));
const cancels = (rig: Rig) => rig.effects.flatMap((effect) => (effect.kind === 'order-cancelled' ? [effect.reason] : []));
const exits = (rig: Rig) => orders(rig).filter(({ purpose }) => purpose === 'exit');

describe('the order of an exit', () => {
  const types = { entry: 'market', exit: 'limit', stoploss: 'limit', emergencyExit: 'limit', forceExit: 'limit' } as const;
  const leave =
    (kind: keyof typeof types, cause: (rig: Rig) => void, settings: Partial<SettingsInput> = {}, callbacks: StrategyCallbacks = {}) =>
    () => {
      const rig = holding({ orderTypes: { ...types, [kind]: 'market' }, ...settings }, callbacks);
      cause(rig);
      return exits(rig).map(({ type, tag }) => [type, tag]);
    };
  const falls = (rig: Rig) => void flat(rig, 61, 80);
  const rises = (rig: Rig) => void flat(rig, 61, 120);
  const signals = (rig: Rig) => {
    rig.candle(2, { exitLong: true });
    flat(rig, 120, 100);
  };
  test.each<[string, () => unknown, unknown]>([
    ['at the stop has the type of stops', leave('stoploss', falls), [['market', 'stop_loss']]],
    ['at the stop has not the type of exits', leave('exit', falls), [['limit', 'stop_loss']]],
    [
      'at a trailing stop has the type of stops',
      leave('stoploss', (rig) => (rises(rig), falls(rig)), { trailingStop: true }),
      [['market', 'trailing_stop_loss']],
    ],
    ['at the ROI has the type of exits', leave('exit', rises, { minimalRoi: { 0: 0.1 } }), [['market', 'roi']]],
    ['at risk-reward has the type of exits', leave('exit', rises, { riskRewardRatio: 1 }), [['market', 'risk_reward']]],
    ['on a signal has the type of exits', leave('exit', signals), [['market', 'exit_signal']]],
    ['on a signal has not the type of stops', leave('stoploss', signals), [['limit', 'exit_signal']]],
    ['on a wish has the type of exits', leave('exit', rises, {}, { customExit: () => 'enough' }), [['market', 'enough']]],
  ])('%s', (_, found, expected) => {
    expect(found()).toEqual(expected);
  });

  test('of a short buys back, at its stop above', () => {
    const rig = shorting({ orderTypes: market.orderTypes });
    flat(rig, 61, 109.99);
    expect(exits(rig)).toEqual([]);
    flat(rig, 62, 110);
    expect(exits(rig)).toMatchObject([{ side: 'buy', type: 'market', tag: 'stop_loss', amount: 10, action: 'exit', follows: null }]);
    expect(rig.closed()).toMatchObject([{ exitReason: 'stop_loss', direction: 'short', closeRate: 110, profit: -100 }]);
  });

  test('is held within a distance of the market', () => {
    for (const [wished, price] of [
      [50, 98],
      [99.5, 99.5],
      [150, 102],
    ] as const) {
      const rig = holding({}, { customExit: () => 'x', exitPrice: () => wished });
      rig.candle(2);
      flat(rig, 120, 100);
      expect(exits(rig).at(-1)?.price, `${wished}`).toBe(wished < 100 ? Math.max(price, 100) : price);
    }
  });
});

describe('an exit that waits', () => {
  /** A limit exit at 101 that waits since minute 120, with bid and ask a point around the price. */
  const waiting = (settings: Partial<SettingsInput> = {}, callbacks: StrategyCallbacks = {}) => {
    const rig = holding(settings, callbacks);
    rig.candle(2, { exitLong: true, exitTag: 'top' });
    wide(rig, 120, 100);
    expect(exits(rig)).toMatchObject([{ price: 101, state: 'open' }]);
    return rig;
  };
  const wide = (rig: Rig, minutes: number, price: number) => rig.tick(minutes, price, { bid: price - 1, ask: price + 1 });

  test('at the price it would have now stays', () => {
    const rig = waiting();
    wide(rig, 130, 100);
    expect(exits(rig)).toHaveLength(1);
  });
  test.each([
    ['', {}, 10],
    [', also as one of several parts', { maxAmount: 6 }, 5],
  ] as const)('at an exchange keeps its place while it is filled in part%s', (_, limits, amount) => {
    const rig = holding();
    rig.context.execution = 'exchange';
    rig.context.instruments = new Map([...rig.context.instruments].map(([name, each]) => [name, { ...each, ...limits }]));
    rig.candle(2, { exitLong: true, exitTag: 'top' });
    wide(rig, 120, 100);
    const [order] = exits(rig);
    expect(order).toMatchObject({ price: 101, amount });
    const fills: Fill[] = [];
    for (const [i, filled] of [1, 2.5].entries()) {
      const time = start + (121 + 2 * i) * minute;
      const paid = { fee: 0, feeCurrency: 'USDT', feeInQuote: 0, liquidity: 'maker' } as const;
      fills.push({ id: String(i), price: 101, amount: filled - (fills[0]?.amount ?? 0), ...paid, time });
      const report = { state: 'open', requested: amount, filled, fills: [...fills] } as const;
      rig.take({ kind: 'order-update', time, orderId: order?.id ?? '', report });
      wide(rig, 122 + 2 * i, 100);
    }
    expect(rig.state.trades[0]?.amount).toBe(7.5);
    expect(exits(rig)).toHaveLength(1);
    expect(rig.kinds()).not.toContain('cancel-requested');
    rig.state.missing = { [rig.state.trades[0]?.id ?? 0]: { amount: 6, waits: false } }; // there is less to be sold: it is another order
    wide(rig, 126, 100);
    expect(rig.kinds()).toContain('cancel-requested');
  });
  test('at another price is replaced, at most every five seconds', () => {
    const rig = waiting();
    wide(rig, 120 + (4.999 * second) / minute, 99);
    expect(exits(rig)).toHaveLength(1);
    wide(rig, 120 + (5 * second) / minute, 99);
    expect(exits(rig)).toMatchObject([{ price: 101 }, { price: 100 }]);
    expect(cancels(rig)).toEqual(['replaced']);
  });
  test('for another reason is replaced at once', () => {
    const rig = waiting();
    wide(rig, 120 + second / minute, 85);
    expect(exits(rig)).toMatchObject([{ tag: 'top' }, { tag: 'stop_loss', price: 86 }]);
    expect(cancels(rig)).toEqual(['replaced']);
  });
  test('for its stop is not cancelled for a weaker reason', () => {
    const rig = waiting({ orderTypes: { entry: 'market', exit: 'limit', stoploss: 'limit' } });
    for (const seconds of [1, 2, 3]) wide(rig, 120 + (seconds * second) / minute, 85);
    expect(exits(rig)).toMatchObject([{ tag: 'top' }, { tag: 'stop_loss', price: 86, state: 'open' }]);
  });
  test('fills when the market reaches it, and closes the trade for its reason', () => {
    const rig = waiting();
    flat(rig, 121, 101);
    expect(rig.closed()).toMatchObject([{ exitReason: 'top', closeRate: 101 }]);
  });
  test('that fills on the first prices after a candle is the exit of that candle', () => {
    const rig = waiting();
    rig.candle(3, enter);
    flat(rig, 180.5, 101);
    expect(rig.decisions().at(-1)).toMatchObject({ action: 'exit', gate: null });
  });
  test('is cancelled when its time is over, or the strategy says so', () => {
    const timed = waiting({ unfilledTimeout: { exitMs: minute, exitTimeoutCount: 9 } });
    wide(timed, 120.9, 100);
    expect(cancels(timed)).toEqual([]);
    timed.candle(3);
    wide(timed, 121, 100);
    expect(cancels(timed)).toEqual(['timed-out']);
    expect(timed.state.exitTimeouts).toEqual({ 1: 1 });
    const asked = waiting({}, { isTimedOut: ({ order, time }) => order.purpose === 'exit' && time >= start + 2 * hour + minute });
    wide(asked, 120.9, 100);
    expect(cancels(asked)).toEqual([]);
    wide(asked, 121, 100);
    expect(cancels(asked)).toEqual(['timed-out']);
  });
  test('at an exchange runs out of time once', () => {
    const rig = waiting({ unfilledTimeout: { exitMs: minute, exitTimeoutCount: 9 } });
    Object.assign(rig.context, { execution: 'exchange' });
    wide(rig, 121, 100);
    wide(rig, 122, 100);
    expect(rig.state.exitTimeouts).toEqual({ 1: 1 });
    // While its cancel is on the way nothing is decided, whatever the price.
    expect(wide(rig, 123, 50)).toEqual([]);
  });
  test('in an emergency is not repeated while it waits', () => {
    const rig = waiting({
      orderTypes: { entry: 'market', emergencyExit: 'limit' },
      unfilledTimeout: { exitMs: minute, exitTimeoutCount: 1 },
    });
    rig.candle(3);
    wide(rig, 121, 100);
    expect(rig.decisions().at(-1)).toMatchObject({ action: 'exit', gate: null });
    for (const seconds of [10, 20, 30]) wide(rig, 121 + (seconds * second) / minute, 100);
    expect(exits(rig).map(({ tag, type }) => [tag, type])).toEqual([
      ['top', 'limit'],
      ['emergency_exit', 'limit'],
    ]);
  });
  test('after so many timeouts an emergency leaves at any price; a count of 0 is never', () => {
    const emergency = { orderTypes: { entry: 'market', emergencyExit: 'market' } } as const;
    const run = (exitTimeoutCount: number) => {
      const rig = waiting({ ...emergency, unfilledTimeout: { exitMs: minute, exitTimeoutCount } });
      for (let at = 121; at < 125; at++) wide(rig, at, 100);
      return exits(rig).map(({ tag, type, price }) => [tag, type, price]);
    };
    expect(run(1)).toEqual([
      ['top', 'limit', 101],
      ['emergency_exit', 'market', 99],
    ]);
    expect(run(2)).toEqual([
      ['top', 'limit', 101],
      ['top', 'limit', 101],
      ['emergency_exit', 'market', 99],
    ]);
    expect(run(0).map(([tag]) => tag)).toEqual(Array(5).fill('top'));
  });
});

describe('an exit the strategy must confirm', () => {
  const asked = (callbacks: StrategyCallbacks, price: number, settings: Partial<SettingsInput> = {}) => {
    const rig = holding({ orderTypes: market.orderTypes, ...settings }, callbacks);
    rig.candle(2, { exitLong: price > 100 });
    flat(rig, 120, price);
    return rig;
  };
  test('is asked with its price, amount and reason', () => {
    const seen: unknown[] = [];
    asked({ confirmExit: ({ time, price, amount, reason }) => seen.push([time, price, amount, reason]) > 0 }, 105);
    expect(seen).toEqual([[start + 2 * hour, 105, 10, 'exit_signal']]);
  });
  test('is not made when it says no, and is then no lack of profit', () => {
    const rig = asked({ confirmExit: () => false }, 105, { exitProfitOnly: true });
    expect(exits(rig)).toEqual([]);
    expect(rig.decisions().at(-1)).toMatchObject({ action: 'hold', gate: null });
    expect(exits(asked({ confirmExit: () => false }, 80))).toEqual([]);
    expect(exits(asked({ confirmExit: () => true }, 80))).toHaveLength(1);
  });
  test('is not asked about a liquidation', () => {
    const rig = holding({ orderTypes: market.orderTypes }, { confirmExit: () => false });
    Object.assign(rig.state.trades[0] ?? {}, { stop: 10, liquidationPrice: 90 });
    flat(rig, 61, 89);
    expect(rig.closed()).toMatchObject([{ exitReason: 'liquidation' }]);
  });
});

describe('an entry that waits', () => {
  const waiting = (settings: Partial<SettingsInput> = {}) => {
    const rig = new Rig(settings);
    Object.assign(rig.context, { execution: 'exchange' });
    rig.candle(1, enter);
    rig.tick(60, 100);
    return rig;
  };
  test('has nothing to leave', () => {
    const rig = waiting();
    flat(rig, 61, 10);
    expect(orders(rig)).toHaveLength(1);
    expect(rig.state.trades[0]).toMatchObject({ amount: 0, minRate: 99.99 });
  });
  test('that runs out of time is not an exit that did', () => {
    const rig = waiting({ unfilledTimeout: { entryMs: minute, exitMs: minute } });
    rig.tick(61, 100);
    expect(rig.kinds()).toContain('cancel-requested');
    expect(rig.state.exitTimeouts).toEqual({});
  });
  test('and runs out of time leaves nothing: the candle has had no exit', () => {
    const rig = new Rig({ unfilledTimeout: { entryMs: minute } });
    rig.candle(1, enter);
    rig.tick(60, 100);
    rig.candle(2);
    rig.tick(120, 100);
    expect(rig.decisions().at(-1)).toMatchObject({ action: 'none', gate: 'no-signal' });
    const cancelled = rig.effects.flatMap((effect) => (effect.kind === 'trade-cancelled' ? [effect] : []));
    expect(cancelled).toMatchObject([{ time: start + 2 * hour, trade: { id: 1, isOpen: false, closeTime: start + 2 * hour } }]);
  });
});

describe('OP-83 an order the strategy may move', () => {
  /** An entry that waits at 99 since minute 60. */
  const entering = (wished: number | null, callbacks: StrategyCallbacks = {}) => {
    const seen: unknown[] = [];
    const rig = new Rig(
      {},
      { adjustOrderPrice: ({ order, proposedPrice, time }) => (seen.push([order.price, proposedPrice, time]), wished), ...callbacks },
    );
    rig.candle(1, enter);
    rig.tick(60, 100, { bid: 99, ask: 101 });
    expect(orders(rig)).toMatchObject([{ price: 99, state: 'open' }]);
    return { rig, seen };
  };
  const later = (rig: Rig, minutes: number) => rig.tick(minutes, 100, { bid: 99.5, ask: 101 });

  test('is asked about a candle after it was made, not before', () => {
    const { rig, seen } = entering(99);
    later(rig, 119.9);
    expect(seen).toEqual([]);
    later(rig, 120);
    expect(seen).toEqual([[99, 99.5, start + 2 * hour]]);
  });
  test('at its own price stays', () => {
    const { rig } = entering(99);
    expect(later(rig, 120).map(({ kind }) => kind)).not.toContain('order-created');
    expect(rig.state.trades[0]?.orders).toHaveLength(1);
  });
  test('without a price is cancelled, and its trade with it', () => {
    const { rig } = entering(null);
    rig.candle(2);
    later(rig, 120);
    expect(cancels(rig)).toEqual(['by-strategy']);
    expect(rig.state.trades).toEqual([]);
  });
  test('at another price is replaced, rounded to the tick, and the trade is never without an order', () => {
    const { rig } = entering(98.123);
    const effects = later(rig, 120);
    expect(effects.map(({ kind }) => kind).filter((kind) => kind.startsWith('order'))).toEqual(['order-created', 'order-cancelled']);
    expect(cancels(rig)).toEqual(['by-strategy']);
    expect(rig.state.trades[0]?.orders).toMatchObject([
      {
        price: 98.12,
        action: 'replace',
        follows: 'fl-bot1-1',
        purpose: 'entry',
        type: 'limit',
        amount: orders(rig)[0]?.amount,
        tag: 'up',
        createdTime: start + 2 * hour,
      },
    ]);
  });
  test('at an exchange is asked to be cancelled, and replaced by nothing', () => {
    const { rig } = entering(98);
    Object.assign(rig.context, { execution: 'exchange' });
    later(rig, 120);
    expect(rig.kinds()).toContain('cancel-requested');
    expect(orders(rig)).toHaveLength(1);
    later(rig, 121);
    expect(rig.effects.filter(({ kind }) => kind === 'cancel-requested')).toHaveLength(1);
  });
  test('of a trade that holds something is cancelled, not replaced', () => {
    const rig = holding({}, { customExit: () => 'x', adjustOrderPrice: () => 105 });
    rig.tick(61, 100, { bid: 99, ask: 101 });
    rig.tick(121, 100, { bid: 99, ask: 101 });
    expect(cancels(rig)).toEqual(['by-strategy']);
    expect(orders(rig).filter(({ action }) => action === 'replace')).toEqual([]);
  });
});

describe('what is said of a candle while a trade is open', () => {
  const decided =
    (settings: Partial<SettingsInput>, row: Partial<SignalRow>, price: number, minutes = 120, make = holding) =>
    () => {
      const rig = make(settings);
      rig.candle(2, row);
      flat(rig, minutes, price);
      return rig.decisions().at(-1);
    };
  const onlyWithProfit = { exitProfitOnly: true, exitProfitOffset: 0.05 };
  test.each<[string, ReturnType<typeof decided>, unknown]>([
    ['nothing to do: it is held', decided({}, {}, 100), { action: 'hold', gate: null }],
    ['another entry: there is a trade', decided({}, enter, 100), { action: 'hold', gate: 'has-open-trade' }],
    ['an entry that a spot market cannot make', decided({}, { enterShort: true }, 100), { action: 'hold', gate: null }],
    ['no exit, where only profit leaves', decided({ ...market, ...onlyWithProfit }, {}, 100), { action: 'hold', gate: null }],
    [
      'an exit beside an entry, without the profit',
      decided({ ...market, ...onlyWithProfit }, { ...enter, exitLong: true }, 100),
      { action: 'hold', gate: null },
    ],
    [
      'an exit without profit that does not count',
      decided({ ...market, ...onlyWithProfit, useExitSignal: false }, { exitLong: true }, 100),
      { action: 'hold', gate: null },
    ],
    ['an exit', decided(market, { exitLong: true }, 100), { action: 'exit', gate: null }],
    ['the exit of a short, for a long', decided(market, { exitShort: true }, 100), { action: 'hold', gate: null }],
    ['an exit beside an entry', decided(market, { ...enter, exitLong: true }, 100), { action: 'hold', gate: null }],
    [
      'an exit where signals do not count',
      decided({ ...market, useExitSignal: false }, { exitLong: true }, 100),
      { action: 'hold', gate: null },
    ],
    [
      'an exit without the profit',
      decided({ ...market, ...onlyWithProfit }, { exitLong: true }, 104),
      { action: 'hold', gate: 'exit-not-profitable' },
    ],
    [
      'an exit at exactly the profit',
      decided({ ...market, ...onlyWithProfit }, { exitLong: true }, 105),
      { action: 'hold', gate: 'exit-not-profitable' },
    ],
    ['an exit with the profit', decided({ ...market, ...onlyWithProfit }, { exitLong: true }, 105.01), { action: 'exit', gate: null }],
    ['an exit that is too old', decided(market, { exitLong: true }, 100, 186), { action: 'hold', gate: null }],
    ['the exit of a short', decided(market, { exitShort: true }, 100, 120, shorting), { action: 'exit', gate: null }],
    ['the exit of a long, for a short', decided(market, { exitLong: true }, 100, 120, shorting), { action: 'hold', gate: null }],
    ['another short', decided(market, { enterShort: true }, 100, 120, shorting), { action: 'hold', gate: 'has-open-trade' }],
    [
      'the exit of a short beside its entry',
      decided(market, { enterShort: true, exitShort: true }, 100, 120, shorting),
      { action: 'hold', gate: null },
    ],
  ])('%s', (_, decision, expected) => {
    expect(decision()).toMatchObject(expected as object);
  });

  test('an entry that waits is an open trade too', () => {
    const rig = new Rig();
    rig.candle(1, enter);
    rig.tick(60, 100);
    rig.candle(2, enter);
    rig.tick(120, 100);
    rig.candle(3);
    rig.tick(180, 100);
    expect(rig.decisions().slice(1)).toMatchObject([
      { action: 'hold', gate: 'has-open-trade' },
      { action: 'hold', gate: null },
    ]);
  });
});

describe('a trade is written again', () => {
  const kindsOf = (settings: Partial<SettingsInput>, price: number) => () => flat(holding(settings), 61, price).map(({ kind }) => kind);
  test.each<[string, () => string[], string[]]>([
    ['at a new highest price', kindsOf({}, 101), ['trade-updated']],
    ['at a new lowest price', kindsOf({}, 99), ['trade-updated']],
    ['not at a price that changes nothing', kindsOf({}, 100), []],
  ])('%s', (_, found, expected) => {
    expect(found()).toEqual(expected);
  });
  test('when its stop moves', () => {
    let distance = 0.09;
    const rig = holding({}, { customStop: () => -distance });
    flat(rig, 61, 100);
    distance = 0.05;
    expect(flat(rig, 62, 100).map(({ kind }) => kind)).toEqual(['trade-updated']);
    expect(flat(rig, 63, 100)).toEqual([]);
    expect(rig.state.trades[0]?.stop).toBe(95);
  });
});

describe('OP-86 a stopped bot', () => {
  const stop = (rig: Rig, minutes: number) => rig.take({ kind: 'status-changed', time: start + minutes * minute, status: 'stopped' });
  test('cancels an exit that waits and leaves at market, at the price of the tick', () => {
    const rig = holding({}, { customExit: () => 'x' });
    rig.tick(61, 100, { bid: 99.001, ask: 101 });
    stop(rig, 61);
    expect(cancels(rig)).toEqual(['stopped']);
    expect(exits(rig).at(-1)).toMatchObject({ type: 'market', tag: 'force_exit', price: 99, amount: 10 });
    expect(rig.closed()).toHaveLength(1);
  });
  test('decides nothing else: not even that its trade has lost', () => {
    const rig = holding();
    stop(rig, 90);
    flat(rig, 91, 50);
    expect(rig.closed()).toMatchObject([{ exitReason: 'force_exit' }]);
    expect(rig.decisions()).toHaveLength(1);
  });
  test('leaves no exit for an entry that was cancelled', () => {
    const rig = new Rig();
    rig.candle(1, enter);
    rig.tick(60, 100);
    stop(rig, 60);
    expect(orders(rig)).toHaveLength(1);
    expect(rig.kinds().slice(-2)).toEqual(['order-cancelled', 'trade-cancelled']);
  });
  test('says of the candle that it left, or that it could not yet', () => {
    const rig = holding({ orderTypes: market.orderTypes });
    stop(rig, 90);
    rig.candle(2);
    flat(rig, 120, 100);
    expect(rig.decisions().at(-1)).toMatchObject({ action: 'exit', gate: null });
    const waits = holding({}, { customExit: () => 'x' });
    waits.tick(61, 100, { bid: 99, ask: 101 });
    Object.assign(waits.context, { execution: 'exchange' });
    stop(waits, 90);
    waits.candle(2);
    flat(waits, 120, 100);
    expect(waits.decisions().at(-1)).toMatchObject({ action: 'hold', gate: null });
  });
  test('at an exchange first waits until its orders are cancelled', () => {
    const rig = holding({}, { customExit: () => 'x' });
    rig.tick(61, 100, { bid: 99, ask: 101 });
    Object.assign(rig.context, { execution: 'exchange' });
    stop(rig, 61);
    expect(rig.kinds().at(-1)).toBe('cancel-requested');
    rig.tick(62, 100);
    expect(exits(rig)).toHaveLength(1);
    const waits = rig.state.trades[0]?.orders.at(-1);
    Object.assign(waits ?? {}, { state: 'cancelled', isCancelWanted: false });
    rig.tick(63, 100);
    expect(exits(rig).at(-1)).toMatchObject({ type: 'market', tag: 'force_exit' });
    rig.tick(64, 90);
    expect(exits(rig)).toHaveLength(2);
  });
});

test('what an exit has left is another order that follows the newest of them', () => {
  const rig = holding({ orderTypes: market.orderTypes });
  Object.assign(rig.context, { execution: 'exchange' });
  const [trade] = rig.state.trades;
  trade?.orders.push(
    anOrder({ id: 'a', purpose: 'exit', filled: 2, fillPrice: 100, filledTime: 1, state: 'cancelled' }),
    anOrder({ id: 'b', purpose: 'exit', filled: 3, fillPrice: 100, filledTime: 1, state: 'cancelled' }),
    anOrder({ id: 'c', purpose: 'exit', state: 'cancelled' }),
  );
  flat(rig, 61, 80);
  expect(exits(rig)).toMatchObject([{ action: 'exit-rest', follows: 'b', tag: 'stop_loss' }]);
});
