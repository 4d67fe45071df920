import { describe, expect, test } from 'vitest';
import type { SettingsInput } from '../settings/normalise-settings.ts';
import type { Trade } from '../account/trade.ts';
import { openStop } from '../account/trade.ts';
import { fromStoredTrade, toStoredTrade } from './stored-state.ts';
import type { ManualAction } from './manual-action.ts';
import { enter, hour, market, Rig, start, symbol } from './testing/rig.ts';

type Wanted = ManualAction extends infer Action ? (Action extends ManualAction ? Omit<Action, 'until'> : never) : never;

const until = start + 10 * hour;
const ask = (rig: Rig, minutes: number, action: Wanted, more: { until?: number } = {}) =>
  rig.take({ kind: 'manual-asked', time: start + minutes * 60_000, action: { until, ...more, ...action } });
const ended = (rig: Rig) => rig.effects.flatMap((effect) => (effect.kind === 'manual-ended' ? [[effect.actionId, effect.refusal]] : []));
const entered = (rig: Rig) => rig.effects.filter(({ kind }) => kind === 'trade-opened').length;
const held = (rig: Rig): Trade => {
  const [trade] = rig.state.trades;
  if (trade === undefined) throw new Error('no trade is open');
  return trade;
};

/** A bot that has seen prices and trades without fees. */
function seeing(settings: Partial<SettingsInput> = {}, price = 100): Rig {
  const rig = new Rig({ ...market, fee: 0, ...settings });
  rig.tick(60, price, { bid: price, ask: price });
  return rig;
}
/** A bot that holds 10 at 100. */
function holding(settings: Partial<SettingsInput> = {}): Rig {
  const rig = new Rig({ ...market, fee: 0, ...settings });
  rig.candle(1, enter);
  rig.tick(60, 100, { bid: 100, ask: 100 });
  return rig;
}

const goLong: Wanted = { id: 'a', kind: 'enter', symbol, direction: 'long', stake: 500, stopPrice: null };

test('what is added by hand to a trade with leverage ties up what was named, and buys as much more', () => {
  const rig = new Rig({ ...market, fee: 0, marketType: 'futures', leverage: 5 }, {}, { marketType: 'futures', maxLeverage: 10 });
  rig.candle(1, enter);
  rig.tick(60, 100, { bid: 100, ask: 100 });
  expect(held(rig)).toMatchObject({ stake: 1000, amount: 50 });
  ask(rig, 60.1, { id: 'more', kind: 'add', tradeId: held(rig).id, stake: 500 });
  expect(ended(rig)).toEqual([['more', null]]);
  expect(held(rig)).toMatchObject({ stake: 1500, amount: 75 });
});

