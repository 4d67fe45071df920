import { describe, expect, test } from 'vitest';
import type { Fill } from '../account/fill.ts';
import type { OrderState } from '../account/order-life.ts';
import type { Order } from '../account/order.ts';
import type { Instrument } from '../market/instrument.ts';
import type { SettingsInput } from '../settings/normalise-settings.ts';
import { advance } from './advance.ts';
import type { BotEffect } from './effect.ts';
import type { SignalRow } from './event.ts';
import { fromStored, toStoredMemory, toStoredTrade } from './stored-state.ts';
import { enter, hour, market, Rig, start, symbol } from './testing/rig.ts';

const minute = 60_000;

/** A bot whose stops lie at the exchange, which wants to buy 10 BTC at 100 and has its stop 10 % below. */
class StopRig extends Rig {
  #fills = 0;
  constructor(settings: Partial<SettingsInput> = {}, row: Partial<SignalRow> = enter, given: Partial<Instrument> = {}) {
    super({ ...market, ...settings }, {}, given);
    Object.assign(this.context, { execution: 'exchange', stopsAtExchange: true });
    this.candle(1, row);
    this.tick(60, 100);
  }
  /** What the exchange reports of the bot's n-th order, some minutes after the start; with a fill of `amount` at `price`. */
  report(minutes: number, n: number, state: OrderState, amount = 0, price = 100, freeCoins?: number): BotEffect[] {
    const fills: Fill[] = [];
    const order = this.order(n);
    const time = start + minutes * minute;
    if (amount > 0)
      fills.push({
        id: String(++this.#fills),
        price,
        amount,
        fee: 0,
        feeCurrency: 'USDT',
        feeInQuote: 0,
        liquidity: 'taker',
        time,
      });
    const report = {
      state,
      requested: order.amount,
      filled: order.filled + amount,
      fills,
      ...(freeCoins === undefined ? {} : { freeCoins }),
    };
    return this.take({ kind: 'order-update', time, orderId: order.id, report });
  }
  /** Ends each stop at once in this way, with a price each second for so many minutes; the seconds at which one was decided on. */
  failUntil(minutes: number, how: 'refused' | 'expired' | 'cancelled', price = 99, meanwhile = (): void => {}): number[] {
    const tries: number[] = [];
    for (let seconds = 0; seconds <= minutes * 60; seconds++) {
      const at = 61 + seconds / 60;
      this.tick(at, price);
      const stop = this.trade.orders.findLast(({ type }) => type === 'stop');
      if (stop?.state === 'planned') {
        tries.push(seconds);
        const n = this.created().length;
        if (how !== 'refused') this.report(at, n, 'open');
        this.report(at, n, how);
      }
      meanwhile();
    }
    return tries;
  }
  /** A person wants the stop tried now, and not after the pause that follows the n-th order. */
  askStop(minutes: number, n: number): BotEffect[] {
    return this.take({ kind: 'stop-asked', time: start + minutes * minute, tradeId: this.trade.id, orderId: this.order(n).id });
  }
  order(n: number): Order {
    const found = [...this.state.trades, ...this.state.formerTrades]
      .flatMap(({ orders }) => orders)
      .find(({ id }) => id === `fl-bot1-${n.toString(36)}`);
    if (found === undefined) throw new Error(`There is no order ${n}`);
    return found;
  }
  get trade() {
    const [trade] = this.state.trades;
    if (trade === undefined) throw new Error('There is no open trade');
    return trade;
  }
  created(): (string | number | null)[][] {
    return this.effects.flatMap((effect) =>
      effect.kind === 'order-created'
        ? [[effect.order.type, effect.order.side, effect.order.amount, effect.order.price, effect.order.tag]]
        : [],
    );
  }
  cancels(): string[] {
    return this.effects.flatMap((effect) => (effect.kind === 'cancel-requested' ? [effect.orderId] : []));
  }
}

/** A bot that has bought all it wanted, and has just decided on its stop. */
function heldRig(settings: Partial<SettingsInput> = {}): StopRig {
  const rig = new StopRig(settings);
  rig.report(61, 1, 'filled', 10.001);
  return rig;
}

/** A bot that has sold what it does not have, and whose stop, 10 % above, lies at the exchange. */
function shortRig(settings: Partial<SettingsInput> = {}): StopRig {
  const futures = { marketType: 'futures', marginMode: 'isolated', canShort: true, liquidationFormula: 'binance' } as const;
  const rig = new StopRig({ ...futures, ...settings }, { enterShort: true }, { marketType: 'futures', maxLeverage: 10 });
  rig.report(61, 1, 'filled', rig.order(1).amount);
  rig.report(61, 2, 'open');
  return rig;
}

describe('the stop of a short at the exchange', () => {
  test('lies above the price, for what is held', () => {
    const rig = shortRig();
    expect(rig.order(1).side).toBe('sell');
    expect(rig.order(2)).toMatchObject({ type: 'stop', side: 'buy', amount: rig.trade.amount, price: 110, state: 'open' });
  });

  test('does the work of the stop in the bot, which acts itself when the price runs through it', () => {
    const rig = shortRig();
    rig.tick(62, 111);
    expect(rig.cancels()).toEqual([]);
    rig.tick(63, 111.2);
    expect(rig.cancels()).toEqual(['fl-bot1-2']);
    rig.report(63.1, 2, 'cancelled');
    rig.tick(63.2, 111.2);
    expect(rig.created().at(-1)).toMatchObject(['market', 'buy', rig.trade.amount, expect.any(Number), 'stop_loss']);
  });

  test('stays while the trade is far in profit, and does the work of a trailing one that the price comes back to', () => {
    const rig = shortRig();
    for (const [minutes, price] of [
      [62, 90],
      [63, 60],
      [64, 109.9],
    ] as const)
      rig.tick(minutes, price);
    expect(rig.cancels()).toEqual([]);
    const trailing = shortRig({ trailingStop: true });
    trailing.tick(62, 90);
    trailing.report(62, 2, 'cancelled');
    trailing.tick(62.1, 90);
    trailing.report(62.1, 3, 'open');
    expect(trailing.order(3).price).toBeCloseTo(99, 1);
    trailing.tick(62.2, 99.5);
    expect(trailing.cancels()).toEqual(['fl-bot1-2']);
    trailing.tick(62.3, 101);
    expect(trailing.cancels()).toEqual(['fl-bot1-2', 'fl-bot1-3']);
  });
});

describe('the stop at the exchange', () => {
  test('is decided on with the first fill, for what is held, at the price of the stop', () => {
    const rig = new StopRig();
    rig.report(61, 1, 'open', 4);
    expect(rig.created().slice(1)).toEqual([['stop', 'sell', 4, 90, 'stoploss_on_exchange']]);
    expect(rig.order(2)).toMatchObject({ state: 'planned', action: 'stop', purpose: 'exit' });
  });

  test('is never decided on where the exchange takes none, nor on paper', () => {
    for (const given of [{ stopsAtExchange: false }, { execution: 'simulated', stopsAtExchange: false }]) {
      const rig = new StopRig();
      Object.assign(rig.context, given);
      rig.report(61, 1, 'filled', 10.001);
      rig.tick(62, 100);
      expect(rig.created()).toHaveLength(1);
    }
  });

  test('grows with the entry: soon while that is being filled, at once when it has ended', () => {
    const rig = new StopRig();
    rig.report(61, 1, 'open', 4);
    rig.report(61, 2, 'open');
    rig.report(61.05, 1, 'open', 2);
    expect(rig.cancels()).toEqual([]); // three seconds old
    rig.tick(61.1, 100);
    expect(rig.cancels()).toEqual(['fl-bot1-2']);
    rig.tick(61.2, 100);
    expect(rig.created()).toHaveLength(2); // not before the first is certainly gone
    rig.report(61.3, 2, 'cancelled');
    rig.tick(61.4, 100);
    expect(rig.created().at(-1)).toEqual(['stop', 'sell', 6, 90, 'stoploss_on_exchange']);
    expect(rig.order(3).follows).toBe('fl-bot1-2');
    rig.report(61.41, 3, 'open');
    rig.report(61.42, 1, 'filled', 4.001);
    expect(rig.cancels()).toEqual(['fl-bot1-2', 'fl-bot1-3']);
  });

  test('follows a trailing stop, at most once a minute and only by more than a tick', () => {
    const rig = new StopRig({ trailingStop: true, stoploss: -0.1 });
    rig.report(61, 1, 'filled', 10.001);
    rig.report(61, 2, 'open');
    rig.tick(61.5, 110);
    expect(rig.trade.stop).toBeCloseTo(99, 2);
    expect(rig.cancels()).toEqual([]);
    rig.tick(62, 110);
    expect(rig.cancels()).toEqual(['fl-bot1-2']);
    rig.report(62, 2, 'cancelled');
    rig.tick(62.1, 110);
    expect(rig.created().at(-1)?.[3]).toBeCloseTo(99, 2);
    rig.report(62.1, 3, 'open');
    rig.tick(64, 110.02);
    expect(rig.trade.stop).toBeCloseTo(99.01, 2);
    expect(rig.cancels()).toHaveLength(1); // a tick is not worth a moment without a stop
    rig.tick(64, 110.04);
    expect(rig.cancels()).toHaveLength(2);
  });

  test('does not do the work of one that has moved nearer: until it follows the bot leaves by itself', () => {
    const rig = heldRig({ trailingStop: true, stoploss: -0.1 });
    rig.report(61, 2, 'open');
    rig.tick(61.2, 110);
    expect([rig.trade.stop, rig.order(2).price, rig.cancels()]).toEqual([expect.closeTo(99, 9), 90, []]);
    rig.tick(61.3, 98.9);
    expect(rig.cancels()).toEqual(['fl-bot1-2']);
    rig.report(61.4, 2, 'cancelled');
    rig.tick(61.5, 98.9);
    expect(rig.created().at(-1)).toEqual(['market', 'sell', 10.001, expect.any(Number), 'trailing_stop_loss']);
  });

  test('nor does that of a short', () => {
    const rig = shortRig({ trailingStop: true });
    rig.tick(61.2, 90);
    expect([rig.trade.stop, rig.cancels()]).toEqual([expect.closeTo(99, 1), []]);
    rig.tick(61.3, 99.2);
    expect(rig.cancels()).toEqual(['fl-bot1-2']);
    rig.report(61.4, 2, 'cancelled');
    rig.tick(61.5, 99.2);
    expect(rig.created().at(-1)).toMatchObject(['market', 'buy', rig.trade.amount, expect.any(Number), 'trailing_stop_loss']);
  });

  test('does it within a tick, and where the price has come through it', () => {
    const rig = heldRig({ trailingStop: true, stoploss: -0.1 });
    rig.report(61, 2, 'open');
    rig.tick(62, 110);
    rig.report(62, 2, 'cancelled');
    rig.tick(62.1, 110);
    rig.report(62.1, 3, 'open');
    rig.tick(62.2, 110.02);
    expect([rig.trade.stop > rig.order(3).price, rig.order(3).price]).toEqual([true, 99]);
    rig.tick(62.3, 99.005, { bid: 99.005, ask: 99.015 });
    rig.tick(62.4, 120); // the stop has moved to 108; it is filled at its old price
    rig.tick(62.5, 98.5);
    expect(rig.cancels()).toEqual(['fl-bot1-2']);
  });

  test('that is smaller than the trade because coins were held back is tried for all of it again after ten minutes', () => {
    const rig = heldRig();
    rig.report(61, 2, 'refused', 0, 100, 6.5);
    rig.tick(62.2, 100);
    expect(rig.order(3)).toMatchObject({ type: 'stop', amount: 6.5 });
    rig.report(62.2, 3, 'open');
    for (let minutes = 62.3; minutes < 72.2; minutes += 0.5) rig.tick(minutes, 100);
    expect(rig.cancels()).toEqual([]);
    rig.tick(72.3, 100);
    expect(rig.cancels()).toEqual(['fl-bot1-3']);
    rig.report(72.3, 3, 'cancelled');
    rig.tick(72.4, 100);
    expect(rig.order(4)).toMatchObject({ type: 'stop', amount: 10.001 });
    // It is refused again: what is there gets its stop after the shortest pause.
    rig.report(72.4, 4, 'refused', 0, 100, 6.5);
    rig.tick(72.45, 100);
    rig.tick(72.5, 100);
    expect(rig.order(5)).toMatchObject({ type: 'stop', amount: 6.5 });
    rig.report(72.5, 5, 'open');
    for (let minutes = 72.6; minutes < 132.4; minutes += 1) rig.tick(minutes, 100);
    expect(rig.cancels()).toEqual(['fl-bot1-3']);
    rig.tick(132.6, 100);
    expect(rig.cancels()).toEqual(['fl-bot1-3', 'fl-bot1-5']);
  });

  test('that is filled closes the trade, as a stop', () => {
    const rig = new StopRig();
    rig.report(61, 1, 'filled', 10.001);
    rig.report(62, 2, 'open');
    rig.report(63, 2, 'filled', 10.001, 89.5);
    expect(rig.closed()).toMatchObject([{ exitReason: 'stoploss_on_exchange', closeRate: 89.5 }]);
    expect(rig.state.consecutiveLosses).toBe(1);
    expect(rig.state.trades).toEqual([]);
  });

  test('does the work of the stop in the bot, which acts itself when the price runs through it', () => {
    const rig = new StopRig();
    rig.report(61, 1, 'filled', 10.001);
    rig.report(61, 2, 'open');
    rig.tick(62, 89.5);
    expect(rig.cancels()).toEqual([]);
    rig.tick(63, 89);
    expect(rig.cancels()).toEqual(['fl-bot1-2']);
    rig.report(63.1, 2, 'cancelled');
    rig.tick(63.2, 89);
    expect(rig.created().at(-1)).toMatchObject(['market', 'sell', 10.001, expect.any(Number), 'stop_loss']);
  });

  test('that is not confirmed yet does not keep the bot from acting itself', () => {
    const rig = new StopRig();
    rig.report(61, 1, 'filled', 10.001);
    rig.tick(62, 89.9);
    expect(rig.cancels()).toEqual(['fl-bot1-2']);
  });

  test.each(['sent', 'unknown'] as const)('OP-85 that is %s is not trusted: nobody knows whether it lies there', (state) => {
    const rig = new StopRig();
    rig.report(61, 1, 'filled', 10.001);
    for (const each of ['sent', state] as const) rig.report(61.5, 2, each);
    rig.tick(62, 89.9);
    expect(rig.cancels()).toEqual(['fl-bot1-2']);
  });

  test('is cancelled and confirmed before the trade is left, and does not come back in between', () => {
    const rig = new StopRig({ minimalRoi: { 0: 0.05 } });
    rig.report(61, 1, 'filled', 10.001);
    rig.report(61, 2, 'open');
    rig.tick(62, 106);
    expect(rig.cancels()).toEqual(['fl-bot1-2']);
    expect(rig.created()).toHaveLength(2);
    rig.report(62.1, 2, 'cancelled');
    expect(rig.created()).toHaveLength(2);
    rig.tick(62.2, 106);
    expect(rig.created().at(-1)).toMatchObject(['market', 'sell', 10.001, expect.any(Number), 'roi']);
    rig.report(62.3, 3, 'filled', 10.001, 106);
    expect(rig.closed()).toMatchObject([{ exitReason: 'roi' }]);
  });

  test('of which a part was filled while it was being cancelled leaves the rest to the exit', () => {
    const rig = new StopRig({ minimalRoi: { 0: 0.05 } });
    rig.report(61, 1, 'filled', 10.001);
    rig.report(61, 2, 'open');
    rig.tick(62, 106);
    rig.report(62.1, 2, 'cancelled', 4, 90);
    rig.tick(62.2, 106);
    expect(rig.created().at(-1)).toMatchObject(['market', 'sell', 6.001, expect.any(Number), 'roi']);
  });

  test('that was refused is tried again after five seconds, then after ten, twenty and forty; meanwhile the bot watches the price', () => {
    const rig = new StopRig();
    rig.report(61, 1, 'filled', 10.001);
    let seconds = 61 * 60;
    let order = 2;
    for (const wait of [5, 10, 20, 40, 40]) {
      rig.report(seconds / 60, order, 'refused');
      rig.tick((seconds + wait - 0.1) / 60, 99);
      expect(rig.created(), `${wait}`).toHaveLength(order);
      rig.tick((seconds + wait) / 60, 99);
      expect(rig.created(), `${wait}`).toHaveLength(order + 1);
      seconds += wait;
      order += 1;
    }
    rig.report((seconds + 1) / 60, order, 'refused');
    rig.tick((seconds + 2) / 60, 89);
    expect(rig.created().at(-1)).toMatchObject(['market', 'sell', 10.001, expect.any(Number), 'stop_loss']);
  });

  test('that is refused for long is tried less and less often, but every five minutes at least', () => {
    const rig = heldRig();
    const [tries, lastsSeconds] = [rig.failUntil(24 * 60, 'refused'), 24 * 60 * 60];
    const waits = tries.slice(1).map((at, i) => at - (tries[i] ?? 0));
    expect(waits.slice(0, 4)).toEqual([5, 10, 20, 40]);
    expect(new Set(waits.filter((_, i) => i > 3 && (tries[i] ?? 0) < 600))).toEqual(new Set([40]));
    expect(waits.every((wait, i) => i === 0 || wait >= (waits[i - 1] ?? 0))).toBe(true);
    expect(Math.max(...waits)).toBe(300);
    expect(waits.find((wait) => wait > 40)).toBeLessThan(45); // it grows gently
    expect(tries.length / (lastsSeconds / 300)).toBeLessThan(1.2);
  });

  test('that is taken and ended at once by the exchange is tried again in the same way', () => {
    for (const end of ['expired', 'cancelled'] as const) {
      const tries = heldRig().failUntil(60, end);
      expect(tries.slice(0, 6)).toEqual([0, 5, 15, 35, 75, 115]);
      expect(tries.length).toBeLessThan(50);
    }
  });

  test('that was refused for ten minutes is tried with the next minute when it is of another price or amount, or the market is elsewhere', () => {
    const changes: Readonly<Record<string, (rig: StopRig) => void>> = {
      price: (rig) => (rig.trade.stop = 90.1),
      amount: (rig) => (rig.state.freeCoins[rig.trade.id] = 9),
      market: () => {},
    };
    for (const [what, change] of Object.entries(changes)) {
      const rig = heldRig();
      const last = rig.failUntil(75, 'refused', 101).at(-1) ?? 0;
      const now = (seconds: number, price: number): number => {
        rig.tick(61 + seconds / 60, price);
        return rig.created().length;
      };
      const before = rig.created().length;
      expect(now(last + 70, 101), what).toBe(before);
      expect(now(last + 80, 100), what).toBe(before); // by less than a hundredth
      change(rig);
      const price = what === 'market' ? 99.99 : 101; // a hundredth lower
      expect(now(last + 81, price), what).toBe(before + 1);
      rig.report(61 + (last + 81) / 60, before + 1, 'refused');
      // And then not before the next change, nor within a minute of it.
      expect(now(last + 150, price), what).toBe(before + 1);
      rig.trade.stop += 1;
      expect(now(last + 151, price), what).toBe(before + 2);
      rig.report(61 + (last + 151) / 60, before + 2, 'refused');
      rig.trade.stop += 1;
      expect(now(last + 210, price), what).toBe(before + 2);
      expect(now(last + 211, price), what).toBe(before + 3);
    }
  });

  test.each(['refused', 'expired', 'cancelled'] as const)(
    'that a person wants tried now, after it was %s for long, is tried with the next price; the pause after it is as long as it would be',
    (how) => {
      const rig = heldRig();
      const last = rig.failUntil(75, how).at(-1) ?? 0;
      const n = rig.created().length;
      const failures = rig.trade.stopFailures;
      const minutes = (seconds: number): number => 61 + (last + seconds) / 60;
      rig.tick(minutes(20), 99);
      expect(rig.created()).toHaveLength(n);
      for (const seconds of [20, 20.5]) expect(rig.askStop(minutes(seconds), n)).toEqual([]);
      rig.tick(minutes(21), 99);
      expect(rig.created().slice(n)).toEqual([['stop', 'sell', 10.001, 90, 'stoploss_on_exchange']]);
      // Asked again while its outcome is not known, nothing more is sent.
      for (const state of ['sent', 'unknown', 'open'] as const) {
        rig.report(minutes(22), n + 1, state);
        rig.askStop(minutes(22), n);
        rig.askStop(minutes(22), n + 1);
        rig.tick(minutes(23), 99);
        expect(rig.created(), state).toHaveLength(n + 1);
      }
      rig.report(minutes(23), n + 1, 'expired');
      expect(rig.trade.stopFailures).toMatchObject({ since: failures?.since, orderId: rig.order(n + 1).id });
      rig.askStop(minutes(23), n); // what was asked before
      rig.tick(minutes(23 + 295), 99);
      expect(rig.created()).toHaveLength(n + 1);
      rig.tick(minutes(23 + 300), 99);
      expect(rig.created()).toHaveLength(n + 2);
    },
  );

  test('that a person wants tried again and again is tried every five seconds at most', () => {
    const rig = heldRig();
    const last = rig.failUntil(75, 'refused').at(-1) ?? 0;
    const n = rig.created().length;
    rig.askStop(61 + last / 60, n);
    rig.tick(61 + (last + 4.9) / 60, 99);
    expect(rig.created()).toHaveLength(n);
    rig.tick(61 + (last + 5) / 60, 99);
    expect(rig.created()).toHaveLength(n + 1);
  });

  test('that a person wants tried now is not tried while the trade is being left, nor of another trade', () => {
    const rig = heldRig();
    const last = rig.failUntil(75, 'refused').at(-1) ?? 0;
    const n = rig.created().length;
    const at = 61 + (last + 20) / 60;
    rig.take({ kind: 'stop-asked', time: start + at * minute, tradeId: 999, orderId: rig.order(n).id });
    rig.tick(at, 99);
    expect(rig.created()).toHaveLength(n);
    rig.askStop(at, n);
    rig.take({ kind: 'status-changed', time: start + at * minute, status: 'stopped' });
    rig.tick(at + 0.1, 99);
    expect(
      rig
        .created()
        .slice(n)
        .map(([type]) => type),
    ).toEqual(['market']);
  });

  test('that a person wants tried now is wanted in a copy of the state; the state before stays as it was', () => {
    const rig = heldRig();
    rig.failUntil(75, 'refused');
    const before = structuredClone(rig.state);
    const orderId = rig.order(rig.created().length).id;
    const { state } = advance(rig.state, { kind: 'stop-asked', time: start + 200 * minute, tradeId: rig.trade.id, orderId }, rig.context);
    expect(rig.state).toEqual(before);
    expect(state.trades[0]?.stopFailures?.isNextWanted).toBe(true);
    // It may be written with its trade.
    expect(fromStored({ ...state, decidedCandleTimes: {} }, toStoredMemory(state), state.trades.map(toStoredTrade)).trades).toEqual(
      state.trades,
    );
  });

  test('that has stood for a minute has put an end to what failed before it', () => {
    for (const stands of [59, 60]) {
      const rig = heldRig();
      const last = rig.failUntil(75, 'refused').at(-1) ?? 0;
      const [at, n] = [last + 300, rig.created().length];
      const minutes = (seconds: number): number => 61 + (at + seconds) / 60;
      rig.tick(minutes(0), 99);
      rig.report(minutes(0), n + 1, 'open');
      rig.tick(minutes(stands), 99);
      rig.report(minutes(stands), n + 1, 'expired');
      rig.tick(minutes(stands), 99);
      if (stands === 60) {
        expect(rig.created()).toHaveLength(n + 2); // the next one at once
        rig.report(minutes(stands), n + 2, 'refused');
        rig.tick(minutes(stands + 5), 99);
        expect(rig.created()).toHaveLength(n + 3);
      } else {
        rig.tick(minutes(stands + 299), 99);
        expect(rig.created()).toHaveLength(n + 1);
      }
    }
  });

  test.each(['watched', 'unwatched', 'replaced'])('that has stood for a minute has put an end to it, %s', (how) => {
    const rig = heldRig();
    const last = rig.failUntil(75, 'refused').at(-1) ?? 0;
    const n = rig.created().length + 1;
    const minutes = (seconds: number): number => 61 + (last + 300 + seconds) / 60;
    rig.tick(minutes(0), 99);
    rig.report(minutes(0), n, 'open');
    if (how !== 'unwatched') rig.tick(minutes(60), 99);
    if (how === 'replaced') {
      rig.trade.amount -= 1;
      rig.tick(minutes(60), 99);
      expect(rig.cancels()).toHaveLength(1);
    }
    rig.report(minutes(60), n, how === 'replaced' ? 'cancelled' : 'expired');
    rig.tick(minutes(60), 99);
    rig.report(minutes(60), n + 1, 'refused');
    rig.tick(minutes(64.9), 99);
    expect(rig.created()).toHaveLength(n + 1);
    rig.tick(minutes(65), 99);
    expect(rig.created()).toHaveLength(n + 2);
  });

  test('that was on its way for a minute has not stood', () => {
    const rig = heldRig();
    const last = rig.failUntil(75, 'refused').at(-1) ?? 0;
    const n = rig.created().length + 1;
    const minutes = (seconds: number): number => 61 + (last + 300 + seconds) / 60;
    rig.tick(minutes(0), 99);
    rig.report(minutes(0), n, 'unknown');
    rig.tick(minutes(61), 99);
    rig.report(minutes(62), n, 'refused');
    rig.tick(minutes(62 + 299), 99);
    expect(rig.created()).toHaveLength(n);
  });

  test('that the bot itself replaces is never waited for, whatever failed before it', () => {
    const rig = heldRig({ trailingStop: true });
    const last = rig.failUntil(75, 'refused').at(-1) ?? 0;
    let n = rig.created().length;
    const minutes = (seconds: number): number => 61 + (last + 300 + seconds) / 60;
    rig.tick(minutes(0), 99);
    for (let i = 0; i < 5; i++) {
      n += 1;
      rig.report(minutes(i), n, 'open');
      rig.trade.amount -= 1;
      rig.tick(minutes(i), 99);
      expect(rig.cancels().at(-1)).toBe(rig.order(n).id);
      rig.report(minutes(i), n, i === 3 ? 'expired' : 'cancelled'); // its end came first, but it was wanted
      rig.tick(minutes(i), 99);
      expect(rig.created()).toHaveLength(n + 1);
    }
    // It has not stood for a minute: what is refused next is still in a row.
    rig.report(minutes(5), n + 1, 'refused');
    rig.tick(minutes(5 + 299), 99);
    expect(rig.created()).toHaveLength(n + 1);
  });

  test('that the bot cancels to leave is there again at once when nothing comes of that, long before the pause is over', () => {
    const rig = heldRig();
    const last = rig.failUntil(75, 'refused').at(-1) ?? 0;
    const n = rig.created().length + 1;
    const minutes = (seconds: number): number => 61 + (last + seconds) / 60;
    rig.tick(minutes(61), 100.5); // the market has moved
    rig.report(minutes(61), n, 'open');
    rig.order(n).isCancelWanted = true;
    rig.report(minutes(62), n, 'cancelled');
    rig.tick(minutes(62), 99);
    expect(rig.created()).toHaveLength(n + 1);
  });

  test('that is refused after an exit was is refused for the first time', () => {
    const rig = heldRig({ minimalRoi: { 0: 0.05 } });
    rig.report(61, 2, 'open');
    rig.tick(62, 106);
    rig.report(62, 2, 'cancelled');
    rig.tick(62, 106);
    rig.report(62, 3, 'refused');
    rig.tick(65, 99);
    rig.report(65, 4, 'refused');
    rig.tick(65 + 5 / 60, 99);
    expect(rig.created().map(([type]) => type)).toEqual(['market', 'stop', 'market', 'stop', 'stop']);
  });

  test('that is refused although it was to be cancelled has failed all the same', () => {
    const rig = heldRig();
    rig.trade.amount = 9;
    rig.tick(61, 99);
    expect(rig.cancels()).toEqual(['fl-bot1-2']);
    rig.report(61, 2, 'refused');
    rig.tick(61 + 4.9 / 60, 99);
    expect(rig.created()).toHaveLength(2);
  });

  test('that fails after long is refused for the first time again', () => {
    for (const pause of [599, 601]) {
      const rig = heldRig();
      const last = rig.failUntil(75, 'refused').at(-1) ?? 0;
      const n = rig.created().length;
      rig.tick(61 + (last + pause) / 60, 99); // no prices came in between
      rig.report(61 + (last + pause) / 60, n + 1, 'refused');
      rig.tick(61 + (last + pause + 5) / 60, 99);
      expect(rig.created(), `${pause}`).toHaveLength(pause > 600 ? n + 2 : n + 1);
    }
  });

  test('of which a part was filled is followed by one for the rest at once', () => {
    const rig = heldRig();
    rig.report(61, 2, 'open', 4, 90);
    rig.report(61.01, 2, 'expired');
    rig.tick(61.01, 91);
    expect(rig.created().at(-1)).toEqual(['stop', 'sell', 6.001, 90, 'stoploss_on_exchange']);
  });

  test('is not tried sooner by a bot that starts again and again, with what was written of it', () => {
    const rig = heldRig();
    const tries = rig.failUntil(60, 'expired', 99, () => {
      const { memory, trades } = JSON.parse(
        JSON.stringify({ memory: toStoredMemory(rig.state), trades: rig.state.trades.map(toStoredTrade) }),
      ) as { memory: unknown; trades: unknown[] };
      const { botId, timeframe, settings, status, tradingState, closedProfit, consecutiveLosses } = rig.state;
      const identity = { botId, timeframe, settings, status, tradingState, closedProfit, consecutiveLosses, decidedCandleTimes: {} };
      rig.state = fromStored(identity, memory, trades);
    });
    expect(tries).toEqual(heldRig().failUntil(60, 'expired'));
  });

  test('stays while the bot is paused, reducing or halted, and goes when it is stopped', () => {
    const rig = new StopRig();
    rig.report(61, 1, 'filled', 10.001);
    rig.report(61, 2, 'open');
    rig.take({ kind: 'status-changed', time: start + 62 * minute, status: 'paused' });
    for (const tradingState of ['reducing', 'halted'] as const) {
      rig.state.tradingState = tradingState;
      rig.tick(63, 100);
      expect(rig.cancels()).toEqual([]);
    }
    rig.take({ kind: 'status-changed', time: start + 64 * minute, status: 'stopped' });
    expect(rig.cancels()).toEqual(['fl-bot1-2']);
  });

  test('that is being filled is left alone, and none is added while the trade is being left', () => {
    const rig = new StopRig();
    rig.report(61, 1, 'filled', 10.001);
    rig.report(61, 2, 'open', 4, 90);
    rig.tick(63, 90);
    expect(rig.cancels()).toEqual([]);
    const leaving = new StopRig({ orderTypes: { ...market.orderTypes, exit: 'limit' }, minimalRoi: { 0: 0.05 } });
    leaving.report(61, 1, 'filled', 10.001);
    leaving.report(61, 2, 'refused');
    leaving.tick(61.5, 106);
    leaving.report(61.6, 3, 'open');
    for (const minutes of [61.7, 63, 64]) leaving.tick(minutes, 106);
    expect(leaving.created().map(([type]) => type)).toEqual(['market', 'stop', 'limit']);
  });

  test('that is filled while the entry still stands closes the trade with the end of the entry', () => {
    const rig = new StopRig();
    rig.report(61, 1, 'open', 4);
    rig.report(61, 2, 'open');
    rig.report(61.01, 2, 'filled', 4, 90);
    expect(rig.closed()).toEqual([]);
    expect(rig.cancels()).toEqual(['fl-bot1-1']);
    rig.tick(61.02, 90);
    expect(rig.created()).toHaveLength(2); // nothing is held, and nothing is left again
    rig.report(61.03, 1, 'cancelled');
    expect(rig.closed()).toMatchObject([{ exitReason: 'stoploss_on_exchange', closeRate: 90, profit: -40 }]);
    expect(rig.state).toMatchObject({ trades: [], closedProfit: -40, consecutiveLosses: 1 });
  });

  test('that is filled while the entry still stands closes the trade when it was filled, however late the end of the entry is reported', () => {
    const rig = new StopRig();
    rig.report(61, 1, 'open', 4);
    rig.report(61, 2, 'open');
    rig.report(61.01, 2, 'filled', 4, 90);
    rig.report(61 + 24 * 60, 1, 'cancelled');
    expect(rig.closed()).toMatchObject([{ closeTime: start + 61.01 * minute, profit: -40 }]);
  });

  test('that is filled while the entry still stands leaves a trade for what the entry brings before its end', () => {
    const rig = new StopRig();
    rig.report(61, 1, 'open', 4);
    rig.report(61, 2, 'open');
    rig.report(61.01, 2, 'filled', 4, 90);
    rig.report(61.03, 1, 'cancelled', 3, 91);
    expect(rig.trade.amount).toBe(3);
    expect(rig.created().at(-1)?.slice(0, 3)).toEqual(['stop', 'sell', 3]);
    rig.report(61.04, 3, 'filled', 3, 80);
    expect(rig.closed()).toMatchObject([{ profit: -40 - 33 }]);
    expect(rig.effects.filter(({ kind }) => kind === 'alarm')).toEqual([]);
  });

  test('waits for its price, not for time', () => {
    const rig = new StopRig({ unfilledTimeout: { exitMs: minute } });
    rig.report(61, 1, 'filled', 10.001);
    rig.report(61, 2, 'open');
    rig.tick(600, 100);
    expect(rig.cancels()).toEqual([]);
  });

  test('that has ended without a fill is forgotten after a while', () => {
    const rig = new StopRig({ trailingStop: true });
    rig.report(61, 1, 'filled', 10.001);
    for (let n = 2; n < 12; n++) {
      rig.report(60 + 2 * n, n, 'open');
      rig.tick(61.5 + 2 * n, 100 + n);
      rig.report(61.6 + 2 * n, n, 'cancelled');
      rig.tick(61.7 + 2 * n, 100 + n);
    }
    expect(rig.trade.orders.map(({ id }) => id)).toEqual(['fl-bot1-1', 'fl-bot1-8', 'fl-bot1-9', 'fl-bot1-a', 'fl-bot1-b', 'fl-bot1-c']);
  });
});

test('a candle is decided while a stop lies at the exchange', () => {
  const rig = new StopRig();
  rig.report(61, 1, 'filled', 10.001);
  rig.report(61, 2, 'open');
  rig.candle(2, enter);
  rig.take({ kind: 'market', view: { symbol, time: start + 2 * hour, bid: 100, ask: 100.02, last: 100 } });
  expect(rig.decisions().at(-1)).toMatchObject({ action: 'hold', gate: 'has-open-trade' });
});

describe('an account with fewer coins than the trade', () => {
  /** A bot that holds 10 BTC, whose first stop was refused by an account that has so many free. */
  function shortOf(freeCoins: number): StopRig {
    const rig = new StopRig();
    rig.report(61, 1, 'filled', 10);
    rig.report(62, 2, 'refused', 0, 100, freeCoins);
    rig.tick(63, 100);
    return rig;
  }

  test('gets a stop, and then an exit, for what it has', () => {
    const rig = shortOf(9.9954);
    expect(rig.created().at(-1)).toEqual(['stop', 'sell', 9.995, 90, 'stoploss_on_exchange']);
    rig.report(63, 3, 'open');
    rig.tick(64, 100);
    expect(rig.cancels()).toEqual([]); // it is not too small for the trade
    rig.take({ kind: 'status-changed', time: start + 65 * minute, status: 'stopped' });
    rig.report(65, 3, 'cancelled');
    rig.tick(66, 100);
    expect(rig.created().at(-1)).toEqual(['market', 'sell', 9.995, 99.99, 'force_exit']);
    rig.report(66, 4, 'filled', 9.995, 101);
    rig.tick(67, 100);
    // The rest is too small for an order.
    expect(rig.state.trades).toEqual([]);
    expect(rig.state.freeCoins).toEqual({});
  });

  test('is asked for all of the trade again after a fill', () => {
    const rig = shortOf(4);
    rig.take({ kind: 'status-changed', time: start + 65 * minute, status: 'stopped' });
    rig.report(65, 3, 'cancelled');
    rig.tick(66, 100);
    rig.report(66, 4, 'filled', 4);
    rig.tick(67, 100);
    expect(rig.created().at(-1)).toEqual(['market', 'sell', 6, 99.99, 'force_exit']);
    // Then it has none left, and the difference is a person's.
    rig.report(67, 5, 'refused', 0, 100, 0);
    rig.tick(68, 100);
    expect(rig.created().at(-1)).toEqual(['market', 'sell', 6, 99.99, 'force_exit']);
  });

  test('gets an exit at a limit for what it has, which keeps its place while it is filled', () => {
    const rig = heldRig({ orderTypes: { ...market.orderTypes, exit: 'limit' } });
    rig.report(61, 2, 'open');
    rig.candle(2, { exitLong: true });
    rig.tick(120, 100);
    rig.report(120.1, 2, 'cancelled');
    rig.tick(120.2, 100);
    rig.report(120.3, 3, 'refused', 0, 100, 9.5);
    let [at, n] = [120.3, 3];
    const later = () => rig.tick((at += 1 / 60), 100);
    for (let i = 0; rig.created().length === n && i < 300; i++) {
      later();
      if (rig.created().length === n || rig.created().at(-1)?.[0] !== 'stop') continue;
      n += 1;
      rig.report(at, n, 'refused'); // its coins are held by another order
    }
    n += 1;
    expect(rig.created().at(-1)?.slice(0, 3)).toEqual(['limit', 'sell', 9.5]);
    rig.report(at, n, 'open');
    rig.report(at, n, 'open', 4);
    for (let i = 0; i < 30; i++) later();
    rig.report(at, n, 'open', 5.47); // what is left of it alone would be too little for an order
    for (let i = 0; i < 30; i++) later();
    expect([rig.created().length, rig.order(n).isCancelWanted]).toEqual([n, false]);
    rig.report(at, n, 'filled', 0.03);
    later();
    // Then the account is asked for all that is left again.
    expect(rig.created().at(-1)?.slice(0, 3)).toEqual(['limit', 'sell', 0.501]);
  });

  test('is asked for all of the trade again once an exit that was filled in part has ended', () => {
    const rig = shortOf(6);
    rig.report(63, 3, 'open');
    rig.report(63.1, 3, 'open', 2, 90);
    expect(rig.state.freeCoins).toEqual({ [rig.trade.id]: 4 });
    rig.report(63.2, 3, 'cancelled');
    expect(rig.state.freeCoins).toEqual({});
  });

  test('is not thought of when the order was refused for something else', () => {
    const rig = shortOf(12);
    expect(rig.created().at(-1)).toEqual(['stop', 'sell', 10, 90, 'stoploss_on_exchange']);
  });
});

describe('a stop beside a weaker reason that lasts', () => {
  const limitExits = { orderTypes: { ...market.orderTypes, exit: 'limit' } } as const;

  /** A bot that holds 10 BTC, with an exit at a limit of 100 in place of its stop; a strategy that wants out, or ROI. */
  function leavingRig(settings: Partial<SettingsInput>, row: Partial<SignalRow> = { exitLong: true }): StopRig {
    const rig = heldRig({ ...limitExits, ...settings });
    rig.report(61, 2, 'open');
    rig.candle(2, row);
    rig.tick(120, 100);
    expect(rig.cancels()).toEqual([rig.order(2).id]);
    rig.report(120.1, 2, 'cancelled');
    rig.tick(120.2, 100);
    expect(rig.created().at(-1)?.slice(0, 3)).toEqual(['limit', 'sell', 10.001]);
    rig.report(120.2, 3, 'open');
    return rig;
  }

  test('is what leaves the trade once the price has run through it: the reason for the limit does not take its place again', () => {
    const rig = leavingRig({});
    rig.tick(121, 85);
    expect(rig.cancels()).toEqual([2, 3].map((n) => rig.order(n).id));
    rig.report(121.1, 3, 'cancelled');
    rig.tick(121.2, 85);
    expect(rig.created().at(-1)).toEqual(['market', 'sell', 10.001, rig.order(4).price, 'stop_loss']);
    rig.report(121.3, 4, 'open');
    for (const minutes of [121.4, 122, 123]) rig.tick(minutes, 84);
    expect(rig.created()).toHaveLength(4);
  });

  test('of a limit stays, too, and is moved like any exit', () => {
    const rig = leavingRig({ orderTypes: { ...limitExits.orderTypes, stoploss: 'limit' } });
    rig.tick(121, 85);
    rig.report(121.1, 3, 'cancelled');
    rig.tick(121.2, 85);
    expect(rig.created().at(-1)).toEqual(['limit', 'sell', 10.001, 85.01, 'stop_loss']);
    rig.report(121.21, 4, 'open');
    rig.tick(121.22, 85);
    rig.tick(121.23, 84);
    expect(rig.cancels()).toHaveLength(2);
    rig.tick(121.3, 84); // five seconds later its price may follow
    expect(rig.cancels()).toHaveLength(3);
    rig.report(121.31, 4, 'cancelled');
    rig.tick(121.32, 84);
    expect(rig.created().at(-1)).toEqual(['limit', 'sell', 10.001, 84.01, 'stop_loss']);
  });

  test('and a ROI that is not profit any more: the trailing stop comes first', () => {
    const roi = { minimalRoi: { 0: 0.05, 1: -1 }, stoploss: -0.5, trailingStop: true, trailingStopPositive: 0.02 } as const;
    const rig = heldRig({ ...limitExits, ...roi });
    rig.report(61, 2, 'open');
    // Without a stop at the exchange: it was cancelled for the exit that ROI has asked for.
    rig.tick(63, 104);
    rig.report(63.1, 2, 'cancelled');
    rig.tick(63.2, 104);
    expect(rig.created().at(-1)).toEqual(['limit', 'sell', 10.001, 104.01, 'roi']);
    rig.report(63.3, 3, 'open');
    rig.tick(64, 101);
    rig.report(64.1, 3, 'cancelled');
    rig.tick(64.2, 101);
    expect(rig.created().at(-1)).toEqual(['market', 'sell', 10.001, rig.order(4).price, 'trailing_stop_loss']);
  });

  test('two weaker reasons do not take turns: the one whose order stands keeps it', () => {
    const rig = leavingRig({ minimalRoi: { 0: 0.001 } });
    for (let i = 1; i <= 30; i++) rig.tick(120.2 + i / 600, 100.5 + (i % 3) / 10); // three seconds
    expect(rig.cancels()).toHaveLength(1);
  });
});

describe('an exchange whose steps have become coarser since the entry', () => {
  /** A bot that holds 10.001 with a stop at 90.123; the exchange takes hundredths and halves from now on. */
  function coarseRig(direction: 'long' | 'short', settings: Partial<SettingsInput> = {}): StopRig {
    const rig = direction === 'long' ? heldRig({ stoploss: -0.09877, ...settings }) : shortRig({ stoploss: -0.09877, ...settings });
    if (direction === 'long') rig.report(61, 2, 'open');
    const now = rig.context.instruments.get(symbol)!;
    rig.context.instruments = new Map([[symbol, { ...now, amountStep: 0.01, priceTick: 0.5 }]]);
    return rig;
  }
  const isWhole = (value: number, step: number) => Math.abs(value / step - Math.round(value / step)) < 1e-9;

  test.each(['long', 'short'] as const)('gets orders of a %s that it takes: the stop, and the exit', (direction) => {
    const rig = coarseRig(direction);
    const held = rig.trade.amount;
    expect([isWhole(held, 0.01), isWhole(rig.order(2).price, 0.5)]).not.toEqual([true, true]);
    rig.tick(63, 100);
    rig.report(63.1, 2, 'cancelled');
    rig.tick(63.2, 100);
    expect([isWhole(rig.order(3).amount, 0.01), isWhole(rig.order(3).price, 0.5)]).toEqual([true, true]);
    expect(rig.order(3)).toMatchObject({ type: 'stop', amount: Math.floor(held * 100) / 100 });
    rig.report(63.3, 3, 'open');
    rig.tick(64, 100);
    expect(rig.cancels()).toHaveLength(1);
    rig.take({ kind: 'close-asked', time: start + 65 * minute, tradeId: rig.trade.id });
    rig.report(65.1, 3, 'cancelled');
    rig.tick(65.2, 100);
    expect(rig.order(4)).toMatchObject({ type: 'market', amount: Math.floor(held * 100) / 100 });
    expect(isWhole(rig.order(4).price, 0.5)).toBe(true);
    // What is less than a step stays in the account.
    rig.report(65.3, 4, 'filled', rig.order(4).amount);
    rig.tick(65.4, 100);
    expect(rig.state.trades).toEqual([]);
    expect(rig.closed()).toHaveLength(1);
  });

  test.each(['long', 'short'] as const)('and the stop of a %s is never beyond where it should be', (direction) => {
    for (const stoploss of [-0.0968, -0.0981, -0.0999]) {
      const rig = coarseRig(direction, { stoploss });
      rig.tick(64, 100);
      rig.report(64.1, 2, 'cancelled');
      rig.tick(64.2, 100);
      const { price } = rig.order(3);
      expect(isWhole(price, 0.5)).toBe(true);
      expect(direction === 'long' ? price >= rig.trade.stop : price <= rig.trade.stop, `${price} for ${rig.trade.stop}`).toBe(true);
    }
  });

  test('and a limit is at a price that it takes', () => {
    const rig = coarseRig('long', { orderTypes: { ...market.orderTypes, exit: 'limit' } });
    rig.candle(2, { exitLong: true });
    rig.tick(120, 101.3);
    rig.report(120.1, 2, 'cancelled');
    rig.tick(120.2, 101.3);
    expect(rig.order(3)).toMatchObject({ type: 'limit', amount: 10, price: 101.5 });
  });
});
