import { describe, expect, test } from 'vitest';
import type { OrderState } from '../account/order-life.ts';
import type { Trade } from '../account/trade.ts';
import { openStop } from '../account/trade.ts';
import type { Instrument } from '../market/instrument.ts';
import type { SettingsInput } from '../settings/normalise-settings.ts';
import type { PositionChange, StrategyCallbacks } from '../strategy/callbacks.ts';
import { advance } from './advance.ts';
import { enter, market, Rig, start, viewAt } from './testing/rig.ts';

type Question = Parameters<NonNullable<StrategyCallbacks['adjustPosition']>>[0];
const minute = 60_000;

/** A bot that holds 10 at 100 of a capital of 10,000, whose strategy answers what the test says. */
class AdjustRig extends Rig {
  readonly asked: Question[] = [];
  answer: number | PositionChange | null = null;
  constructor(settings: Partial<SettingsInput> = {}, callbacks: StrategyCallbacks = {}, given: Partial<Instrument> = {}) {
    super({ ...market, fee: 0, positionAdjustment: true, ...settings }, callbacks, given);
    this.context.callbacks.adjustPosition = (question) => {
      this.asked.push(structuredClone(question));
      return this.answer;
    };
    this.candle(1, enter);
    this.tick(60, 100, { bid: 100, ask: 100 });
  }
  get held(): Trade {
    const [trade] = this.state.trades;
    if (trade === undefined) throw new Error('no trade is open');
    return trade;
  }
  /** Prices at which both sides trade, some seconds after the trade was opened. */
  at(seconds: number, price: number): void {
    this.tick(60 + seconds / 60, price, { bid: price, ask: price });
  }
  orders(action: 'add' | 'take-out') {
    return this.held.orders.filter((order) => order.action === action);
  }
}