describe('an entry by hand', () => {
  test('opens a trade at market with the stake that was named, once, however often it is asked for', () => {
    const rig = seeing();
    ask(rig, 60.1, goLong);
    ask(rig, 60.1, goLong);
    expect(held(rig)).toMatchObject({ amount: 5, stake: 500, enterTag: 'manual', openRate: 100, stop: 90 });
    expect(held(rig).orders[0]).toMatchObject({ action: 'manual-enter', type: 'market' });
    expect(ended(rig)).toEqual([['a', null]]);
    expect(entered(rig)).toBe(1);
  });

  test('keeps its stop at the price that was named, also when it is filled elsewhere and when the settings trail', () => {
    const rig = seeing({ trailingStop: true });
    ask(rig, 60.1, { ...goLong, stopPrice: 97 });
    rig.tick(61, 120);
    expect(held(rig)).toMatchObject({ stop: 97, initialStop: 97, stopByHand: true, isStopTrailing: false });
    rig.tick(62, 96.5);
    expect(rig.closed()).toMatchObject([{ exitReason: 'stop_loss' }]);
  });

  test('waits for fresh prices, and is too late when they come too late', () => {
    const rig = seeing();
    ask(rig, 65, goLong, { until: start + 66 * 60_000 });
    expect(entered(rig)).toBe(0);
    rig.tick(67, 100);
    expect(ended(rig)).toEqual([['a', 'too-late']]);
    expect(entered(rig)).toBe(0);
  });

  test('and what is added by hand are no larger than the exchange takes at market, each by itself', () => {
    const rig = seeing();
    rig.context.execution = 'exchange';
    rig.context.instruments = new Map([...rig.context.instruments].map(([name, each]) => [name, { ...each, maxMarketAmount: 4 }]));
    ask(rig, 60.1, goLong);
    rig.tick(60.1, 100, { bid: 100, ask: 100 });
    const orders = () => held(rig).orders.map(({ action, amount }) => [action, amount]);
    expect(orders()).toEqual([['manual-enter', 4]]);
    const fill = {
      id: 'f',
      price: 100,
      amount: 4,
      fee: 0,
      feeCurrency: 'USDT',
      feeInQuote: 0,
      liquidity: 'taker',
      time: start + 60.2 * 60_000,
    } as const;
    const report = { state: 'filled', requested: 4, filled: 4, fills: [fill] } as const;
    rig.take({ kind: 'order-update', time: fill.time, orderId: held(rig).orders[0]?.id ?? '', report });
    ask(rig, 60.3, { id: 'b', kind: 'add', tradeId: 1, stake: 600 });
    rig.tick(60.4, 100, { bid: 100, ask: 100 });
    expect(orders()).toEqual([
      ['manual-enter', 4],
      ['add', 4],
    ]);
  });

  test("and the bot's own of the same moment make one trade", () => {
    const rig = seeing();
    rig.candle(2, enter);
    ask(rig, 121, goLong);
    rig.tick(121, 100);
    ask(rig, 121, { ...goLong, id: 'b' });
    expect(entered(rig)).toBe(1);
    expect(ended(rig)).toEqual([
      ['a', null],
      ['b', 'has-open-trade'],
    ]);
  });

  test('is asked for by nobody twice: one that a limit has refused is not tried again', () => {
    const rig = seeing();
    rig.take({ kind: 'manual-refused', time: start + hour, actionId: 'a', refusal: 'limit-position-value' });
    ask(rig, 60.1, goLong);
    expect(ended(rig)).toEqual([['a', 'limit-position-value']]);
    expect(entered(rig)).toBe(0);
  });

  test.each([
    ['halted', { tradingState: 'halted' }],
    ['reducing', { tradingState: 'reducing' }],
    ['paused', { status: 'paused' }],
    ['stopped', { status: 'stopped' }],
  ] as const)('is refused by a bot that is %s', (reason, state) => {
    const rig = seeing();
    Object.assign(rig.state, state);
    ask(rig, 60.1, goLong);
    expect(ended(rig)).toEqual([['a', reason]]);
    expect(rig.state.trades).toEqual([]);
  });

  test.each([
    ['insufficient-balance', { ...goLong, stake: 10_001 }, {}],
    ['stake-too-small', { ...goLong, stake: 4 }, {}],
    // Five would be raised to more than was named.
    ['stake-too-small', { ...goLong, stake: 5 }, {}],
    ['stop-beyond-price', { ...goLong, stopPrice: 100 }, {}],
    ['cannot-short', { ...goLong, direction: 'short' }, {}],
  ] as const)('is refused with %s', (reason, action, settings) => {
    const rig = seeing(settings);
    ask(rig, 60.1, action);
    expect(ended(rig)).toEqual([['a', reason]]);
    expect(entered(rig)).toBe(0);
  });

  test.each([
    ['long', 'isolated', 1],
    ['short', 'isolated', -1],
    ['long', 'cross', 1],
    ['short', 'cross', -1],
  ] as const)('of a %s with %s margin is refused where the position would be liquidated before its stop', (direction, marginMode, sign) => {
    const leverageTiers = [{ minNotional: 0, maxNotional: 100_000, maxLeverage: 20, maintenanceRate: 0.01, maintenanceAmount: 0 }];
    const asked = (stopPrice: number | null): Rig => {
      const futures = { marketType: 'futures', marginMode, canShort: true, startingBalance: 1000 } as const;
      const rig = new Rig({ ...market, fee: 0, ...futures }, { leverage: () => 10 }, { marketType: 'futures', leverageTiers });
      rig.tick(60, 100, { bid: 100, ask: 100 });
      ask(rig, 60.1, { ...goLong, direction, stopPrice });
      return rig;
    };
    const { liquidationPrice } = held(asked(null));
    if (liquidationPrice === null) throw new Error('it is never liquidated');
    const refused = asked(liquidationPrice);
    expect(ended(refused)).toEqual([['a', 'stop-beyond-liquidation']]);
    expect(entered(refused)).toBe(0);
    expect(refused.state.nextTradeId).toBe(1);
    expect(held(asked(liquidationPrice + sign * 0.1))).toMatchObject({ liquidationPrice, stopByHand: true });
  });

  test('of a long that is never liquidated has its stop wherever it was named, and wherever it is moved', () => {
    const rig = seeing({ marketType: 'futures', marginMode: 'cross' });
    ask(rig, 60.1, { ...goLong, stopPrice: 60 });
    expect(held(rig)).toMatchObject({ liquidationPrice: 0, stop: 60 });
    ask(rig, 60.1, { id: 'b', kind: 'move-stop', tradeId: 1, price: 50 });
    expect(ended(rig)).toEqual([
      ['a', null],
      ['b', null],
    ]);
    expect(held(rig).stop).toBe(50);
  });

  test('is refused while as many trades are open as may be', () => {
    const rig = seeing();
    const other = holding();
    rig.state.trades.push({ ...held(other), symbol: 'ETH/USDT', id: 9 });
    ask(rig, 60.1, goLong);
    expect(ended(rig)).toEqual([['a', 'slots-full']]);
  });

  test('of a short has its stop above the price', () => {
    const rig = seeing({ marketType: 'futures', canShort: true });
    ask(rig, 60.1, { ...goLong, direction: 'short', stopPrice: 99 });
    ask(rig, 60.1, { ...goLong, id: 'b', direction: 'short', stopPrice: 103 });
    expect(ended(rig)).toEqual([
      ['a', 'stop-beyond-price'],
      ['b', null],
    ]);
    expect(held(rig)).toMatchObject({ direction: 'short', stop: 103 });
  });

  test.each([
    ['long', 96.991, 97],
    ['short', 103.009, 103],
  ] as const)('of a %s has its stop never looser than the price that was named', (direction, stopPrice, stop) => {
    const rig = seeing({ marketType: 'futures', canShort: true });
    ask(rig, 60.1, { ...goLong, direction, stopPrice });
    expect(held(rig)).toMatchObject({ direction, stop, initialStop: stop });
  });

  test('is not made again by the signal of its candle once it is closed', () => {
    const rig = seeing();
    rig.candle(2);
    rig.tick(121, 100);
    ask(rig, 121, goLong);
    expect(rig.state.enteredCandleTimes[symbol]).toBe(start + hour);
  });
});

