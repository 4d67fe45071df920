import { describe, expect, test } from 'vitest';
import type { OrderState } from '../account/order-life.ts';
import type { Order } from '../account/order.ts';
import type { Trade } from '../account/trade.ts';
import type { BotEffect } from './effect.ts';
import { fromStored, toStoredMemory, toStoredTrade } from './stored-state.ts';
import { enter, hour, market, Rig, start } from './testing/rig.ts';

const minute = 60_000;

/** A live bot that holds 10.001 bought (or sold short) at 100, its stop a tenth away; `made` are its orders so far. */
class HeldRig extends Rig {
  constructor(direction: 'long' | 'short' = 'long', settings: ConstructorParameters<typeof Rig>[0] = {}) {
    const isShort = direction === 'short';
    super(
      { ...market, ...(isShort ? { marketType: 'futures', canShort: true, marginMode: 'isolated' } : {}), ...settings },
      {},
      isShort ? { marketType: 'futures' } : {},
    );
    Object.assign(this.context, { execution: 'exchange', stopsAtExchange: true });
    this.candle(1, isShort ? { enterShort: true } : enter);
    this.tick(60, 100, { bid: 100, ask: 100 });
    this.report(61, 'filled');
    this.report(61, 'open');
  }
  /** What the exchange reports of the newest order; one that is filled is filled in whole. */
  report(minutes: number, state: OrderState): BotEffect[] {
    const order = this.newest;
    const time = start + minutes * minute;
    const amount = state === 'filled' ? order.amount - order.filled : 0;
    const fee = { fee: 0, feeCurrency: 'USDT', feeInQuote: 0, liquidity: 'taker' as const };
    const fills = amount > 0 ? [{ id: `${order.id} filled`, price: 100, amount, ...fee, time }] : [];
    return this.take({ kind: 'order-update', time, orderId: order.id, report: { state, requested: order.amount, filled: amount, fills } });
  }
  lacks(minutes: number, amount: number, waits = false): BotEffect[] {
    return this.take({ kind: 'account-differs', time: start + minutes * minute, missing: { [this.trade.id]: { amount, waits } } });
  }
  get trade(): Trade {
    const [trade] = this.state.trades;
    if (trade === undefined) throw new Error('There is no open trade');
    return trade;
  }
  get newest(): Order {
    const order = this.trade.orders.at(-1);
    if (order === undefined) throw new Error('There is no order');
    return order;
  }
  get waiting(): [string, number][] {
    return this.trade.orders.filter(({ state }) => state === 'planned' || state === 'open').map(({ type, amount }) => [type, amount]);
  }
}
const cancelled = (effects: readonly BotEffect[]) =>
  effects.flatMap((effect) => (effect.kind === 'cancel-requested' ? [effect.orderId] : []));
const ordered = (effects: readonly BotEffect[]) =>
  effects.flatMap((effect) => (effect.kind === 'order-created' ? [[effect.order.type, effect.order.side, effect.order.amount]] : []));