describe('a part that is larger than the exchange takes in one order', () => {
  /** A bot whose strategy has asked to leave 7 of 10 where an order may be for 3. */
  function leaving(): AdjustRig {
    const rig = new AdjustRig();
    rig.context.instruments = new Map([...rig.context.instruments].map(([name, each]) => [name, { ...each, maxMarketAmount: 3 }]));
    rig.context.execution = 'exchange';
    rig.answer = -700;
    rig.at(1, 100);
    rig.answer = null;
    expect(rig.orders('take-out')).toMatchObject([{ amount: 2.333, type: 'market', state: 'planned' }]);
    return rig;
  }
  function end(rig: AdjustRig, state: OrderState, share: number, seconds = 1, action: 'take-out' | 'add' = 'take-out'): void {
    const order = rig.orders(action).at(-1);
    const [amount, time] = [(order?.amount ?? 0) * share, start + 60 * minute + seconds * 1_000];
    const paid = { fee: 0, feeCurrency: 'USDT', feeInQuote: 0, liquidity: 'taker' as const };
    const fills = amount === 0 ? [] : [{ id: `fill of ${order?.id}`, price: 100, amount, time, ...paid }];
    rig.take({
      kind: 'order-update',
      time,
      orderId: order?.id ?? '',
      report: { state, requested: order?.amount ?? 0, filled: amount, fills },
    });
  }

  test('is left one order after the other, and the strategy is not asked in between', () => {
    const rig = leaving();
    const asked = rig.asked.length;
    for (const [seconds, amounts] of [
      [20, [2.333, 2.333]],
      [40, [2.333, 2.333, 2.334]],
      [60, [2.333, 2.333, 2.334]],
    ] as const) {
      rig.at(seconds - 1, 100); // the order is on its way
      end(rig, 'filled', 1, seconds - 1);
      if (seconds < 60) expect(rig.asked).toHaveLength(asked);
      rig.at(seconds, 100);
      expect(rig.orders('take-out').map(({ amount }) => amount)).toEqual([...amounts]);
    }
    expect([rig.held.amount, rig.state.partsToLeave]).toEqual([3, {}]);
    expect(rig.asked.length).toBeGreaterThan(asked);
  });

  test.each([
    ['cancelled', 0],
    ['refused', 0],
    ['cancelled', 0.4],
  ] as const)('is forgotten where the first of them was %s, filled by %d', (state, share) => {
    const rig = leaving();
    end(rig, state, share);
    for (let seconds = 2; seconds < 60; seconds++) rig.at(seconds, 100);
    expect([rig.orders('take-out').length, rig.state.partsToLeave]).toEqual([1, {}]);
  });

  test('is forgotten where all of the trade is left meanwhile', () => {
    const rig = leaving();
    end(rig, 'filled', 1);
    rig.at(2, 80); // the stop
    const exit = rig.held.orders.at(-1);
    expect(exit).toMatchObject({ action: 'exit-rest', amount: 2.555 });
    // It is filled before the next price, and there is no reason to leave any more.
    const paid = { fee: 0, feeCurrency: 'USDT', feeInQuote: 0, liquidity: 'taker' as const };
    const [id, time] = [exit?.id ?? '', start + 60 * minute + 2_100];
    const fills = [{ id: 'exit', price: 80, amount: 2.555, time, ...paid }];
    rig.take({ kind: 'order-update', time, orderId: id, report: { state: 'filled', requested: 2.555, filled: 2.555, fills } });
    rig.at(3, 95);
    expect([rig.orders('take-out').length, rig.state.partsToLeave]).toEqual([1, {}]);
    expect(rig.held.amount).toBe(5.112);
  });

  test('continues with the next price of a quiet pair, also where the next is as far away', () => {
    const rig = leaving();
    for (const seconds of [31, 61]) {
      end(rig, 'filled', 1, seconds - 30);
      rig.at(seconds, 100);
      rig.at(seconds + 1, 100); // the next order stands
    }
    end(rig, 'filled', 1, 63);
    expect([rig.orders('take-out').map(({ amount }) => amount), rig.held.amount]).toEqual([[2.333, 2.333, 2.334], 3]);
  });

  test('waits while something is added by hand, and continues after it', () => {
    const rig = leaving();
    end(rig, 'filled', 1);
    const time = start + 60 * minute + 1_500;
    rig.take({ kind: 'manual-asked', time, action: { id: 'wish', until: time + minute, kind: 'add', tradeId: rig.held.id, stake: 100 } });
    rig.at(2, 100);
    const asked = rig.asked.length;
    rig.at(3, 100);
    expect([rig.orders('take-out').length, rig.orders('add').length]).toEqual([1, 1]);
    end(rig, 'filled', 1, 4, 'add');
    rig.at(5, 100);
    expect(rig.orders('take-out').map(({ amount }) => amount)).toEqual([2.333, 2.333]);
    expect(rig.asked).toHaveLength(asked);
  });

  test('is forgotten where no price comes for a minute, and where the account turns out to hold less', () => {
    const late = leaving();
    end(late, 'filled', 1);
    late.at(62, 100);
    const lacking = leaving();
    end(lacking, 'filled', 1);
    lacking.state.missing = { 1: { amount: 1, waits: false } };
    lacking.at(2, 100);
    for (const rig of [late, lacking]) expect([rig.orders('take-out').length, rig.state.partsToLeave]).toEqual([1, {}]);
  });

  test('continues where its order was filled long ago by the clock of the exchange, and the bot knows of it only now', () => {
    const rig = leaving();
    for (let seconds = 2; seconds <= 40; seconds++) rig.at(seconds, 100);
    end(rig, 'filled', 1); // after a second
    rig.at(41, 100);
    expect(rig.orders('take-out').map(({ amount }) => amount)).toEqual([2.333, 2.333]);
  });

  test('is not begun where too little would stay for an order, as one order for it would not be made', () => {
    const rig = new AdjustRig();
    rig.context.instruments = new Map([...rig.context.instruments].map(([name, each]) => [name, { ...each, maxMarketAmount: 3 }]));
    rig.context.execution = 'exchange';
    rig.answer = -997;
    rig.at(1, 100);
    expect(rig.orders('take-out')).toEqual([]);
  });

  test('has its rest wait for the end of a stop that came in between', () => {
    const rig = leaving();
    rig.context.stopsAtExchange = true;
    end(rig, 'filled', 1);
    rig.state.partsToLeave = {};
    rig.at(2, 100);
    const stop = openStop(rig.held);
    expect(stop).toMatchObject({ amount: 7.667 });
    rig.state.partsToLeave = {
      1: { amount: 4, tag: 'x', until: start + (60 + 10 / 60) * minute, restOf: rig.orders('take-out')[0]?.id ?? '' },
    };
    rig.at(3, 100);
    expect([stop?.isCancelWanted, rig.state.partsToLeave[1]]).toEqual([
      true,
      { amount: 4, tag: 'x', until: start + (60 + 10 / 60) * minute },
    ]);
  });
});