describe('a trade that a person has opened', () => {
  test('is not left by the exit signal of a candle from before it, but by that of the next', () => {
    const rig = seeing();
    rig.candle(1, { exitLong: true });
    rig.tick(60.05, 100);
    ask(rig, 60.1, goLong);
    rig.tick(60.2, 100);
    rig.tick(61, 100);
    expect(rig.closed()).toEqual([]);
    rig.candle(2, { exitLong: true, exitTag: 'over' });
    rig.tick(120, 100);
    expect(rig.closed()).toMatchObject([{ exitReason: 'over' }]);
  });
});

describe('adding by hand', () => {
  test('makes a trade larger by the stake that was named; its stop follows the new average, as the settings say', () => {
    const rig = holding();
    rig.tick(61, 110, { bid: 110, ask: 110 });
    ask(rig, 61, { id: 'b', kind: 'add', tradeId: 1, stake: 1100 });
    expect(held(rig)).toMatchObject({ amount: 20, openRate: 105, stop: 94.5 });
    ask(rig, 61, { id: 'c', kind: 'add', tradeId: 1, stake: 1100 });
    const [, first, second] = held(rig).orders;
    expect(second?.follows).toBe(first?.id); // each has a key of its own in the database
    expect(ended(rig)).toEqual([
      ['b', null],
      ['c', null],
    ]);
  });

  test('buys nothing that is sold at once: where the price has reached the stop, that comes first', () => {
    const rig = holding();
    rig.context.callbacks.confirmExit = () => false; // not left for a moment, as between two parts of an exit
    rig.tick(61, 89, { bid: 89, ask: 89 });
    ask(rig, 61.1, { id: 'b', kind: 'add', tradeId: 1, stake: 500 });
    expect([held(rig).amount, ended(rig)]).toEqual([10, []]);
    delete rig.context.callbacks.confirmExit;
    rig.tick(61.2, 89, { bid: 89, ask: 89 });
    expect(rig.closed()).toMatchObject([{ exitReason: 'stop_loss', stakeMax: 1000 }]);
    rig.tick(61.3, 89, { bid: 89, ask: 89 });
    expect(ended(rig)).toEqual([['b', 'trade-over']]);
  });

  test('takes all that is free', () => {
    const rig = holding();
    ask(rig, 60.1, { id: 'b', kind: 'add', tradeId: 1, stake: 9_000 });
    expect(ended(rig)).toEqual([['b', null]]);
    expect(held(rig)).toMatchObject({ amount: 100, stake: 10_000 });
  });

  test.each([
    ['insufficient-balance', 9_001, {}],
    ['stake-too-small', 4, {}],
    ['halted', 500, { tradingState: 'halted' }],
    ['paused', 500, { status: 'paused' }],
    ['account-differs', 500, { missing: { 1: { amount: 1, waits: true } } }],
    ['trade-over', 500, { closeAsked: [1] }],
    ['trade-over', 500, { trades: [] }],
  ] as const)('is refused with %s', (reason, stake, state) => {
    const rig = holding();
    Object.assign(rig.state, state);
    ask(rig, 60.1, { id: 'b', kind: 'add', tradeId: 1, stake });
    expect(ended(rig)).toEqual([['b', reason]]);
    expect(rig.effects.filter(({ kind }) => kind === 'order-created')).toHaveLength(1);
  });
});