describe.each(['long', 'short'] as const)('of a %s trade of which its account lacks a part', (direction) => {
  const side = direction === 'long' ? 'sell' : 'buy';
  const through = direction === 'long' ? 80 : 120; // beyond the stop, and beyond what is trusted

  test('the stop is made again for what is there', () => {
    const rig = new HeldRig(direction);
    expect(rig.waiting).toEqual([['stop', rig.trade.amount]]);
    expect(cancelled(rig.lacks(62, 4))).toEqual([rig.newest.id]);
    rig.report(62, 'cancelled');
    expect(ordered(rig.tick(62.1, 100))).toEqual([['stop', side, Number((rig.trade.amount - 4).toFixed(3))]]);
  });

  test('an exit asks for what is there, and what is missing stays a matter of a person', () => {
    const rig = new HeldRig(direction);
    rig.lacks(62, 4);
    rig.report(62, 'cancelled');
    expect(ordered(rig.tick(63, through, { bid: through, ask: through }))).toEqual([
      ['market', side, Number((rig.trade.amount - 4).toFixed(3))],
    ]);
    rig.report(63, 'filled');
    expect(rig.trade.amount).toBe(4);
    expect([rig.tick(64, through), rig.tick(65, through / 2)].flatMap(ordered)).toEqual([]);
    // Booked as left elsewhere it ends.
    rig.take({ kind: 'held-elsewhere', time: start + 66 * minute, tradeId: rig.trade.id, amount: 4, fillId: 'outside-1' });
    expect(rig.state.trades).toEqual([]);
  });

  test('nothing is ordered where nothing is there, whoever wants it: not the stop, not the bot when it is stopped, not a person', () => {
    const rig = new HeldRig(direction);
    expect(cancelled(rig.lacks(62, rig.trade.amount))).toHaveLength(1);
    rig.report(62, 'cancelled');
    const after = [
      ...rig.tick(63, through),
      ...rig.take({ kind: 'close-asked', time: start + 64 * minute, tradeId: rig.trade.id }),
      ...rig.tick(65, through),
      ...rig.take({ kind: 'status-changed', time: start + 66 * minute, status: 'stopped' }),
      ...rig.tick(67, through),
    ];
    expect(ordered(after)).toEqual([]);
    // Found again, it is left at once: a person wanted it.
    rig.take({ kind: 'account-differs', time: start + 68 * minute, missing: {} });
    expect(ordered(rig.tick(68.1, 100))).toEqual([['market', side, rig.trade.amount]]);
  });

  test('an exit that stands and asks for more is cancelled', () => {
    const rig = new HeldRig(direction);
    rig.take({ kind: 'close-asked', time: start + 62 * minute, tradeId: rig.trade.id });
    rig.report(62, 'cancelled');
    rig.tick(62.1, 100);
    const exit = rig.newest;
    rig.report(62.2, 'open');
    expect(exit.type).toBe('market');
    expect(cancelled(rig.lacks(63, 0.001))).toEqual([exit.id]);
  });
});

describe('a trade that waits for a person', () => {
  const roi = { minimalRoi: { 0: 0.01 } };

  test('is left by its stop, and by nothing that only wants profit, until that is decided', () => {
    const rig = new HeldRig('long', roi);
    rig.lacks(62, 1, true);
    rig.report(62, 'cancelled');
    rig.tick(62.1, 100);
    rig.report(62.2, 'open');
    rig.candle(2, { exitLong: true });
    expect(ordered(rig.tick(120.1, 110, { bid: 110, ask: 110 }))).toEqual([]);
    expect(rig.decisions().at(-1)).toMatchObject({ action: 'hold', gate: 'account-differs' });
    expect(cancelled(rig.tick(121, 80, { bid: 80, ask: 80 }))).toHaveLength(1); // its stop first
    rig.report(121, 'cancelled');
    expect(ordered(rig.tick(121.1, 80, { bid: 80, ask: 80 }))).toEqual([['market', 'sell', Number((rig.trade.amount - 1).toFixed(3))]]);
  });

  test('is left with profit when nobody waits for a person', () => {
    const rig = new HeldRig('long', roi);
    rig.lacks(62, 1, false);
    rig.report(62, 'cancelled');
    expect(ordered(rig.tick(62.1, 110, { bid: 110, ask: 110 }))).toEqual([['market', 'sell', Number((rig.trade.amount - 1).toFixed(3))]]);
  });
});

test('what was booked is missing no more, before it is reported so', () => {
  const rig = new HeldRig();
  rig.lacks(62, 4);
  rig.report(62, 'cancelled');
  rig.take({ kind: 'held-elsewhere', time: start + 62 * minute, tradeId: rig.trade.id, amount: 4, fillId: 'outside-1' });
  expect(rig.state.missing[rig.trade.id]?.amount).toBe(0);
  expect(rig.newest).toMatchObject({ type: 'stop', amount: rig.trade.amount });
});