test('a further entry that is larger than the exchange takes in one order is as large as that, however much the trade holds', () => {
  const rig = new AdjustRig();
  rig.context.instruments = new Map([...rig.context.instruments].map(([name, each]) => [name, { ...each, maxMarketAmount: 3 }]));
  rig.context.execution = 'exchange';
  rig.answer = 500;
  rig.at(1, 100);
  expect(rig.orders('add')).toMatchObject([{ amount: 3, type: 'market' }]);
});

test.each([-1_000, -5_000])(
  'all of a trade is left by an exit, and not part by part, also where it is larger than the exchange takes: %d',
  (answer) => {
    const rig = new AdjustRig();
    rig.context.instruments = new Map([...rig.context.instruments].map(([name, each]) => [name, { ...each, maxMarketAmount: 3 }]));
    rig.context.execution = 'exchange';
    rig.answer = answer;
    rig.at(1, 100);
    expect(rig.orders('take-out')).toEqual([]);
  },
);

describe('a strategy that adjusts its positions', () => {
  test('is asked with each trade, every five seconds at most, and with what it needs to answer', () => {
    const rig = new AdjustRig();
    for (let seconds = 1; seconds <= 11; seconds++) rig.at(seconds, 99);
    expect(rig.asked.map(({ time }) => (time - start) / 1000 - 3600)).toEqual([1, 6, 11]);
    expect(rig.asked[0]).toMatchObject({ price: 99, minStake: expect.any(Number), trade: { id: 1, amount: 10 } });
    expect(rig.asked[0]?.profitRatio).toBeCloseTo(-0.01);
    expect(rig.asked[0]?.maxStake).toBeCloseTo(9_000);
  });

  test('is not asked where the settings say no, nor while an order of the trade waits, nor for what its account does not hold', () => {
    const off = new AdjustRig({ positionAdjustment: false });
    off.at(1, 99);
    expect(off.asked).toEqual([]);
    const waiting = new AdjustRig({
      orderTypes: { entry: 'limit', exit: 'limit', stoploss: 'market' },
      entryPricing: { side: 'same', useOrderBook: false },
    });
    waiting.answer = 500;
    waiting.tick(60.5, 99.5); // fills the first entry, which waited at the bid
    const before = waiting.asked.length;
    waiting.tick(61, 99);
    waiting.tick(61.2, 99.2);
    expect(waiting.held.orders.some(({ action, state }) => action === 'add' && state === 'open')).toBe(true);
    expect(waiting.asked.length - before).toBeLessThanOrEqual(1);
    const lacking = new AdjustRig();
    lacking.take({ kind: 'account-differs', time: start + 60 * minute + 500, missing: { 1: { amount: 4, waits: false } } });
    lacking.at(1, 99);
    expect(lacking.asked).toEqual([]);
  });

  test('adds what it wants, with its reason: the average, the stake and the stop follow', () => {
    const rig = new AdjustRig();
    rig.answer = { stake: 900, tag: 'lower' };
    rig.at(1, 90.5);
    expect(rig.orders('add')).toMatchObject([{ purpose: 'entry', tag: 'lower', state: 'filled', follows: rig.held.orders[0]?.id }]);
    expect(rig.held.amount).toBeCloseTo(19.944, 2);
    expect(rig.held.stake).toBeCloseTo(1_900, 0);
    expect(rig.held.openRate).toBeCloseTo(95.26, 1);
    expect(rig.held.stop).toBe(90); // never looser than it was
  });

  test('adds no more often than the settings let it, nor more than is free, nor while the bot or a person says stop', () => {
    const often = new AdjustRig({ maxEntryAdjustments: 2 });
    often.answer = 500;
    for (const seconds of [1, 6, 11, 16]) often.at(seconds, 99);
    expect(often.orders('add')).toHaveLength(2);
    const poor = new AdjustRig({ startingBalance: 1_200 });
    poor.answer = 5_000;
    poor.at(1, 99);
    expect(poor.held.stake).toBeCloseTo(1_200, -1);
    for (const stopped of [{ status: 'paused' } as const, { tradingState: 'reducing' } as const, { tradingState: 'halted' } as const]) {
      const rig = new AdjustRig();
      Object.assign(rig.state, stopped);
      rig.answer = 500;
      rig.at(1, 99);
      expect(rig.orders('add'), JSON.stringify(stopped)).toEqual([]);
    }
  });

  test('is not tried again on a candle on which a limit has refused it, and is on the next', () => {
    const rig = new AdjustRig();
    rig.answer = 500;
    rig.take({
      kind: 'entry-refused',
      time: start + 60 * minute,
      symbol: rig.held.symbol,
      candleTime: start,
      gate: 'limit-position-value',
    });
    rig.at(1, 99);
    expect(rig.asked).toHaveLength(1);
    expect(rig.orders('add')).toEqual([]);
    rig.tick(121, 99);
    expect(rig.orders('add')).toHaveLength(1);
  });

  test('leaves the part it wants, with its reason; the rest stays, and what was gained is booked', () => {
    const rig = new AdjustRig();
    rig.answer = { stake: -400, tag: 'some of it' };
    rig.at(1, 110);
    expect(rig.orders('take-out')).toMatchObject([{ purpose: 'exit', tag: 'some of it', amount: 4, state: 'filled' }]);
    expect(rig.held).toMatchObject({ amount: 6, isOpen: true });
    expect(rig.held.realizedProfit).toBeCloseTo(40, 1);
    rig.answer = -250;
    rig.at(6, 110);
    expect(rig.orders('take-out').at(-1)).toMatchObject({ tag: 'partial_exit', follows: rig.orders('take-out')[0]?.id });
  });

  test('a part that is all of it, or leaves too little to be sold, is not left; nor is one while trading is halted', () => {
    for (const [answer, change] of [
      [-1_000, {}],
      [-2_000, {}],
      [-999, {}], // what is left is below the market's smallest cost
      [-0.01, {}],
      [-400, { tradingState: 'halted' as const }],
      [Number.NaN, {}],
      [0, {}],
    ] as const) {
      const rig = new AdjustRig();
      Object.assign(rig.state, change);
      rig.answer = answer;
      rig.at(1, 100.5);
      expect(rig.orders('take-out'), String(answer)).toEqual([]);
      expect(rig.held.amount).toBe(10);
    }
  });

  test('a trade that is left by its stop is not asked about', () => {
    const rig = new AdjustRig();
    rig.answer = 500;
    rig.at(1, 80);
    expect(rig.asked).toEqual([]);
    expect(rig.closed()).toHaveLength(1);
    expect([rig.state.adjustAskedAt, rig.state.partsToLeave]).toEqual([{}, {}]);
  });
});