describe('taking out by hand', () => {
  test('leaves a part at market and keeps the rest with its stop; the whole is closed later', () => {
    const rig = holding();
    rig.tick(61, 110, { bid: 110, ask: 110 });
    ask(rig, 61, { id: 'b', kind: 'take-out', tradeId: 1, share: 0.25 });
    expect(held(rig)).toMatchObject({ amount: 7.5, realizedProfit: 25, stop: 90 });
    ask(rig, 61, { id: 'c', kind: 'take-out', tradeId: 1, share: 0.5 });
    expect(held(rig)).toMatchObject({ amount: 3.75 });
    rig.tick(62, 89);
    expect(rig.closed()).toMatchObject([{ exitReason: 'stop_loss' }]);
    const exits = rig.closed()[0]?.orders.filter(({ purpose }) => purpose === 'exit') ?? [];
    expect(exits.map(({ action, tag, amount }) => [action, tag, amount])).toEqual([
      ['take-out', 'manual_partial_exit', 2.5],
      ['take-out', 'manual_partial_exit', 3.75],
      ['exit-rest', 'stop_loss', 3.75],
    ]);
    expect(new Set(exits.map(({ action, follows }) => `${action} ${follows}`)).size).toBe(3);
  });

  test('is done while the kill switch says halted, and by a paused bot', () => {
    for (const state of [{ tradingState: 'halted' }, { status: 'paused' }] as const) {
      const rig = holding();
      Object.assign(rig.state, state);
      ask(rig, 60.1, { id: 'b', kind: 'take-out', tradeId: 1, share: 0.5 });
      expect(held(rig).amount).toBe(5);
    }
  });

  test('of more than the exchange takes in one order is refused before a stop is cancelled; so much is taken out', () => {
    const rig = holding();
    Object.assign(rig.context, { execution: 'exchange', stopsAtExchange: true });
    rig.context.instruments = new Map([...rig.context.instruments].map(([name, each]) => [name, { ...each, maxMarketAmount: 4 }]));
    rig.tick(60.1, 100);
    expect(openStop(held(rig))).toMatchObject({ amount: 10 });
    ask(rig, 60.2, { id: 'b', kind: 'take-out', tradeId: 1, share: 0.5 });
    rig.tick(60.3, 100);
    expect(ended(rig)).toEqual([['b', 'part-too-large']]);
    expect(openStop(held(rig))).toMatchObject({ amount: 10, isCancelWanted: false });
    ask(rig, 60.4, { id: 'c', kind: 'take-out', tradeId: 1, share: 0.4 });
    rig.tick(60.5, 100);
    expect(openStop(held(rig))?.isCancelWanted ?? true).toBe(true);
  });

  test('of all, or of nothing, is refused', () => {
    const rig = holding();
    ask(rig, 60.1, { id: 'b', kind: 'take-out', tradeId: 1, share: 1 });
    ask(rig, 60.1, { id: 'c', kind: 'take-out', tradeId: 1, share: 1e-9 });
    expect(ended(rig)).toEqual([
      ['b', 'rest-too-small'],
      ['c', 'part-too-small'],
    ]);
    expect(held(rig).amount).toBe(10);
  });

  test('comes after the stop when the price has reached it', () => {
    const rig = holding();
    ask(rig, 65, { id: 'b', kind: 'take-out', tradeId: 1, share: 0.5 });
    rig.tick(66, 89);
    rig.tick(66.1, 89);
    expect(rig.closed()).toMatchObject([{ exitReason: 'stop_loss' }]);
    expect(ended(rig)).toEqual([['b', 'trade-over']]);
  });
});

