import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Fill } from '../account/fill.ts';
import { feeInQuote } from '../account/fill.ts';
import type { OrderState } from '../account/order-life.ts';
import type { Order } from '../account/order.ts';
import { aTrade } from '../account/testing/a-trade.ts';
import { anOrder } from '../account/testing/an-order.ts';
import type { SettingsInput } from '../settings/normalise-settings.ts';
import type { StrategyCallbacks } from '../strategy/callbacks.ts';
import type { BotEffect } from './effect.ts';
import type { SignalRow } from './event.ts';
import type { BotState } from './state.ts';
import { Rig, enter, hour, market, start, symbol, viewAt } from './testing/rig.ts';

/** A bot whose orders go to an exchange, which wants to buy 10 BTC at about 100. */
class LiveRig extends Rig {
  #now = start + hour;
  constructor(settings: Partial<SettingsInput> = {}, callbacks: StrategyCallbacks = {}, signal: Partial<SignalRow> = enter) {
    super(settings, callbacks);
    Object.assign(this.context, { execution: 'exchange' });
    this.candle(1, signal);
    this.tick(60, 100);
  }
  /** What the exchange reports of the bot's n-th order. */
  report(
    n: number,
    state: OrderState,
    fills: readonly Fill[] = [],
    filled = fills.reduce((sum, { amount }) => sum + amount, 0),
    more: { isComplete?: true } = {},
  ): BotEffect[] {
    const orderId = `fl-bot1-${n}`;
    const requested =
      [...this.state.trades, ...this.state.formerTrades].flatMap(({ orders }) => orders).find(({ id }) => id === orderId)?.amount ?? 10;
    this.#now += 1000;
    return this.take({ kind: 'order-update', time: this.#now, orderId, report: { state, requested, filled, fills, ...more } });
  }
  order(n: number) {
    const found = [...this.state.trades, ...this.state.formerTrades]
      .flatMap(({ orders }) => orders)
      .find(({ id }) => id === `fl-bot1-${n}`);
    if (found === undefined) throw new Error(`There is no order ${n}`);
    return found;
  }
  alarms(): string[] {
    return this.effects.flatMap((effect) => (effect.kind === 'alarm' ? [effect.reason] : []));
  }
}

const fill = (id: string, amount: number, price = 100, more: Partial<Fill> = {}): Fill => {
  const made = {
    id,
    price,
    amount,
    fee: amount * price * 0.001,
    feeCurrency: 'USDT',
    liquidity: 'taker' as const,
    time: start + 61 * 60_000,
    ...more,
  };
  return { ...made, feeInQuote: more.feeInQuote === undefined ? feeInQuote(made, symbol) : more.feeInQuote };
};

describe('OP-85 orders at an exchange', () => {
  test('an order is planned, waits until it is reported, and a fill counts once', () => {
    const rig = new LiveRig();
    expect(rig.order(1)).toMatchObject({ state: 'planned', amount: 10.001, action: 'enter', candleTime: start });
    expect(rig.state.trades[0]).toMatchObject({ amount: 0 });
    for (const state of ['sent', 'open'] as const) rig.report(1, state);
    rig.report(1, 'filled', [fill('a', 10.001, 99.98)]);
    expect(rig.state.trades[0]).toMatchObject({ amount: 10.001, openRate: 99.98 });
    expect(rig.kinds()).not.toContain('order-cancelled');
    const before = structuredClone(rig.state);
    expect(rig.report(1, 'filled', [fill('a', 10.001, 99.98)])).toEqual([]);
    expect(rig.state).toEqual(before);
  });
  test('partial fills count while the order is open; what was requested stays what it was', () => {
    const rig = new LiveRig();
    rig.report(1, 'open', [fill('a', 4, 99)]);
    expect(rig.order(1)).toMatchObject({ state: 'open', amount: 10.001, filled: 4, fillPrice: 99 });
    expect(rig.state.trades[0]).toMatchObject({ amount: 4, openRate: 99, stake: 396 });
    const { stop } = rig.state.trades[0];
    rig.report(1, 'open', [fill('a', 4, 99), fill('b', 2, 102)], 6);
    expect(rig.state.trades[0]).toMatchObject({ amount: 6, openRate: 100, stake: 600 });
    expect(rig.state.trades[0].stop).toBeGreaterThan(stop); // the first entry's average has moved, and the stop with it
    rig.report(1, 'cancelled', [], 6);
    expect(rig.order(1)).toMatchObject({ state: 'cancelled', amount: 10.001, filled: 6 });
    expect(rig.state.trades).toHaveLength(1);
    rig.tick(62, 80);
    expect(rig.order(2)).toMatchObject({ purpose: 'exit', amount: 6 });
  });
  test('the strategy is asked once about an order in many fills, with the last of them', () => {
    const seen: number[] = [];
    const rig = new LiveRig({}, { orderFilled: ({ order }) => seen.push(order.filled) });
    rig.report(1, 'open', [fill('a', 4)]);
    rig.report(1, 'filled', [fill('b', 1), fill('c', 5.001)]);
    expect(seen).toEqual([10.001]);
    const parted: number[] = [];
    const other = new LiveRig({}, { orderFilled: ({ order }) => parted.push(order.filled) });
    other.report(1, 'open', [fill('a', 4)]);
    other.report(1, 'expired', [], 4);
    expect(parted).toEqual([4]);
    const none: number[] = [];
    const empty = new LiveRig({}, { orderFilled: ({ order }) => none.push(order.filled) });
    empty.report(1, 'cancelled');
    expect(none).toEqual([]);
  });
  test.each([
    ['at once', 0, 100, 95, 114],
    ['an outage ago, at another price by now', 120, 100, 95, 95],
    ['an outage ago, and no price is known yet', 120, null, 95, 90],
    ['an outage ago, and the newest price is older', 120, -1, 95, 95],
  ])(
    'the stop that a strategy sets after a part was sold is measured from a price of now: it was sold %s',
    (_, minutes, last, entered, expected) => {
      const rig = new LiveRig({ stoploss: -0.1 }, { customStop: ({ afterFill }) => (afterFill ? -0.05 : null), stopAfterFill: true });
      rig.report(1, 'filled', [fill('a', 10.001)]);
      expect(rig.state.trades[0]?.stop).toBeCloseTo(entered, 6);
      const time = start + (62 + minutes) * 60_000;
      const { view } = rig.state.pairs[symbol];
      const newest = last === -1 ? { last: 130, time: time - 11_000 } : { last, time: time - 1_000 };
      Object.assign(rig.state.pairs[symbol], { view: last === null ? null : { ...view, ...newest } });
      const exit = {
        ...structuredClone(rig.order(1)),
        id: 'fl-bot1-9',
        purpose: 'exit' as const,
        side: 'sell' as const,
        state: 'open' as const,
      };
      rig.state.trades[0]?.orders.push({ ...exit, amount: 4, filled: 0, reported: 0, fills: [], fillPrice: null, filledTime: null });
      if (last === null) Object.assign(rig.state.trades[0] ?? {}, { stop: 90 });
      const report = { state: 'filled', requested: 4, filled: 4, fills: [fill('b', 4, 120, { time: time - minutes * 60_000 })] } as const;
      rig.take({ kind: 'order-update', time, orderId: 'fl-bot1-9', report });
      expect(rig.state.trades[0]?.stop).toBeCloseTo(expected, 6);
    },
  );

  test('the stop that a strategy sets after an entry is measured from what was bought, however late that is reported', () => {
    for (const last of [100, null]) {
      const rig = new LiveRig({ stoploss: -0.3 }, { customStop: ({ afterFill }) => (afterFill ? -0.04 : null), stopAfterFill: true });
      const time = start + 200 * 60_000;
      if (last === null) Object.assign(rig.state.pairs[symbol], { view: null });
      const fills = [fill('a', 10.001, 95, { time: start + 61 * 60_000 })];
      rig.take({ kind: 'order-update', time, orderId: 'fl-bot1-1', report: { state: 'filled', requested: 10.001, filled: 10.001, fills } });
      expect(rig.state.trades[0]?.stop).toBeCloseTo(91.2, 6);
    }
  });

  test('a cancel is asked for once, and done when it is reported, with what was filled', () => {
    const rig = new LiveRig({ unfilledTimeout: { entryMs: 60_000 } });
    rig.report(1, 'open');
    rig.tick(62, 100);
    rig.tick(63, 100);
    expect(rig.effects.filter(({ kind }) => kind === 'cancel-requested')).toHaveLength(1);
    rig.state = JSON.parse(JSON.stringify(rig.state)) as BotState; // a restart
    rig.tick(64, 100);
    expect(rig.effects.filter(({ kind }) => kind === 'cancel-requested')).toHaveLength(1);
    rig.report(1, 'cancel-pending');
    rig.report(1, 'cancelled', [fill('a', 3)]);
    expect(rig.state.trades[0]).toMatchObject({ amount: 3 });
    expect(rig.order(1)).toMatchObject({ isCancelWanted: false, state: 'cancelled' });
  });
  test('a cancel that came to nothing is asked for again', () => {
    const rig = new LiveRig({ unfilledTimeout: { entryMs: 60_000 } });
    rig.report(1, 'open');
    rig.tick(62, 100);
    rig.report(1, 'cancel-pending');
    rig.report(1, 'open');
    rig.tick(63, 100);
    expect(rig.effects.filter(({ kind }) => kind === 'cancel-requested')).toHaveLength(2);
  });
  test('a market exit that is on its way is left alone', () => {
    const rig = new LiveRig({ ...market });
    rig.report(1, 'filled', [fill('a', 10)]);
    rig.tick(62, 80);
    rig.tick(63, 70);
    for (const seconds of [0, 1]) rig.take({ kind: 'status-changed', time: start + 63 * 60_000 + seconds * 1_000, status: 'stopped' });
    rig.tick(64, 60);
    expect(rig.effects.filter(({ kind }) => kind === 'order-created')).toHaveLength(2);
    expect(rig.kinds()).not.toContain('cancel-requested');
    rig.report(2, 'filled', [fill('b', 10, 79)]);
    expect(rig.closed()).toMatchObject([{ exitReason: 'stop_loss', closeRate: 79 }]);
  });
  test('a refused first order takes its trade with it, and the pair rests until the next candle', () => {
    const rig = new LiveRig();
    rig.report(1, 'sent');
    rig.report(1, 'refused');
    expect(rig.state.trades).toEqual([]);
    expect(rig.kinds()).toContain('trade-cancelled');
    rig.tick(62, 100);
    expect(rig.state.trades).toEqual([]);
    rig.candle(2, enter);
    rig.tick(120, 100);
    expect(rig.state.trades).toHaveLength(1);
  });
  test('a refused exit is tried again after a moment', () => {
    const rig = new LiveRig();
    rig.report(1, 'filled', [fill('a', 10.001)]);
    rig.tick(62, 80);
    rig.report(2, 'refused');
    const time = start + hour + 2 * 1000;
    rig.take({ kind: 'market', view: { ...viewAt(62, 80), time: time + 4000 } });
    expect(rig.state.trades[0].orders).toHaveLength(2);
    rig.take({ kind: 'market', view: { ...viewAt(62, 80), time: time + 5000 } });
    expect(rig.order(3)).toMatchObject({ purpose: 'exit', action: 'exit' });
  });
  test('an unknown order is waited for: nothing else is ordered, and it may turn out to be filled', () => {
    const rig = new LiveRig();
    rig.report(1, 'filled', [fill('a', 10.001)]);
    rig.tick(62, 80);
    rig.report(2, 'unknown');
    for (let minute = 63; minute < 70; minute++) rig.tick(minute, 80 - minute / 10);
    expect(rig.effects.filter(({ kind }) => kind === 'order-created')).toHaveLength(2);
    rig.report(2, 'filled', [fill('b', 10.001, 80)]);
    expect(rig.closed()).toHaveLength(1);
    expect(rig.alarms()).toEqual([]);
  });
  test('an order that ended is waited for while more is reported as filled than its fills say', () => {
    const rig = new LiveRig();
    rig.report(1, 'cancelled', [], 4);
    expect(rig.state.trades).toHaveLength(1);
    expect(rig.kinds()).not.toContain('trade-cancelled');
    rig.report(1, 'cancelled', [fill('a', 4)]);
    expect(rig.state.trades[0]).toMatchObject({ amount: 4 });
    expect(rig.alarms()).toEqual([]);
  });
  test.each([
    ['an entry that brought nothing takes its trade with it', [], 0, 0],
    ['an entry keeps what is known of it', [fill('a', 4)], 4, 1],
  ])('of an order whose other fills are listed nowhere any more, nothing more is waited for: %s', (_name, known, amount, trades) => {
    const rig = new LiveRig();
    rig.report(1, 'filled', known, 10);
    expect(rig.order(1).reported).toBe(10);
    rig.report(1, 'filled', known, amount, { isComplete: true });
    expect(rig.order(1)).toMatchObject({ state: 'filled', filled: amount, reported: amount });
    expect(rig.state.trades).toHaveLength(trades);
    expect(rig.alarms()).toEqual([]);
  });

  test('of an exit whose fills are listed nowhere any more the trade stays as it is, and can be left again', () => {
    const rig = new LiveRig();
    rig.report(1, 'filled', [fill('a', 10)]);
    rig.tick(120, 80); // the stop
    const exit = rig.state.trades[0]?.orders.findLast(({ purpose }) => purpose === 'exit');
    const n = Number(exit?.id.split('-').at(-1));
    rig.report(n, 'filled', [], 10);
    expect(rig.order(n).reported).toBe(10);
    rig.report(n, 'filled', [], 0, { isComplete: true });
    expect(rig.state.trades).toMatchObject([{ amount: 10, isOpen: true }]);
    expect(rig.order(n)).toMatchObject({ filled: 0, reported: 0 });
  });

  test('a final state never goes back, whatever comes late', () => {
    const rig = new LiveRig();
    rig.report(1, 'filled', [fill('a', 10.001)]);
    for (const state of ['planned', 'sent', 'unknown', 'open', 'cancel-pending', 'cancelled', 'expired', 'refused'] as const) {
      rig.report(1, state, [], 10.001);
      expect(rig.order(1).state).toBe('filled');
    }
    expect(rig.state.trades[0]).toMatchObject({ amount: 10.001 });
  });
  test('what an exit filled in part has left is another order, with an action of its own', () => {
    const rig = new LiveRig();
    rig.report(1, 'filled', [fill('a', 10)]);
    rig.tick(62, 80);
    rig.report(2, 'expired', [fill('b', 4, 80)]);
    expect(rig.state.trades[0]).toMatchObject({ amount: 6 });
    rig.tick(63, 79);
    expect(rig.order(3)).toMatchObject({ action: 'exit-rest', follows: 'fl-bot1-2', amount: 6 });
  });
  test('an order is filled when its fills say so, although its state lags behind', () => {
    const rig = new LiveRig({ unfilledTimeout: { entryMs: 60_000 } });
    rig.report(1, 'open', [fill('a', 4), fill('b', 6.001)]);
    expect(rig.order(1)).toMatchObject({ state: 'filled', filled: 10.001 });
    rig.tick(63, 100);
    expect(rig.kinds()).not.toContain('cancel-requested');
  });
  test('after a late fill of an earlier exit, one that asks for more than is held is cancelled', () => {
    const rig = new LiveRig();
    rig.report(1, 'filled', [fill('a', 10)]);
    rig.tick(62, 80);
    rig.report(2, 'expired');
    rig.tick(63, 79);
    expect(rig.order(3)).toMatchObject({ amount: 10, isCancelWanted: false });
    rig.report(2, 'expired', [fill('b', 4, 80)]);
    expect(rig.state.trades[0]).toMatchObject({ amount: 6 });
    expect(rig.order(3).isCancelWanted).toBe(true);
    rig.report(3, 'cancelled');
    rig.tick(64, 78);
    expect(rig.order(4)).toMatchObject({ amount: 6, action: 'exit-rest', follows: 'fl-bot1-2' });
  });
  test('after a late fill only the exits are cancelled that ask for more than is held', () => {
    const rig = new LiveRig();
    rig.report(1, 'filled', [fill('a', 10)]);
    const exit = (n: number, amount: number, given: Partial<Order> = {}) =>
      anOrder({ id: `fl-bot1-${n}`, purpose: 'exit', price: 120, amount, ...given });
    rig.state.trades[0].orders.push(
      exit(2, 10, { state: 'expired' }),
      exit(3, 5),
      exit(4, 6),
      exit(5, 5.001),
      exit(6, 9, { state: 'cancelled' }),
      anOrder({ id: 'fl-bot1-7', price: 80, amount: 50 }),
    );
    rig.report(4, 'open', [fill('b', 1, 120)]);
    expect(rig.state.trades[0].orders.filter(({ isCancelWanted }) => isCancelWanted)).toEqual([]);
    rig.report(2, 'expired', [fill('c', 4, 120)]);
    expect(rig.state.trades[0]).toMatchObject({ amount: 5 });
    expect(rig.state.trades[0].orders.filter(({ isCancelWanted }) => isCancelWanted).map(({ id }) => id)).toEqual(['fl-bot1-5']);
  });
  test('a fill of an entry cancels no exit', () => {
    const rig = new LiveRig();
    rig.report(1, 'open', [fill('a', 4)]);
    rig.state.trades[0].orders.push(anOrder({ id: 'fl-bot1-2', purpose: 'exit', price: 120, amount: 9 }));
    rig.report(1, 'open', [fill('b', 1)], 5);
    expect(rig.order(2).isCancelWanted).toBe(false);
  });
  test('a fill after the end of a trade corrects its profit and raises an alarm', () => {
    const rig = new LiveRig();
    rig.report(1, 'cancelled', [fill('a', 6)]);
    rig.tick(62, 80);
    rig.report(2, 'filled', [fill('b', 6, 80)]);
    expect(rig.closed()).toHaveLength(1);
    const [{ profit }] = rig.closed();
    rig.state = JSON.parse(JSON.stringify(rig.state)) as BotState; // a restart between
    const effects = rig.report(2, 'filled', [fill('c', 1, 80)], 7);
    expect(rig.alarms()).toEqual(['late-fill']);
    const corrected = effects.flatMap((effect) => (effect.kind === 'trade-corrected' ? [effect] : []));
    // One more was sold at 80 that had cost 100.
    expect(corrected[0]?.fill).toEqual(fill('c', 1, 80));
    expect(corrected[0]?.profitChange).toBeCloseTo(80 - 100 - 0.08 - 0.1, 8);
    expect(rig.state.closedProfit).toBeCloseTo((profit ?? 0) - 20.18, 8);
    expect(rig.report(2, 'filled', [fill('c', 1, 80)], 7)).toEqual([]);
    expect(rig.state.closedProfit).toBeCloseTo((profit ?? 0) - 20.18, 8);
  });
  test('a fill of a trade that was given up takes the trade up again', () => {
    const rig = new LiveRig({ unfilledTimeout: { entryMs: 60_000 } });
    rig.report(1, 'open');
    rig.report(1, 'cancelled');
    expect(rig.state.trades).toEqual([]);
    rig.report(1, 'cancelled', [fill('a', 2)]);
    expect(rig.state.trades).toMatchObject([{ id: 1, amount: 2, isOpen: true }]);
    expect(rig.alarms()).toEqual(['late-fill']);
    rig.tick(62, 80);
    expect(rig.order(2)).toMatchObject({ purpose: 'exit', amount: 2 });
  });
  test('a fill of an order nobody knows, and an order of another amount, raise an alarm', () => {
    const rig = new LiveRig();
    rig.report(77, 'filled', [fill('a', 1)]);
    rig.take({
      kind: 'order-update',
      time: start + 2 * hour,
      orderId: 'fl-bot1-1',
      report: { state: 'open', requested: 11, filled: 0, fills: [] },
    });
    expect(rig.alarms()).toEqual(['fill-of-unknown-order', 'amount-differs']);
  });
  test('a signal that has led to a fill leads to no other entry, although its lock is over before the next signal comes', () => {
    const rig = new LiveRig({ ...market });
    rig.report(1, 'filled', [fill('a', 10.001)]);
    rig.tick(62, 80);
    rig.report(2, 'filled', [fill('b', 10.001, 80)]);
    rig.state = JSON.parse(JSON.stringify(rig.state)) as BotState;
    rig.tick(122, 100);
    expect(rig.state.trades).toEqual([]);
    rig.candle(2, enter);
    rig.tick(123, 100);
    expect(rig.state.trades).toHaveLength(1);
  });
});

describe('fees', () => {
  test('a fee in base currency leaves less to sell, floored to the step, and is paid for once', () => {
    const rig = new LiveRig();
    rig.report(1, 'filled', [fill('a', 10.001, 100, { fee: 0.010001, feeCurrency: 'BTC' })]);
    expect(rig.order(1)).toMatchObject({ filled: 10.001, baseFee: 0.010001 });
    expect(rig.state.trades[0]).toMatchObject({ amount: 9.99, openRate: 100 });
    rig.tick(62, 80);
    expect(rig.order(2)).toMatchObject({ amount: 9.99 });
    rig.report(2, 'filled', [fill('b', 9.99, 80)]);
    // What was paid, 1000.1, for 9.990999; of that 9.99 are sold.
    const cost = (1000.1 / 9.990999) * 9.99;
    expect(rig.closed()[0].profit).toBeCloseTo(9.99 * 80 - 9.99 * 80 * 0.001 - cost, 7);
  });
  test('a fee in a third currency is kept as it was stated and counts at its value', () => {
    const rig = new LiveRig();
    rig.report(1, 'filled', [fill('a', 10, 100, { fee: 0.00125, feeCurrency: 'BNB', feeInQuote: 0.75 })]);
    expect(rig.order(1).fills).toMatchObject([{ fee: 0.00125, feeCurrency: 'BNB', feeInQuote: 0.75 }]);
    expect(rig.order(1).feeRatio).toBe(0.00075);
    expect(rig.state.trades[0]).toMatchObject({ amount: 10, feeOpen: 0.00075 });
  });
  test('while the value of a third currency is not known the usual fee is assumed', () => {
    const rig = new LiveRig();
    rig.report(1, 'filled', [fill('a', 10, 100, { fee: 0.00125, feeCurrency: 'BNB', feeInQuote: null })]);
    expect(rig.order(1).feeRatio).toBeNull();
    expect(rig.state.trades[0]).toMatchObject({ amount: 10, feeOpen: 0.001 });
  });
});

/** An order's fills: how many steps of 0.001 each, at which price, in which currency the fee. */
const pieces = fc.array(
  fc.record({
    steps: fc.integer({ min: 1, max: 4000 }),
    cents: fc.integer({ min: 9000, max: 11_000 }),
    currency: fc.constantFrom('USDT', 'USDT', 'BTC', 'BNB'),
    ratio: fc.constantFrom(0.001, 0.00075, 0),
  }),
  { minLength: 1, maxLength: 6 },
);
type Piece = { steps: number; cents: number; currency: string; ratio: number };

function fillsOf(of: readonly Piece[], name: string, hasBaseFees: boolean): Fill[] {
  return of.map(({ steps, cents, currency, ratio }, i) => {
    const [amount, price] = [steps / 1000, cents / 100];
    const feeCurrency = currency === 'BTC' && !hasBaseFees ? 'USDT' : currency;
    const fee = Number((amount * ratio * (feeCurrency === 'USDT' ? price : 1)).toFixed(8));
    const more = { fee, feeCurrency, ...(feeCurrency === 'BNB' ? { feeInQuote: Number((fee * 600).toFixed(8)) } : {}) };
    return fill(`${name}${i}`, amount, price, { ...more, time: start + 61 * 60_000 + i });
  });
}

/** What counts of a bot: what it holds, what it has won, what each order has filled. */
function standing({ state }: LiveRig) {
  const trades = [...state.trades, ...state.formerTrades].sort((a, b) => a.id - b.id);
  return {
    closedProfit: state.closedProfit,
    trades: trades.map(({ isOpen, amount, stake, openRate, openValue, feeOpen, realizedProfit, profit, closeRate, stop, orders }) => ({
      isOpen,
      amount,
      stake,
      openRate,
      openValue,
      feeOpen,
      realizedProfit,
      profit,
      closeRate,
      stop,
      orders: orders.map(({ state: status, filled, fillPrice, feeRatio, baseFee }) => ({ status, filled, fillPrice, feeRatio, baseFee })),
    })),
  };
}

const total = (fills: readonly Fill[]): number => Number(fills.reduce((sum, { amount }) => sum + amount, 0).toFixed(3));

test('OP-85 duplicated, reordered and overlapping reports give the same position and profit as each fill once', () => {
  let closed = 0;
  fc.assert(
    fc.property(pieces, pieces, fc.infiniteStream(fc.nat()), (entryPieces, exitPieces, choices) => {
      const next = (below: number): number => (choices.next().value as number) % below;
      const run = (isDisturbed: boolean): LiveRig => {
        const rig = new LiveRig({ stakeAmount: 9000, startingBalance: 100_000 });
        const deliver = (n: number, fills: readonly Fill[], end: OrderState): void => {
          const filled = total(fills);
          if (!isDisturbed) {
            rig.report(n, end, fills, filled);
            return;
          }
          const waiting = [...fills];
          while (waiting.length > 0) {
            const [one] = waiting.splice(next(waiting.length), 1);
            const again = fills.filter((each) => !waiting.includes(each) && next(3) === 0);
            const state = waiting.length === 0 ? end : (['sent', 'open', 'cancel-pending', 'unknown', end] as const)[next(5)];
            const reported = next(2) === 0 ? filled : total(fills.filter((each) => !waiting.includes(each)));
            rig.report(
              n,
              state,
              [...again, ...(one === undefined ? [] : [one])].sort(() => next(3) - 1),
              reported,
            );
          }
          rig.report(n, end, next(2) === 0 ? fills : [], filled);
          if (next(2) === 0) rig.state = JSON.parse(JSON.stringify(rig.state)) as BotState;
        };
        deliver(1, fillsOf(entryPieces, 'e', true), 'cancelled');
        rig.tick(62, 50);
        if (rig.state.trades[0].orders.length === 1) return rig; // all of it went as a fee
        const held = rig.order(2).amount;
        const exits = fillsOf(exitPieces, 'x', false);
        const sold: Fill[] = [];
        for (const each of exits) if (total([...sold, each]) < held) sold.push(each);
        const rest = Number((held - total(sold)).toFixed(3));
        deliver(2, [...sold, fill('rest', rest, 60, { time: start + 63 * 60_000 })], 'filled');
        return rig;
      };
      const once = run(false);
      const disturbed = run(true);
      expect(standing(disturbed)).toEqual(standing(once));
      expect(disturbed.alarms()).toEqual([]);
      closed += once.closed().length;
    }),
    { numRuns: 500 },
  );
  expect(closed).toBeGreaterThan(400);
});

describe('OP-85 what a report leaves behind', () => {
  const cancelReasons = (rig: LiveRig) => rig.effects.flatMap((effect) => (effect.kind === 'order-cancelled' ? [effect.reason] : []));
  const alarmsOf = (rig: LiveRig) => rig.effects.filter(({ kind }) => kind === 'alarm');

  test.each([
    ['cancelled', 'by-exchange'],
    ['expired', 'expired'],
    ['refused', 'refused'],
  ] as const)('an order that is %s ends for the reason %s', (state, reason) => {
    const rig = new LiveRig();
    rig.report(1, 'sent');
    if (state !== 'refused') rig.report(1, 'open');
    rig.report(1, state);
    expect(cancelReasons(rig)).toEqual([reason]);
  });

  test('a refused entry of a short is not tried again before the next candle', () => {
    const rig = new Rig({ ...market, marketType: 'futures', canShort: true });
    Object.assign(rig.context, { execution: 'exchange' });
    rig.candle(1, { enterShort: true });
    rig.tick(60, 100);
    const [order] = rig.state.trades[0]?.orders ?? [];
    if (order === undefined) throw new Error('no order was made');
    const report = { state: 'refused', requested: order.amount, filled: 0, fills: [] } as const;
    rig.take({ kind: 'order-update', time: start + 61 * 60_000, orderId: order.id, report });
    rig.tick(62, 100);
    expect(rig.kinds().filter((kind) => kind === 'order-created')).toHaveLength(1);
    expect(rig.state.locks).toEqual([{ symbol, side: 'short', endTime: start + 2 * hour, reason: 'entry refused' }]);
  });

  test('a refused entry locks its pair in its direction until the next candle', () => {
    const rig = new LiveRig();
    rig.report(1, 'sent');
    rig.report(1, 'refused');
    expect(rig.state.locks).toEqual([{ symbol, side: 'long', endTime: start + 2 * hour, reason: 'entry refused' }]);
    expect(rig.state.exitRetryTimes).toEqual({});
  });

  test('an exit that has ended with nothing filled rests, one with a part of it does not, nor an entry that was not refused', () => {
    const rig = new LiveRig();
    rig.report(1, 'filled', [fill('a', 10.001)]);
    rig.tick(62, 80);
    rig.report(2, 'expired');
    expect(Object.keys(rig.state.exitRetryTimes)).toHaveLength(1);
    const part = new LiveRig();
    part.report(1, 'filled', [fill('a', 10.001)]);
    part.tick(62, 80);
    part.report(2, 'expired', [fill('b', 1)]);
    expect(part.state.exitRetryTimes).toEqual({});
    // One that never came to the exchange is made again with the next price.
    const lost = new LiveRig();
    lost.report(1, 'filled', [fill('a', 10.001)]);
    lost.tick(62, 80);
    for (const state of ['sent', 'unknown', 'cancelled'] as const) lost.report(2, state);
    expect(lost.state.exitRetryTimes).toEqual({});
    lost.tick(62.01, 80);
    expect(lost.order(3)).toMatchObject({ purpose: 'exit', state: 'planned' });
    const other = new LiveRig();
    other.report(1, 'cancelled');
    expect(other.state.locks).toEqual([]);
  });

  test('the wish to cancel an order stays until it has ended, or the exchange would not', () => {
    const rig = new LiveRig({ unfilledTimeout: { entryMs: 60_000 } });
    rig.tick(62, 100);
    for (const state of ['sent', 'open', 'cancel-pending'] as const) {
      rig.report(1, state);
      expect(rig.order(1), state).toMatchObject({ state, isCancelWanted: true });
    }
    rig.report(1, 'open');
    expect(rig.order(1).isCancelWanted).toBe(false);
  });

  test('one fill of everything ends the order, whatever its state', () => {
    const rig = new LiveRig();
    rig.report(1, 'open', [fill('a', 10.001)]);
    expect(rig.order(1).state).toBe('filled');
    const other = new LiveRig();
    other.report(1, 'open', [fill('a', 1), fill('b', 1), fill('c', 8.001)]);
    expect(other.order(1).state).toBe('filled');
  });

  test('a late fill takes a trade up again beside the trades of other pairs, and leaves the other former ones', () => {
    const rig = new LiveRig();
    rig.report(1, 'cancelled');
    const other = aTrade({ id: 50, symbol: 'ETH/USDT', amount: 1 });
    const former = aTrade({ id: 51, symbol: 'ETH/USDT', isOpen: false, closeTime: start });
    rig.state.trades.push(other);
    rig.state.formerTrades.push(former);
    rig.report(1, 'cancelled', [fill('a', 2)]);
    expect(rig.state.trades.map(({ id }) => id)).toEqual([50, 1]);
    expect(rig.state.formerTrades.map(({ id }) => id)).toEqual([51]);
  });

  test('a refused exit locks nothing', () => {
    const rig = new LiveRig();
    rig.report(1, 'filled', [fill('a', 10.001)]);
    rig.tick(62, 80);
    rig.report(2, 'refused');
    expect(rig.state.locks).toEqual([]);
    expect(Object.keys(rig.state.exitRetryTimes)).toEqual(['1']);
  });

  test('an order nobody knows raises an alarm when anything of it is filled, and else none', () => {
    const rig = new LiveRig();
    rig.report(77, 'open', [], 0);
    expect(alarmsOf(rig)).toEqual([]);
    rig.report(77, 'open', [], 0.5);
    expect(alarmsOf(rig)).toMatchObject([{ symbol: null, tradeId: null, orderId: 'fl-bot1-77', reason: 'fill-of-unknown-order' }]);
  });

  test('an alarm names the trade, the symbol and the order', () => {
    const rig = new LiveRig();
    rig.report(1, 'cancelled');
    rig.report(1, 'cancelled', [fill('a', 1)]);
    expect(alarmsOf(rig)).toMatchObject([{ symbol, tradeId: 1, orderId: 'fl-bot1-1', reason: 'late-fill' }]);
  });

  test('noise in the last digit of what is reported as filled is not waited for', () => {
    const rig = new LiveRig();
    rig.report(1, 'cancelled', [fill('a', 0.1), fill('b', 0.2)], 0.1 + 0.2);
    expect(rig.order(1)).toMatchObject({ filled: 0.3, reported: 0.3, state: 'cancelled' });
    rig.tick(62, 80);
    expect(rig.order(2)).toMatchObject({ purpose: 'exit', amount: 0.3 });
  });

  test('what is reported as filled never becomes less', () => {
    const rig = new LiveRig();
    rig.report(1, 'open', [], 4);
    rig.report(1, 'open', [], 3);
    expect(rig.order(1).reported).toBe(4);
  });

  test('the end of an order ends the wish to cancel it', () => {
    const rig = new LiveRig({ unfilledTimeout: { entryMs: 60_000 } });
    rig.report(1, 'open', [fill('a', 4)]);
    rig.tick(62, 100);
    expect(rig.order(1).isCancelWanted).toBe(true);
    rig.report(1, 'filled', [fill('b', 6.001)]);
    expect(rig.order(1)).toMatchObject({ state: 'filled', isCancelWanted: false });
  });

  test('a fill twice in one report counts once', () => {
    const rig = new LiveRig();
    rig.report(1, 'open', [fill('a', 4), fill('a', 4)], 4);
    expect(rig.state.trades[0]).toMatchObject({ amount: 4 });
  });

  test('a late fill of a trade that was given up does not stand beside another trade of the pair: it corrects the former', () => {
    const rig = new LiveRig({ unfilledTimeout: { entryMs: 60_000 } });
    rig.report(1, 'open');
    rig.report(1, 'cancelled');
    rig.candle(2, enter);
    rig.tick(120, 100);
    expect(rig.state.trades.map(({ id }) => id)).toEqual([2]);
    const effects = rig.report(1, 'cancelled', [fill('a', 2)]);
    expect(rig.state.trades.map(({ id }) => id)).toEqual([2]);
    // What it has bought belongs to no trade, and its fee is paid.
    expect(effects.flatMap((effect) => (effect.kind === 'trade-corrected' ? [[effect.trade.id, effect.profitChange]] : []))).toEqual([
      [1, -0.2],
    ]);
    expect(rig.state.closedProfit).toBe(-0.2);
    expect(rig.alarms()).toEqual(['late-fill']);
  });

  /** A trade that was given up beside another one of its pair, and what of its entry is filled late. */
  const givenUp = (settings: Partial<SettingsInput>, fills: readonly Fill[], signal: Partial<SignalRow> = enter) => {
    const rig = new LiveRig({ unfilledTimeout: { entryMs: 60_000 }, ...settings }, {}, signal);
    rig.report(1, 'open');
    rig.report(1, 'cancelled');
    rig.candle(2, signal);
    rig.tick(120, 100);
    for (const each of fills) rig.report(1, 'cancelled', [each]);
    return rig;
  };

  test.each([
    ['a long', {}, enter],
    ['a short', { marketType: 'futures', canShort: true }, { enterShort: true }],
  ] as const)('the late fills of an entry of %s that was given up have cost their fees, each once', (_name, settings, signal) => {
    const rig = givenUp(settings, [fill('a', 2), fill('b', 1, 110), fill('a', 2)], signal);
    const [former] = rig.state.formerTrades;
    expect(former).toMatchObject({ id: 1, isOpen: false, profit: -0.31 });
    expect(rig.state.closedProfit).toBeCloseTo(-0.31, 10);
    const cost = signal === enter ? 310.31 : 309.69;
    expect(former.profitRatio).toBeCloseTo(-0.31 / cost, 10);
  });

  test('a late fill of an entry whose fee has no value yet has cost what is usual', () => {
    const rig = givenUp({}, [fill('a', 2, 100, { feeInQuote: null })]);
    expect(rig.state.formerTrades[0].profit).toBeCloseTo(-200 * rig.state.formerTrades[0].feeClose, 8);
    expect(rig.state.formerTrades[0].feeClose).toBeGreaterThan(0);
  });

  test('what a late fill has bought, and another late fill has sold, is a trade like any other: each fee counts once', () => {
    const [late, onTime] = [true, false].map((isLate) => {
      const rig = new LiveRig();
      const more = [fill('b', 4)];
      rig.report(1, isLate ? 'cancelled' : 'filled', [fill('a', 6), ...(isLate ? [] : more)]);
      rig.tick(62, 80);
      rig.report(2, 'filled', [fill('c', 6, 80)]);
      rig.state = JSON.parse(JSON.stringify(rig.state)) as BotState; // a restart between
      if (isLate) rig.report(1, 'cancelled', more);
      rig.report(2, 'filled', [fill('d', 4, 80)]);
      return [...rig.state.formerTrades, ...rig.state.trades].map(({ profit }) => profit);
    });
    expect(late).toEqual(onTime);
    expect(late[0]).toBeCloseTo(-200 - 1.8, 8);
  });

  test('a trade that is taken up again is not a former trade any more, and is open as before', () => {
    const rig = new LiveRig();
    rig.report(1, 'open');
    rig.report(1, 'cancelled');
    expect(rig.state.formerTrades.map(({ id, closeTime }) => [id, closeTime !== null])).toEqual([[1, true]]);
    rig.report(1, 'cancelled', [fill('a', 2)]);
    expect(rig.state.formerTrades).toEqual([]);
    expect(rig.state.trades).toMatchObject([{ id: 1, isOpen: true, closeTime: null }]);
  });

  test('a late fill of one former trade leaves the others, and their profits, as they were', () => {
    const rig = new LiveRig({
      ...market,
      protections: [{ kind: 'stoploss-guard', tradeLimit: 9, lookbackMinutes: 600, stopMinutes: 1 }],
    });
    rig.report(1, 'filled', [fill('a', 6)]);
    rig.tick(62, 80);
    rig.report(2, 'filled', [fill('b', 6, 80)]);
    rig.candle(2, enter);
    rig.tick(121, 100);
    rig.report(3, 'filled', [fill('c', 6)]);
    rig.tick(122, 80);
    rig.report(4, 'filled', [fill('d', 6, 80)]);
    const [first, second] = structuredClone(rig.state.recentTrades);
    expect([first?.id, second?.id]).toEqual([1, 2]);
    rig.report(4, 'filled', [fill('e', 1, 80)], 7);
    expect(rig.state.recentTrades[0]).toEqual(first);
    expect(rig.state.recentTrades[1]?.profit).toBeCloseTo((second?.profit ?? 0) - 20.18, 8);
    expect(rig.state.formerTrades.map(({ id }) => id)).toEqual([1, 2]);
  });

  test('a late fill of an entry corrects the profit by what it has cost; the trade stays closed at the price of its exit', () => {
    const rig = new LiveRig();
    rig.report(1, 'cancelled', [fill('a', 6)]);
    rig.tick(62, 80);
    rig.report(2, 'filled', [fill('b', 6, 80)]);
    const [{ profit, closeTime }] = rig.closed();
    // What ended without a fill says nothing of the price at which it was left.
    rig.state.formerTrades[0].orders.push(
      anOrder({ id: 'y', purpose: 'exit', state: 'cancelled' }),
      anOrder({ id: 'w', state: 'cancelled' }),
    );
    rig.report(1, 'cancelled', [fill('c', 2, 130)]);
    const [former] = rig.state.formerTrades;
    // The average of what was sold is now (600 + 260) / 8.
    expect(former).toMatchObject({ isOpen: false, amount: 2, closeRate: 80, closeTime });
    // And nobody sells the two that are left: what they have cost in fees is paid all the same.
    expect((former.profit ?? 0) - (profit ?? 0)).toBeCloseTo(-(107.5 - 100) * 6 * 1.001 - 107.5 * 2 * 0.001, 6);
    expect(rig.state.trades).toEqual([]);
  });

  test('a late fill of an exit corrects the trade that protections count', () => {
    const rig = new LiveRig({ protections: [{ kind: 'stoploss-guard', tradeLimit: 9, lookbackMinutes: 600, stopMinutes: 1 }] });
    rig.report(1, 'cancelled', [fill('a', 6)]);
    rig.tick(62, 80);
    rig.report(2, 'filled', [fill('b', 6, 80)]);
    const before = rig.state.recentTrades[0]?.profit ?? 0;
    const { closeTime } = rig.closed()[0];
    rig.report(2, 'filled', [fill('c', 1, 80)], 7);
    expect(rig.state.recentTrades).toHaveLength(1);
    expect(rig.state.recentTrades[0]).toMatchObject({ closeRate: 80, closeTime });
    expect(rig.state.recentTrades[0]?.profit).toBeCloseTo(before - 20.18, 8);
  });
});

describe('OP-84 funding at an exchange', () => {
  const time = start + 8 * hour;
  const payment = { kind: 'funding', time, symbol, rate: 0.001, mark: 100 } as const;

  /** A bot that holds 10 of a perpetual, and has an exit for all of it. */
  const leaving = (settings: Partial<SettingsInput> = {}) => {
    const rig = new LiveRig({ marketType: 'futures', leverage: 2, ...settings });
    const { amount } = rig.order(1);
    rig.report(1, 'filled', [fill('a', amount)]);
    rig.tick(62, 80);
    const exit = rig.state.trades[0]?.orders.findIndex(({ purpose, type }) => purpose === 'exit' && type !== 'stop') ?? -1;
    expect(exit).toBeGreaterThan(0);
    return { rig, exit: exit + 1, amount };
  };

  test.each([
    ['before it', -1, 0],
    ['at its moment', 0, 1],
    ['after it', 1, 1],
  ])('is the same in whatever sequence a payment and an exit %s become known', (_, later, share) => {
    const profits = [true, false].map((isPaidFirst) => {
      const { rig, exit, amount } = leaving();
      const part = fill('b', 4, 80, { time: time - 5 });
      if (isPaidFirst) rig.take(payment);
      rig.report(exit, 'open', [part]);
      if (!isPaidFirst) rig.take(payment);
      rig.report(exit, 'filled', [part, fill('c', Number((amount - 4).toFixed(3)), 80, { time: time + later })]);
      const [trade] = rig.closed();
      expect(trade.fundingFees).toBeCloseTo(-0.1 * (amount - 4) * share, 10);
      return trade.profit;
    });
    expect(profits[0]).toBeCloseTo(profits[1] ?? Number.NaN, 10);
  });

  test('leaves out what a trade had left by then, also when that is reported after its end', () => {
    const { rig, exit, amount } = leaving();
    rig.take(payment);
    rig.report(exit, 'cancelled', [fill('b', amount / 2, 80, { time: time - 5 })]);
    rig.tick(63, 80);
    const [trade] = rig.state.trades;
    expect(trade?.fundingFees).toBeCloseTo(-0.05 * amount, 10);
    const again = trade?.orders.length ?? 0;
    rig.report(again, 'filled', [fill('c', amount / 2, 80, { time: time + 5 })]);
    const before = rig.closed()[0].profit ?? 0;
    // A fill of the exit that was cancelled, from before the payment: nothing was left to pay for.
    rig.report(exit, 'cancelled', [fill('b', amount / 2, 80, { time: time - 5 }), fill('d', amount / 2, 80, { time: time - 4 })]);
    const [former] = rig.state.formerTrades;
    expect(former?.fundingFees).toBeCloseTo(0, 10);
    expect(former?.profit).not.toBe(before);
  });

  const sold = (id: string, amount: number, later: number) => fill(id, Number(amount.toFixed(3)), 80, { time: time + later });

  test.each([
    ['in one fill', (amount: number) => [sold('b', amount, 1)]],
    ['in two fills around it', (amount: number) => [sold('b', 4, -5), sold('c', amount - 4, 1)]],
    ['in two fills after it', (amount: number) => [sold('b', 4, 0), sold('c', amount - 4, 1)]],
  ])('that is published after the end of a trade that was left %s corrects it to what it would have been, once', (_, parts) => {
    const ends = [true, false].map((isOnTime) => {
      const protections = [{ kind: 'stoploss-guard', tradeLimit: 9, lookbackMinutes: 600, stopMinutes: 1 } as const];
      const { rig, exit, amount } = leaving({ protections });
      if (isOnTime) rig.take(payment);
      rig.report(exit, 'filled', parts(amount));
      const [closed] = rig.closed();
      if (!isOnTime) {
        const before = structuredClone(closed);
        rig.state = JSON.parse(JSON.stringify(rig.state)) as BotState; // a restart between
        const { closedProfit } = rig.state;
        const effects = rig.take(payment);
        expect(effects).toMatchObject([{ kind: 'trade-corrected', time, fill: null, trade: { id: 1, isOpen: false } }]);
        const [{ trade, profitChange }] = effects as Extract<BotEffect, { kind: 'trade-corrected' }>[];
        expect(profitChange).toBeLessThan(-0.5);
        expect(trade.fundingFees).toBeCloseTo(profitChange, 8);
        expect(rig.state.closedProfit).toBeCloseTo(closedProfit + profitChange, 8);
        expect(trade.profit).toBeCloseTo((before?.profit ?? 0) + profitChange, 8);
        const { profit, profitRatio, realizedProfit, fundingFees, fundedUntil, payments, orders } = trade;
        expect(trade).toEqual({ ...before, profit, profitRatio, realizedProfit, fundingFees, fundedUntil, payments, orders });
        expect(rig.take(payment)).toEqual([]);
        rig.state = JSON.parse(JSON.stringify(rig.state)) as BotState;
        expect(rig.take(payment)).toEqual([]);
        expect(rig.alarms()).toEqual([]);
      }
      const { closedProfit, recentTrades, formerTrades } = rig.state;
      // But for noise in last digits: what is counted on time is added and taken away again when fills become known after it.
      const rounded = (_: string, value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(13)) : value);
      return JSON.parse(JSON.stringify({ closedProfit, recentTrades, formerTrades }), rounded) as unknown;
    });
    expect(ends[1]).toEqual(ends[0]);
  });

  test('is not that of another trade, and of none after its end', () => {
    const { rig, exit, amount } = leaving();
    rig.report(exit, 'filled', [sold('b', amount, 1)]);
    const { closedProfit } = rig.state;
    expect(rig.take({ ...payment, symbol: 'ETH/USDT:USDT' })).toEqual([]);
    expect(rig.take({ ...payment, time: time + 2 })).toEqual([]);
    for (const marketType of ['spot', 'margin'] as const) {
      rig.state.formerTrades = rig.state.formerTrades.map((trade) => ({ ...trade, marketType }));
      expect(rig.take(payment)).toEqual([]);
    }
    expect(rig.state.closedProfit).toBe(closedProfit);
  });

  test('is corrected by a fill of before it that becomes known even later', () => {
    const { rig, exit, amount } = leaving();
    rig.report(exit, 'cancelled', [sold('b', 4, 1)]);
    rig.tick(63, 80);
    const again = rig.state.trades[0]?.orders.length ?? 0;
    rig.report(again, 'filled', [sold('c', amount - 4, 5)]);
    rig.take(payment);
    expect(rig.state.formerTrades[0]?.fundingFees).toBeCloseTo(-0.1 * amount, 10);
    const { profit } = rig.state.formerTrades[0] ?? aTrade();
    rig.report(exit, 'cancelled', [sold('d', 3, -4)]);
    const [former = aTrade()] = rig.state.formerTrades;
    expect(former.fundingFees).toBeCloseTo(-0.1 * (amount - 3), 10);
    expect((former.profit ?? 0) - (profit ?? 0)).toBeCloseTo(3 * (80 - 100 - 0.08 - 0.1) + 0.3, 8);
  });

  test.each([
    ['has entered late', 2],
    ['has not', 0],
  ])('changes the profit of a trade that %s by the payment alone', (_, late) => {
    const { rig, exit, amount } = leaving();
    rig.report(exit, 'filled', [sold('b', amount, 1)]);
    if (late > 0) rig.report(1, 'filled', [fill('c', late)]);
    const [{ profit }] = rig.state.formerTrades;
    rig.state = JSON.parse(JSON.stringify(rig.state)) as BotState; // a restart between
    rig.take(payment);
    expect(rig.state.formerTrades[0].profit).toBeCloseTo((profit ?? 0) - 0.1 * (amount + late), 8);
  });

  test('leaves what is left of a trade that closed with a rest as it was', () => {
    const { rig, exit, amount } = leaving();
    rig.report(exit, 'filled', [sold('b', amount, 1)]);
    // As after the end of a trade whose rest was too small to sell: its fills leave 4.
    const [former = aTrade()] = rig.state.formerTrades;
    former.orders.forEach((order) => {
      const of = order.fills.find(({ id }) => id === 'b');
      if (of === undefined) return;
      Object.assign(of, { amount: of.amount - 4 });
      order.filled = of.amount;
    });
    const held = { amount: former.amount, stake: former.stake, openRate: 99, openValue: 990, closeRate: 81 };
    Object.assign(former, held);
    rig.take(payment);
    expect(rig.state.formerTrades[0]).toMatchObject(held);
    expect(rig.state.formerTrades[0]?.fundingFees).toBeCloseTo(-0.1 * amount, 10);
  });
});