describe('of a perpetual', () => {
  const perpetual = { marketType: 'futures', maxLeverage: 20 } as const;

  test('half of the stake is half of what is held, whatever the leverage', () => {
    const rig = new AdjustRig({ marketType: 'futures', leverage: 10 }, {}, perpetual);
    expect(rig.held).toMatchObject({ amount: 100, stake: 1000 });
    rig.answer = -500;
    rig.at(6, 100);
    rig.answer = null;
    expect(rig.orders('take-out')).toMatchObject([{ amount: 50 }]);
    expect(rig.held).toMatchObject({ amount: 50, stake: 500 });
  });

  test('a short is asked about with the price on the side of its entries', () => {
    const prices: number[] = [];
    const limit = { entry: 'limit', exit: 'market', stoploss: 'market', forceExit: 'market' } as const;
    const side = { orderTypes: limit, entryPricing: { side: 'same', useOrderBook: false } } as const;
    const rig = new Rig({ fee: 0, positionAdjustment: true, marketType: 'futures', canShort: true, ...side }, {}, perpetual);
    rig.context.callbacks.adjustPosition = ({ price }) => {
      prices.push(price);
      return null;
    };
    rig.candle(1, { enterShort: true });
    rig.tick(60, 100, { bid: 100, ask: 100 });
    rig.tick(61, 102, { bid: 102, ask: 102 }); // sold
    prices.length = 0;
    rig.tick(62, 100, { bid: 98, ask: 103 });
    expect(prices).toEqual([103]);
  });
});