describe('a stop that is moved by hand', () => {
  test('stays where it is, tighter or looser, until the bot may move it again', () => {
    const rig = holding({ trailingStop: true });
    rig.tick(61, 120);
    expect(held(rig)).toMatchObject({ stop: 108, isStopTrailing: true });
    ask(rig, 61, { id: 'b', kind: 'move-stop', tradeId: 1, price: 80.001 });
    expect(held(rig)).toMatchObject({ stop: 80.01, isStopTrailing: false, stopByHand: true });
    rig.tick(62, 130);
    expect(held(rig).stop).toBe(80.01);
    ask(rig, 62, { id: 'c', kind: 'move-stop', tradeId: 1, price: null });
    expect(held(rig)).toMatchObject({ stop: 90, isStopTrailing: false });
    expect(held(rig).stopByHand).toBeUndefined();
    rig.tick(63, 131);
    expect(held(rig)).toMatchObject({ stop: 117.9, isStopTrailing: true });
  });

  test('is never looser than the price that was named: of a long it is rounded up, of a short down', () => {
    const rig = new Rig({ ...market, fee: 0, marketType: 'futures', canShort: true });
    rig.candle(1, { enterShort: true });
    rig.tick(60, 100, { bid: 100, ask: 100 });
    ask(rig, 60.1, { id: 'b', kind: 'move-stop', tradeId: 1, price: 104.999 });
    expect(held(rig)).toMatchObject({ direction: 'short', stop: 104.99, stopByHand: true });
  });

  test('is not moved by a further entry, and is known after a restart', () => {
    const rig = holding();
    ask(rig, 60.1, { id: 'b', kind: 'move-stop', tradeId: 1, price: 95 });
    ask(rig, 60.1, { id: 'c', kind: 'add', tradeId: 1, stake: 1000 });
    expect(held(rig)).toMatchObject({ amount: 20, stop: 95 });
    expect(fromStoredTrade(JSON.parse(JSON.stringify(toStoredTrade(held(rig)))))).toMatchObject({ stop: 95, stopByHand: true });
    expect(() => fromStoredTrade({ ...toStoredTrade(held(rig)), stopByHand: 1 })).toThrow('"stopByHand" is number, not a boolean');
  });

  test.each([
    ['stop-beyond-price', 100],
    ['stop-beyond-price', 101],
    ['stop-beyond-price', -1],
  ] as const)('is refused with %s at %d', (reason, price) => {
    const rig = holding();
    ask(rig, 60.1, { id: 'b', kind: 'move-stop', tradeId: 1, price });
    expect(ended(rig)).toEqual([['b', reason]]);
    expect(held(rig).stop).toBe(90);
  });

  test('is refused where the position would be liquidated before, for longs and shorts', () => {
    for (const direction of ['long', 'short'] as const) {
      const rig = new Rig({ ...market, fee: 0, marketType: 'futures', canShort: true, leverage: 10 }, { leverage: () => 10 });
      rig.candle(1, direction === 'long' ? enter : { enterShort: true });
      rig.tick(60, 100, { bid: 100, ask: 100 });
      held(rig).liquidationPrice = direction === 'long' ? 91 : 109;
      ask(rig, 60.1, { id: 'b', kind: 'move-stop', tradeId: 1, price: direction === 'long' ? 91 : 109 });
      ask(rig, 60.1, { id: 'c', kind: 'move-stop', tradeId: 1, price: direction === 'long' ? 92 : 108 });
      expect(ended(rig)).toEqual([
        ['b', 'stop-beyond-liquidation'],
        ['c', null],
      ]);
    }
  });
});