describe('exits that are refused', () => {
  /** Refuses each exit, with a price each second for so many minutes; the seconds at which one was decided on. */
  function refuseFor(rig: HeldRig, minutes: number, price = 80, from = 0): number[] {
    const tries: number[] = [];
    for (let seconds = from; seconds <= from + minutes * 60; seconds++) {
      const at = 62 + seconds / 60;
      rig.tick(at, price, { bid: price, ask: price });
      const order = rig.newest;
      if (order.isCancelWanted && order.state === 'open') rig.report(at, 'cancelled');
      else if (order.state === 'planned') {
        if (order.type !== 'stop') tries.push(seconds);
        rig.report(at, 'refused');
      }
    }
    return tries;
  }

  test('rest longer with each one in a row, five minutes at most, also after a restart', () => {
    const rig = new HeldRig();
    const tries = refuseFor(rig, 30);
    const pauses = tries.slice(1).map((at, i) => at - (tries[i] ?? 0));
    expect(pauses.slice(0, 4).map((each) => Math.round(each / 5) * 5)).toEqual([5, 10, 20, 40]);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(302);
    expect(tries.length).toBeLessThan(40);
    const { state } = rig;
    const identity = {
      botId: state.botId,
      timeframe: state.timeframe,
      settings: state.settings,
      status: state.status,
      decidedCandleTimes: {},
    };
    rig.state = fromStored(
      { ...identity, tradingState: 'active', closedProfit: 0, consecutiveLosses: 0 },
      JSON.parse(JSON.stringify(toStoredMemory(state))),
      JSON.parse(JSON.stringify(state.trades.map(toStoredTrade))),
    );
    const before = tries.at(-1) ?? 0;
    const [next = 0] = refuseFor(rig, 10, 80, 30 * 60 + 1);
    expect(next - before).toBeGreaterThan(60);
  });

  test('are tried a minute later where the price is another, and at once where a person wants the trade closed', () => {
    const rig = new HeldRig();
    const tries = refuseFor(rig, 20);
    const last = tries.at(-1) ?? 0;
    const [next = 0] = refuseFor(rig, 6, 70, last + 10);
    expect(next - last).toBeGreaterThanOrEqual(60);
    expect(next - last).toBeLessThanOrEqual(62);
    const now = refuseFor(rig, 0.5, 70, next + 1);
    expect(now).toEqual([]);
    const time = start + 62 * minute + (next + 40) * 1000;
    expect(
      ordered(rig.take({ kind: 'close-asked', time, tradeId: rig.trade.id })).concat(ordered(rig.tick(62 + (next + 41) / 60, 70))),
    ).toHaveLength(1);
  });

  test('leave their coins free for the next one of a moment later: no stop takes them before it', () => {
    const rig = new HeldRig();
    const tick = (minutes: number) => ordered(rig.tick(minutes, 80, { bid: 80, ask: 80 }));
    expect(cancelled(rig.tick(62, 80, { bid: 80, ask: 80 }))).toEqual([rig.newest.id]); // the stop
    rig.report(62, 'cancelled');
    expect(tick(62.01)).toEqual([['market', 'sell', 10]]);
    rig.report(62.01, 'refused');
    expect([tick(62.03), tick(62.05)]).toEqual([[], []]);
    expect(tick(62.1)).toEqual([['market', 'sell', 10]]);
  });

  test.each([
    ['closed', (rig: HeldRig, time: number) => rig.take({ kind: 'close-asked', time, tradeId: rig.trade.id })],
    ['stopped', (rig: HeldRig, time: number) => rig.take({ kind: 'status-changed', time, status: 'stopped' })],
  ] as const)('of what is asked to be %s again and again leave the stop in peace until the next is tried', (_name, ask) => {
    const rig = new HeldRig();
    const effects: BotEffect[] = [];
    for (let tick = 0; tick < 120; tick++) {
      const minutes = 62 + tick / 120; // two a second
      effects.push(...ask(rig, start + minutes * minute), ...rig.tick(minutes, 99, { bid: 99, ask: 99 }));
      const { newest } = rig;
      if (newest.isCancelWanted) rig.report(minutes, 'cancelled');
      else if (newest.state === 'planned') rig.report(minutes, newest.type === 'stop' ? 'open' : 'refused');
    }
    const made = ordered(effects).map(([type]) => type);
    // At once, and after 5, 10 and 20 s: the stop comes back in each of the longer pauses, once.
    expect(made.filter((type) => type === 'market')).toHaveLength(4);
    expect(made.filter((type) => type === 'stop').length).toBeLessThanOrEqual(3);
    expect(made.filter((type) => type === 'stop').length).toBeGreaterThanOrEqual(2);
    expect(cancelled(effects)).toHaveLength(made.filter((type) => type === 'stop').length);
  });

  test('are tried at once where the account lacks another amount by now', () => {
    const rig = new HeldRig();
    const tries = refuseFor(rig, 20);
    const at = 62 + ((tries.at(-1) ?? 0) + 10) / 60;
    expect(ordered(rig.tick(at, 80, { bid: 80, ask: 80 })).filter(([type]) => type !== 'stop')).toEqual([]);
    rig.lacks(at + 0.01, 4);
    if (rig.newest.state === 'planned') rig.report(at + 0.01, 'cancelled'); // a stop for what is not there
    const left = Number((rig.trade.amount - 4).toFixed(3));
    expect(ordered(rig.tick(at + 0.02, 80, { bid: 80, ask: 80 }))).toEqual([['market', 'sell', left]]);
  });

  test('that had too little to sell for an order ask for all of it again: another order may have held the coins', () => {
    const rig = new HeldRig();
    rig.take({ kind: 'close-asked', time: start + 62 * minute, tradeId: rig.trade.id });
    rig.report(62, 'cancelled');
    rig.tick(62.1, 100);
    const refuse = (at: number, freeCoins: number) => {
      const { id: orderId, amount: requested } = rig.newest;
      const report = { state: 'refused' as const, requested, filled: 0, fills: [], freeCoins };
      rig.take({ kind: 'order-update', time: start + at * minute, orderId, report });
    };
    refuse(62.2, 4);
    rig.tick(63, 100);
    expect(rig.newest.amount).toBe(4);
    refuse(63.1, 0.001);
    rig.tick(64, 100);
    expect(rig.newest).toMatchObject({ state: 'planned', amount: rig.trade.amount });
  });

  test('ask for all that is left once a person has adopted it: what the account had free lacks that already', () => {
    const rig = new HeldRig();
    const { amount, id } = rig.trade;
    const [missing, left] = [4, Number((amount - 4).toFixed(3))];
    rig.state.freeCoins[id] = left;
    const time = start + 62 * minute;
    rig.lacks(62, missing);
    rig.report(62, 'cancelled'); // the stop for all of it
    rig.take({ kind: 'held-elsewhere', time, tradeId: id, fillId: 'outside-1', amount: missing });
    rig.tick(62.3, 100);
    expect([rig.trade.amount, rig.state.freeCoins]).toEqual([left, {}]);
    expect(rig.newest).toMatchObject({ type: 'stop', amount: left });
  });

  test('do not rest any more once one was taken', () => {
    const rig = new HeldRig();
    refuseFor(rig, 3);
    expect(rig.trade.exitFailures).toBeDefined();
    let at = 62 + 181 / 60;
    while (rig.newest.state !== 'planned' || rig.newest.type === 'stop') rig.tick((at += 1 / 60), 80, { bid: 80, ask: 80 });
    rig.report(at, 'open');
    expect(rig.state.exitRetryTimes).toEqual({});
    const { trade, newest } = rig;
    const part = { id: 'part', price: 80, amount: 1, fee: 0, feeCurrency: 'USDT', feeInQuote: 0, liquidity: 'taker' as const };
    const time = start + at * minute;
    const report = { state: 'open' as const, requested: newest.amount, filled: 1, fills: [{ ...part, time }] };
    rig.take({ kind: 'order-update', time, orderId: newest.id, report });
    expect(trade.exitFailures).toBeUndefined();
    expect(rig.state.exitRetryTimes).toEqual({});
  });

  test.each(['expired', 'cancelled'] as const)(
    'and those that are %s at once rest as well: an immediate order that does not cross',
    (state) => {
      const rig = new HeldRig('long', { minimalRoi: { 0: 0.01 }, stoploss: -0.5 });
      const tries: number[] = [];
      let guarded = 0; // seconds with a stop at the exchange
      for (let seconds = 0; seconds <= 120; seconds++) {
        const at = 62 + seconds / 60;
        rig.tick(at, 110, { bid: 110, ask: 110 });
        const order = rig.newest;
        if (order.type === 'stop' && order.state === 'open') guarded += 1;
        if (order.isCancelWanted) rig.report(at, 'cancelled');
        else if (order.state === 'planned') {
          if (order.type !== 'stop') tries.push(seconds);
          rig.report(at, 'open'); // known before its end is
          if (order.type !== 'stop') rig.report(at, state);
        }
      }
      expect(tries.length).toBeGreaterThan(2);
      expect(tries.length).toBeLessThan(7);
      expect(guarded).toBeGreaterThan(80);
    },
  );

  test('one that stood for a minute before the exchange ended it is not a failure', () => {
    const rig = new HeldRig('long', { orderTypes: { ...market.orderTypes, exit: 'limit' }, minimalRoi: { 0: 0.01 }, stoploss: -0.5 });
    rig.tick(62, 110, { bid: 110, ask: 110 });
    rig.report(62, 'cancelled');
    rig.tick(62.1, 110, { bid: 110, ask: 110 });
    rig.report(62.1, 'open');
    rig.report(63.2, 'expired');
    expect(rig.trade.exitFailures).toBeUndefined();
    expect(ordered(rig.tick(63.3, 110, { bid: 110, ask: 110 }))).toHaveLength(1);
  });

  /** A bot whose exit for its ROI is refused for two minutes, and whose stop as well. */
  function refusedRig(direction: 'long' | 'short' = 'long'): [HeldRig, number, number] {
    const sign = direction === 'long' ? 1 : -1;
    const rig = new HeldRig(direction, { minimalRoi: { 0: 0.01 } });
    const price = 100 + 10 * sign;
    let at = 62;
    for (let seconds = 0; seconds < 120; seconds++) {
      at = 62 + seconds / 60;
      rig.tick(at, price, { bid: price, ask: price });
      const order = rig.newest;
      if (order.isCancelWanted) rig.report(at, 'cancelled');
      else if (order.state === 'planned') rig.report(at, 'refused');
    }
    expect(rig.state.exitRetryTimes[rig.trade.id]).toBeGreaterThan(start + at * minute + 10_000);
    return [rig, at, sign];
  }

  /** Refuses each order that leaves the trade for so many minutes, with a price each second; the seconds at which a stop of the bot was ordered. */
  function stopsOrdered(rig: HeldRig, from: number, seconds: number, price: number): number[] {
    const tries: number[] = [];
    for (let i = 0; i <= seconds; i++) {
      const at = from + i / 60;
      rig.tick(at, price, { bid: price, ask: price });
      const order = rig.newest;
      if (order.isCancelWanted) rig.report(at, 'cancelled');
      else if (order.state === 'planned') {
        if (order.type !== 'stop' && order.isProtective === true) tries.push(i);
        rig.report(at, 'refused');
      }
    }
    return tries;
  }

  test('a stop of the bot that is refused once does not wait as long as others that have failed for an hour', () => {
    const rig = new HeldRig('long', { minimalRoi: { 0: 0.01 } });
    stopsOrdered(rig, 62, 70 * 60, 110);
    expect((rig.state.exitRetryTimes[rig.trade.id] ?? 0) - rig.trade.exitFailures!.last).toBeGreaterThan(100_000);
    const pauses = stopsOrdered(rig, 62 + 70.1, 20, 80).slice(0, 3);
    expect(pauses).toEqual([0, 5, 15]);
  });

  test('what a strategy calls its own exit says nothing of it: the stop does not rest with a "stop_loss" of its own', () => {
    const rig = new HeldRig('long');
    Object.assign(rig.context, { callbacks: { customExit: ({ price }: { price: number }) => (price > 105 ? 'stop_loss' : null) } });
    stopsOrdered(rig, 62, 120, 110);
    expect(rig.state.exitRetryTimes[rig.trade.id]).toBeGreaterThan(start + 64.2 * minute);
    expect(stopsOrdered(rig, 64.01, 3, 80)[0]).toBe(0);
  });

  test('an exit that has stood for a minute ends the row of those that failed', () => {
    const exits = {
      orderTypes: { ...market.orderTypes, exit: 'limit' },
      unfilledTimeout: { exitMs: 5 * minute, exitTimeoutCount: 0 },
    } as const;
    const rig = new HeldRig('long', { ...exits, minimalRoi: { 0: 0.01 }, stoploss: -0.5 });
    stopsOrdered(rig, 62, 60, 110);
    expect(rig.trade.exitFailures).toBeDefined();
    let at = 63.1;
    const until = (end: number) => {
      for (; at < end; at += 1 / 60) rig.tick(at, 110, { bid: 110, ask: 110 });
    };
    while (rig.newest.type === 'stop' || rig.newest.state !== 'planned') {
      until(at + 1 / 60);
      if (rig.newest.isCancelWanted) rig.report(at, 'cancelled');
      else if (rig.newest.type === 'stop' && rig.newest.state === 'planned') rig.report(at, 'open');
    }
    rig.report(at, 'open');
    const stoodAt = at;
    until(stoodAt + 0.9);
    expect(rig.trade.exitFailures).toBeDefined();
    until(stoodAt + 1.1);
    expect(rig.trade.exitFailures).toBeUndefined();
  });

  test('nor is anything sold meanwhile of which nothing is there', () => {
    const [rig, at] = refusedRig();
    rig.lacks(at, rig.trade.amount);
    rig.state.exitRetryTimes[rig.trade.id] = start + (at + 1) * minute; // what is missing has ended the rest
    expect(ordered(rig.tick(at + 2 / 60, 80, { bid: 80, ask: 80 }))).toEqual([]);
  });

  test.each(['long', 'short'] as const)('do not keep a %s from its stop: the bot watches it meanwhile', (direction) => {
    const [rig, at, sign] = refusedRig(direction);
    const beyond = 100 - 20 * sign;
    expect(ordered(rig.tick(at + 1 / 60, 100 - sign, { bid: 100 - sign, ask: 100 - sign }))).toEqual([]); // still at rest
    const effects = rig.tick(at + 2 / 60, beyond, { bid: beyond, ask: beyond });
    expect(ordered(effects)).toEqual([['market', direction === 'long' ? 'sell' : 'buy', rig.trade.amount]]);
    expect(rig.newest.tag).toBe('stop_loss');
    // Refused as well, it is what rests.
    rig.report(at + 2 / 60, 'refused');
    expect(ordered(rig.tick(at + 3 / 60, beyond, { bid: beyond, ask: beyond }))).toEqual([]);
  });

  test('leave the trade its stop while they rest for long', () => {
    const rig = new HeldRig('long', { minimalRoi: { 0: 0.01 }, stoploss: -0.5 });
    for (let seconds = 0; seconds < 120; seconds++) {
      const at = 62 + seconds / 60;
      rig.tick(at, 110, { bid: 110, ask: 110 });
      const order = rig.newest;
      if (order.isCancelWanted) rig.report(at, 'cancelled');
      else if (order.state === 'planned') rig.report(at, order.type === 'stop' ? 'open' : 'refused');
    }
    expect(rig.state.exitRetryTimes[rig.trade.id]).toBeGreaterThan(start + hour);
    expect(rig.waiting.map(([type]) => type)).toEqual(['stop']);
  });
});