describe('at an exchange', () => {
  function live(): AdjustRig {
    const rig = new AdjustRig();
    Object.assign(rig.context, { execution: 'exchange', stopsAtExchange: true });
    rig.at(1, 100); // the stop is decided on, and stands
    report(rig, openStop(rig.held)?.id ?? '', 'open');
    return rig;
  }
  function report(rig: AdjustRig, orderId: string, state: OrderState, amount = 0): void {
    const order = rig.held.orders.find(({ id }) => id === orderId);
    const time = rig.effects.at(-1)?.time ?? 0;
    const paid = { fee: 0, feeCurrency: 'USDT', feeInQuote: 0, liquidity: 'taker' as const };
    const fills = amount === 0 ? [] : [{ id: `fill of ${orderId}`, price: 110, amount, time, ...paid }];
    rig.take({ kind: 'order-update', time, orderId, report: { state, requested: order?.amount ?? 0, filled: amount, fills } });
  }

  test('a step that could not be written has asked nothing and begun no part', () => {
    const rig = live();
    rig.answer = -400;
    const before = structuredClone(rig.state);
    const { state } = advance(rig.state, { kind: 'market', view: viewAt(60 + 7 / 60, 110) }, rig.context);
    expect(Object.keys(state.partsToLeave)).toHaveLength(1);
    expect(state.adjustAskedAt).not.toEqual(before.adjustAskedAt);
    expect(rig.state).toEqual(before);
  });

  test('a part is left once the stop is gone; then the rest has a stop again', () => {
    const rig = live();
    const first = openStop(rig.held);
    expect(first).toMatchObject({ amount: 10, state: 'open' });
    rig.answer = -400;
    rig.at(7, 110);
    expect([first?.isCancelWanted, rig.orders('take-out')]).toEqual([true, []]);
    rig.at(8, 110);
    expect(rig.asked).toHaveLength(2); // not again while the part waits
    report(rig, first?.id ?? '', 'cancelled');
    rig.answer = null;
    rig.at(9, 110);
    const [part] = rig.orders('take-out');
    expect(part).toMatchObject({ amount: 4, state: 'planned' });
    expect(openStop(rig.held)).toBeNull();
    report(rig, part?.id ?? '', 'filled', 4);
    rig.at(10, 110);
    expect(openStop(rig.held)).toMatchObject({ amount: 6, state: 'planned' });
  });

  test.each([500, -400])('a trade whose price is at the stop that the exchange has is not asked about (%d)', (answer) => {
    const rig = live();
    const stop = openStop(rig.held);
    rig.answer = answer;
    rig.at(7, 89.5); // a little beyond 90: the exchange is about to leave it
    expect([rig.asked.length, rig.orders('add'), rig.orders('take-out')]).toEqual([1, [], []]);
    expect(stop).toMatchObject({ amount: 10, state: 'open', isCancelWanted: false });
    rig.at(13, 95);
    expect(rig.asked).toHaveLength(2);
  });

  test.each([500, -400])('a trade whose exit waits for the end of its stop is not asked about (%d)', (answer) => {
    const rig = live();
    const stop = openStop(rig.held);
    rig.answer = answer;
    rig.candle(2, { exitLong: true });
    rig.at(3_600, 100);
    expect(stop).toMatchObject({ isCancelWanted: true });
    report(rig, stop?.id ?? '', 'cancelled');
    rig.at(3_601, 100);
    expect(rig.held.orders.at(-1)).toMatchObject({ action: 'exit', amount: 10 });
    rig.at(3_607, 100);
    expect([rig.asked.length, rig.orders('add'), rig.orders('take-out'), rig.state.partsToLeave]).toEqual([1, [], [], {}]);
  });

  test('a part that waits for the end of the stop does not cancel an exit of the whole that was ordered meanwhile', () => {
    const rig = live();
    const stop = openStop(rig.held);
    rig.answer = -400;
    rig.at(7, 110);
    expect([stop?.isCancelWanted, Object.keys(rig.state.partsToLeave)]).toEqual([true, ['1']]);
    report(rig, stop?.id ?? '', 'cancelled');
    rig.at(8, 85);
    const exit = rig.held.orders.at(-1);
    expect(exit).toMatchObject({ action: 'exit', type: 'market', amount: 10, state: 'planned' });
    rig.at(9, 95); // no reason to leave any more, and the order is on its way
    expect(exit).toMatchObject({ isCancelWanted: false });
    expect([rig.orders('take-out'), rig.state.partsToLeave]).toEqual([[], {}]);
  });

  test('a part that waits for its stop is forgotten where the account turns out to hold less', () => {
    const rig = live();
    const stop = openStop(rig.held);
    rig.answer = -400;
    rig.at(7, 110);
    rig.state.missing = { 1: { amount: 1, waits: true } };
    report(rig, stop?.id ?? '', 'cancelled');
    rig.at(8, 110);
    expect([rig.orders('take-out'), rig.state.partsToLeave]).toEqual([[], {}]);
  });

  test('a part does not take away a stop that is being filled and would not be cancelled', () => {
    const rig = live();
    const stop = openStop(rig.held);
    rig.answer = -400;
    rig.at(7, 110);
    expect(stop?.isCancelWanted).toBe(true);
    if (stop !== null) Object.assign(stop, { isCancelWanted: false });
    report(rig, stop?.id ?? '', 'open', 1);
    rig.at(8, 110);
    expect([stop?.isCancelWanted, rig.state.partsToLeave]).toEqual([false, {}]);
  });

  test('OP-84 a part is left only when what remains can be sold at its stop too, which may lie far below the price', () => {
    const rig = live();
    rig.answer = -995; // a rest of 0.05 is worth 7.50 at 150, and 4.50 at its stop: the market takes 5.00
    rig.at(7, 150);
    expect(rig.orders('take-out')).toEqual([]);
    expect(openStop(rig.held)).toMatchObject({ amount: 10, isCancelWanted: false });
  });

  test('a part whose stop would not be cancelled in time is forgotten, and the strategy asked again', () => {
    const rig = live();
    rig.answer = -400;
    rig.at(7, 110);
    rig.answer = null;
    Object.assign(openStop(rig.held) ?? {}, { isCancelWanted: false, state: 'open' });
    rig.at(18, 110);
    expect(rig.asked).toHaveLength(3);
    expect(rig.orders('take-out')).toEqual([]);
    expect(rig.state.partsToLeave).toEqual({});
  });

  test.each(['refused', 'expired'] as const)('a further entry that is %s is not tried again before the next candle', (state) => {
    const rig = live();
    rig.answer = 500;
    const minuteOf = (from: number) => {
      for (let seconds = from; seconds < from + 60; seconds++) {
        rig.at(seconds, 99);
        for (const { id } of rig.orders('add').filter((order) => order.state === 'planned')) report(rig, id, state);
      }
    };
    minuteOf(7);
    expect(rig.orders('add')).toHaveLength(1);
    rig.candle(2);
    minuteOf(3_600);
    expect(rig.orders('add')).toHaveLength(2);
  });

  test('a lock of a protection does not keep it from a further entry', () => {
    const rig = live();
    rig.state.locks = [{ symbol: rig.held.symbol, side: '*', endTime: start + 120 * minute, reason: 'Cooldown period' }];
    rig.answer = 500;
    rig.at(7, 99);
    expect(rig.orders('add')).toHaveLength(1);
  });

  test('after a further entry the stop is for all of it', () => {
    const rig = live();
    rig.answer = 500;
    rig.at(7, 99);
    const [add] = rig.orders('add');
    rig.answer = null;
    report(rig, add?.id ?? '', 'filled', add?.amount ?? 0);
    const first = openStop(rig.held);
    expect(first?.isCancelWanted).toBe(true);
    report(rig, first?.id ?? '', 'cancelled');
    rig.at(9, 99);
    expect(openStop(rig.held)?.amount).toBeCloseTo(10 + (add?.amount ?? 0), 6);
  });
});