describe('at an exchange', () => {
  /** A bot whose trade of 10 has its stop at the exchange. */
  function live(): Rig {
    const rig = new Rig({ ...market, fee: 0 });
    Object.assign(rig.context, { execution: 'exchange', stopsAtExchange: true });
    rig.candle(1, enter);
    rig.tick(60, 100, { bid: 100, ask: 100 });
    fill(rig, held(rig).orders[0]?.id ?? '', 10);
    rig.tick(60.1, 100);
    report(rig, openStop(held(rig))?.id ?? '', 'open');
    return rig;
  }
  const report = (rig: Rig, orderId: string, state: 'open' | 'cancelled' | 'refused') => {
    const order = held(rig).orders.find(({ id }) => id === orderId);
    const time = Math.max(start + 61 * 60_000, order?.createdTime ?? 0);
    rig.take({
      kind: 'order-update',
      time,
      orderId,
      report: { state, requested: order?.amount ?? 0, filled: order?.filled ?? 0, fills: [] },
    });
  };
  const fill = (rig: Rig, orderId: string, amount: number) => {
    const paid = { fee: 0, feeCurrency: 'USDT', feeInQuote: 0, liquidity: 'taker' as const };
    const fills = [{ id: `fill of ${orderId}`, price: 100, amount, time: start + 61 * 60_000, ...paid }];
    rig.take({
      kind: 'order-update',
      time: start + 61 * 60_000,
      orderId,
      report: { state: 'filled', requested: amount, filled: amount, fills },
    });
  };
  const standing = (rig: Rig) => openStop(held(rig));

  test('ADD-move-stop a stop is not moved to where the exchange takes none: the one that stands stays', () => {
    const rig = live();
    ask(rig, 60.2, { id: 'b', kind: 'move-stop', tradeId: 1, price: 0.1 }); // 10 at 0.1 are 1, the smallest order is 5
    rig.tick(60.3, 100);
    expect(ended(rig).at(-1)).toEqual(['b', 'stop-too-small']);
    expect([standing(rig), held(rig).stop]).toMatchObject([{ state: 'open', price: 90, isCancelWanted: false }, 90]);
    // On paper there is no smallest order for it.
    Object.assign(rig.context, { stopsAtExchange: false });
    ask(rig, 60.4, { id: 'c', kind: 'move-stop', tradeId: 1, price: 0.1 });
    expect(held(rig).stop).toBe(0.1);
    // And one that is too small already may come nearer.
    Object.assign(rig.context, { stopsAtExchange: true });
    ask(rig, 60.45, { id: 'd', kind: 'move-stop', tradeId: 1, price: 0.2 });
    expect(held(rig).stop).toBe(0.2);
  });

  test('a part is taken out once the stop is gone, and the rest has a stop again', () => {
    const rig = live();
    const before = standing(rig);
    expect(before).toMatchObject({ amount: 10, state: 'open' });
    ask(rig, 60.2, { id: 'b', kind: 'take-out', tradeId: 1, share: 0.5 });
    expect(before?.isCancelWanted).toBe(true);
    expect(ended(rig)).toEqual([]);
    rig.tick(60.3, 100);
    expect(ended(rig)).toEqual([]);
    report(rig, before?.id ?? '', 'cancelled');
    rig.tick(61.1, 100);
    expect(standing(rig)).toBeNull(); // no other took its place before the part was taken out
    const part = held(rig).orders.find(({ action }) => action === 'take-out');
    expect(part).toMatchObject({ amount: 5, type: 'market', state: 'planned' });
    expect(ended(rig)).toEqual([['b', null]]);
    rig.tick(61.2, 100);
    expect(held(rig).orders.filter(({ action }) => action === 'take-out')).toHaveLength(1);
    fill(rig, part?.id ?? '', 5);
    rig.tick(61.3, 100);
    expect(standing(rig)).toMatchObject({ amount: 5, price: 90 });
  });

  const asked = (rig: Rig) => held(rig).orders.filter(({ action }) => action === 'add').length;

  test.each(['stop', 'liquidation'] as const)(
    'nothing is added while the price is at the price of its %s, for longs and shorts',
    (which) => {
      for (const direction of ['long', 'short'] as const) {
        const sign = direction === 'long' ? 1 : -1;
        const rig = new Rig({ ...market, fee: 0, marketType: 'futures', canShort: true, stoploss: -0.5, stakeAmount: 500 });
        rig.context.execution = 'exchange';
        rig.candle(1, direction === 'long' ? enter : { enterShort: true });
        rig.tick(60, 100, { bid: 100, ask: 100 });
        fill(rig, held(rig).orders[0]?.id ?? '', 5);
        const level = 100 - 4 * sign;
        if (which === 'stop') held(rig).stop = level;
        else held(rig).liquidationPrice = level;
        ask(rig, 62, { id: 'b', kind: 'add', tradeId: 1, stake: 100 });
        const at = { bid: level, ask: level };
        rig.tick(62, level, at);
        expect([asked(rig), ended(rig)], direction).toEqual([0, []]);
      }
    },
  );

  test('nothing is added while the stop makes way for an exit, nor before it is ordered', () => {
    const rig = live();
    rig.candle(2, { exitLong: true });
    rig.tick(120, 100, { bid: 100, ask: 100 });
    expect(standing(rig)).toMatchObject({ isCancelWanted: true });
    ask(rig, 120.1, { id: 'b', kind: 'add', tradeId: 1, stake: 100 });
    expect([asked(rig), ended(rig)]).toEqual([0, []]);
    report(rig, standing(rig)?.id ?? '', 'cancelled');
    ask(rig, 120.1, { id: 'c', kind: 'add', tradeId: 1, stake: 100 });
    rig.tick(120.2, 100, { bid: 100, ask: 100 });
    expect(held(rig).orders.at(-1)).toMatchObject({ action: 'exit', amount: 10 });
    rig.tick(120.3, 100, { bid: 100, ask: 100 });
    expect(ended(rig)).toEqual([
      ['b', 'trade-over'],
      ['c', 'trade-over'],
    ]);
    expect(asked(rig)).toBe(0);
  });

  test('nor where another entry was made after its stop, which was not filled', () => {
    const rig = live();
    const stop = standing(rig);
    const entry = { ...held(rig).orders[0], id: 'later', state: 'cancelled' as const, filled: 0, fills: [] };
    held(rig).orders.push(entry);
    rig.candle(2, { exitLong: true });
    rig.tick(120, 100, { bid: 100, ask: 100 });
    report(rig, stop?.id ?? '', 'cancelled');
    ask(rig, 120.1, { id: 'c', kind: 'add', tradeId: 1, stake: 100 });
    expect(asked(rig)).toBe(0);
  });

  test('nor while an exit that was refused rests', () => {
    const rig = live();
    const stop = standing(rig);
    rig.candle(2, { exitLong: true });
    rig.tick(120, 100, { bid: 100, ask: 100 });
    report(rig, stop?.id ?? '', 'cancelled');
    rig.tick(120.05, 100, { bid: 100, ask: 100 });
    report(rig, held(rig).orders.at(-1)?.id ?? '', 'refused');
    ask(rig, 120.06, { id: 'c', kind: 'add', tradeId: 1, stake: 100 });
    expect([asked(rig), ended(rig)]).toEqual([0, []]);
  });

  test('nor between a limit exit and the next one', () => {
    const rig = new Rig({ ...market, fee: 0, orderTypes: { ...market.orderTypes, exit: 'limit' } });
    Object.assign(rig.context, { execution: 'exchange', stopsAtExchange: true });
    rig.candle(1, enter);
    rig.tick(60, 100, { bid: 100, ask: 100 });
    fill(rig, held(rig).orders[0]?.id ?? '', 10);
    rig.candle(2, { exitLong: true });
    rig.tick(120, 100, { bid: 100, ask: 100 });
    report(rig, standing(rig)?.id ?? '', 'cancelled');
    rig.tick(120.1, 100, { bid: 100, ask: 100 });
    const exit = held(rig).orders.at(-1);
    expect(exit).toMatchObject({ type: 'limit', action: 'exit' });
    report(rig, exit?.id ?? '', 'open');
    rig.tick(120.2, 101, { bid: 101, ask: 101 });
    expect(exit?.isCancelWanted).toBe(true);
    report(rig, exit?.id ?? '', 'cancelled');
    ask(rig, 120.21, { id: 'c', kind: 'add', tradeId: 1, stake: 100 });
    expect([asked(rig), ended(rig)]).toEqual([0, []]);
  });

  test.each([
    ['has no stop at all', { stop: 0 }],
    ['has a stop that rests because it is refused', { stopFailures: { count: 3, since: start, price: 90, orderId: 'fl-bot1-2' } }],
  ])('something is added after an exit was cancelled where the trade %s', (_, given) => {
    const rig = live();
    const exit = {
      ...held(rig).orders[0],
      id: 'x',
      purpose: 'exit',
      side: 'sell',
      type: 'limit',
      state: 'cancelled',
      filled: 0,
      reported: 0,
    } as const;
    const stop = standing(rig);
    if (stop !== null) stop.state = 'refused';
    held(rig).orders.push({ ...(exit as Trade['orders'][number]), fills: [] });
    Object.assign(held(rig), given);
    ask(rig, 60.2, { id: 'b', kind: 'add', tradeId: 1, stake: 100 });
    expect(asked(rig)).toBe(1);
  });

  test('something is added where the exchange itself has cancelled the stop, and the next one rests', () => {
    const rig = live();
    const stop = standing(rig);
    if (stop !== null) stop.isCancelWanted = false;
    report(rig, stop?.id ?? '', 'cancelled');
    expect(held(rig).stopFailures).toMatchObject({ orderId: stop?.id });
    ask(rig, 60.2, { id: 'b', kind: 'add', tradeId: 1, stake: 100 });
    expect(asked(rig)).toBe(1);
  });

  test('nothing is added while a limit exit stands, on paper neither; beside a part it is', () => {
    for (const execution of ['exchange', 'simulated'] as const)
      for (const action of ['exit', 'take-out'] as const) {
        const rig = new Rig({ ...market, fee: 0, orderTypes: { ...market.orderTypes, exit: 'limit' } });
        rig.candle(1, enter);
        rig.tick(60, 100, { bid: 100, ask: 100 });
        rig.context.execution = execution;
        const [entry] = held(rig).orders;
        held(rig).orders.push({
          ...entry,
          id: 'x',
          purpose: 'exit',
          side: 'sell',
          type: 'limit',
          price: 130,
          state: 'open',
          filled: 0,
          fills: [],
          action,
        });
        ask(rig, 60.1, { id: 'b', kind: 'add', tradeId: 1, stake: 100 });
        expect([asked(rig), ended(rig)], action).toEqual(action === 'exit' ? [0, [['b', 'trade-over']]] : [1, [['b', null]]]);
      }
  });

  test('something is added to a trade that is too small for a stop', () => {
    const rig = live();
    report(rig, standing(rig)?.id ?? '', 'cancelled');
    delete held(rig).stopFailures;
    held(rig).tooSmall = 'for-stop';
    ask(rig, 60.2, { id: 'b', kind: 'add', tradeId: 1, stake: 100 });
    expect(asked(rig)).toBe(1);
  });

  test('a part that could not be taken out in time leaves the trade with its stop', () => {
    const rig = live();
    const before = standing(rig);
    ask(rig, 60.2, { id: 'b', kind: 'take-out', tradeId: 1, share: 0.5 }, { until: start + 61.05 * 60_000 });
    report(rig, before?.id ?? '', 'cancelled');
    rig.tick(61.1, 100);
    expect(ended(rig)).toEqual([['b', 'too-late']]);
    expect(standing(rig)).toMatchObject({ amount: 10 });
  });

  test('a moved stop is moved at the exchange at once; one that is being filled is not moved', () => {
    const rig = live();
    const before = standing(rig);
    ask(rig, 60.2, { id: 'b', kind: 'move-stop', tradeId: 1, price: 95 });
    expect(before?.isCancelWanted).toBe(true);
    report(rig, before?.id ?? '', 'cancelled');
    rig.tick(61.1, 100);
    expect(standing(rig)).toMatchObject({ price: 95, amount: 10 });
    report(rig, standing(rig)?.id ?? '', 'open');
    Object.assign(standing(rig) ?? {}, { filled: 1 });
    ask(rig, 61.2, { id: 'c', kind: 'move-stop', tradeId: 1, price: 94 });
    expect(ended(rig)).toEqual([
      ['b', null],
      ['c', 'stop-filling'],
    ]);
  });

  test('a part, or a rest, that the exchange takes no order for is refused', () => {
    const rig = live();
    Object.assign(rig.context.instruments.get(symbol) ?? {}, { minAmount: 2 });
    ask(rig, 60.2, { id: 'b', kind: 'take-out', tradeId: 1, share: 0.1 });
    ask(rig, 60.2, { id: 'c', kind: 'take-out', tradeId: 1, share: 0.9 });
    expect(ended(rig)).toEqual([
      ['b', 'part-too-small'],
      ['c', 'rest-too-small'],
    ]);
    expect(standing(rig)?.isCancelWanted).toBe(false);
  });

  test('OP-85 a part is refused of which the account holds less', () => {
    const rig = live();
    rig.take({ kind: 'account-differs', time: start + 60.2 * 60_000, missing: { 1: { amount: 4, waits: false } } });
    ask(rig, 60.2, { id: 'b', kind: 'take-out', tradeId: 1, share: 0.25 });
    expect(ended(rig)).toEqual([['b', 'account-differs']]);
    expect(rig.state.trades[0]?.orders.filter(({ action }) => action === 'take-out')).toEqual([]);
  });

  test('OP-85 a part is refused that leaves nothing of what the account had when it refused a sale', () => {
    const rig = live();
    rig.state.freeCoins[1] = 4;
    ask(rig, 60.2, { id: 'b', kind: 'take-out', tradeId: 1, share: 0.5 }); // 5 of 10
    expect(ended(rig)).toEqual([['b', 'rest-too-small']]);
    expect(standing(rig)?.isCancelWanted).toBe(false);
  });

  test('OP-84 a part is refused whose rest could be sold now, but not at its stop', () => {
    const rig = live();
    ask(rig, 60.2, { id: 'b', kind: 'take-out', tradeId: 1, share: 0.9948 }); // 0.052: 5.20 at 100, 4.68 at 90; the market takes 5.00
    expect(ended(rig)).toEqual([['b', 'rest-too-small']]);
    expect(standing(rig)?.isCancelWanted).toBe(false);
  });
});
