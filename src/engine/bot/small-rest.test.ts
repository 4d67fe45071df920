import { describe, expect, test } from 'vitest';
import type { Fill } from '../account/fill.ts';
import type { OrderState } from '../account/order-life.ts';
import type { Order } from '../account/order.ts';
import type { Instrument } from '../market/instrument.ts';
import type { SettingsInput } from '../settings/normalise-settings.ts';
import type { BotEffect } from './effect.ts';
import { enter, market, Rig, start } from './testing/rig.ts';

const minute = 60_000;

/** A live bot that wants to buy 10 BTC at 100, where an order must be worth 5. */
class LiveRig extends Rig {
  #fills = 0;
  constructor(settings: Partial<SettingsInput> = {}, given: Partial<Instrument> = {}, stopsAtExchange = false) {
    super({ ...market, fee: 0, ...settings }, {}, given);
    Object.assign(this.context, { execution: 'exchange', stopsAtExchange });
    this.candle(1, enter);
    this.tick(60, 100, { bid: 100, ask: 100 });
  }
  /** What the exchange reports of the bot's n-th order, with a fill of `amount` at `price`. */
  report(minutes: number, n: number, state: OrderState, amount = 0, price = 100): BotEffect[] {
    const order = this.order(n);
    const time = start + minutes * minute;
    const fee = { fee: 0, feeCurrency: 'USDT', feeInQuote: 0, liquidity: 'taker' } as const;
    const fills: Fill[] = amount > 0 ? [{ id: String(++this.#fills), price, amount, ...fee, time }] : [];
    const report = { state, requested: order.amount, filled: order.filled + amount, fills };
    return this.take({ kind: 'order-update', time, orderId: order.id, report });
  }
  order(n: number): Order {
    const orders = [...this.state.trades, ...this.state.formerTrades].flatMap((trade) => trade.orders);
    const found = orders.find(({ id }) => id === `fl-bot1-${n.toString(36)}`);
    if (found === undefined) throw new Error(`There is no order ${n}`);
    return found;
  }
  get exits(): number[] {
    return this.effects.flatMap((effect) =>
      effect.kind === 'order-created' && effect.order.purpose === 'exit' ? [effect.order.amount] : [],
    );
  }
  get cancels(): string[] {
    return this.effects.flatMap((effect) => (effect.kind === 'cancel-requested' ? [effect.orderId] : []));
  }
  askToClose(minutes: number): void {
    this.take({ kind: 'close-asked', time: start + minutes * minute, tradeId: this.state.trades[0]?.id ?? 0 });
  }
}
const exitSignal = { exitLong: true };

describe('a rest that is worth less than the smallest order', () => {
  test('ends the trade after an exit: its profit is that of what was sold, and nothing more is ordered', () => {
    const rig = new LiveRig();
    rig.report(61, 1, 'filled', 10);
    rig.candle(2, exitSignal);
    rig.tick(120, 110, { bid: 110, ask: 110 });
    expect(rig.exits).toEqual([10]);
    rig.report(121, 2, 'expired', 9.96, 110); // the book was thin; 0.04 BTC are worth 4.40
    rig.tick(122, 110, { bid: 110, ask: 110 });
    expect(rig.exits).toEqual([10]);
    expect(rig.closed()).toMatchObject([
      { exitReason: 'exit_signal', profit: 99.6, amount: 10, stake: 1000, closeRate: 110, closeTime: start + 121 * minute },
    ]);
    expect(rig.state.trades).toEqual([]);
    expect(rig.state.closedProfit).toBe(99.6);
  });

  test('one that is worth enough is sold', () => {
    const rig = new LiveRig();
    rig.report(61, 1, 'filled', 10);
    rig.candle(2, exitSignal);
    rig.tick(120, 110, { bid: 110, ask: 110 });
    rig.report(121, 2, 'expired', 9.95, 110); // 5.50
    rig.tick(122, 110, { bid: 110, ask: 110 });
    expect(rig.exits).toEqual([10, 0.05]);
    expect(rig.closed()).toEqual([]);
  });

  test('exactly the smallest amount gets a stop and is sold; of a step less nothing is ordered', () => {
    const futures = { marketType: 'futures', marginMode: 'isolated', liquidationFormula: 'binance' } as const;
    for (const [filled, orders] of [
      [5, ['stop 5', 'market 5']],
      [4.999, []],
    ] as const) {
      const rig = new LiveRig(futures, { marketType: 'futures', maxLeverage: 10, minAmount: 5 }, true);
      rig.report(61, 1, 'expired', filled);
      const hasStop = rig.exits.length > 0;
      if (hasStop) rig.report(61, 2, 'open');
      rig.askToClose(62);
      if (hasStop) rig.report(62, 2, 'cancelled');
      rig.tick(63, 100, { bid: 100, ask: 100 });
      const made = rig.effects.flatMap((effect) =>
        effect.kind === 'order-created' ? [`${effect.order.type} ${effect.order.amount}`] : [],
      );
      expect(made.slice(1), String(filled)).toEqual(orders);
    }
  });

  test('coins that are worth exactly the smallest order are sold', () => {
    const rig = new LiveRig();
    rig.report(61, 1, 'filled', 10);
    rig.candle(2, exitSignal);
    rig.tick(120, 100, { bid: 100, ask: 100 });
    rig.report(121, 2, 'expired', 9.95, 100); // 5.00
    rig.tick(122, 100, { bid: 100, ask: 100 });
    expect(rig.exits).toEqual([10, 0.05]);
  });

  test('a position is closed whatever its rest is worth, unless it is below the smallest amount', () => {
    for (const [minAmount, exits] of [
      [0, [10, 0.04]],
      [0.05, [10]],
    ] as const) {
      const futures = { marketType: 'futures', marginMode: 'isolated', liquidationFormula: 'binance' } as const;
      const rig = new LiveRig(futures, { marketType: 'futures', maxLeverage: 10, minAmount });
      rig.report(61, 1, 'filled', 10);
      rig.candle(2, exitSignal);
      rig.tick(120, 110, { bid: 110, ask: 110 });
      rig.report(121, 2, 'expired', 9.96, 110);
      rig.tick(122, 110, { bid: 110, ask: 110 });
      expect(rig.exits, String(minAmount)).toEqual(exits);
    }
  });

  test('OP-84 a trade that ends with one has the funding of before its exit, whether it was published before its end or after it', () => {
    const futures = { marketType: 'futures', marginMode: 'isolated', liquidationFormula: 'binance' } as const;
    const ends = [true, false].map((isPaidFirst) => {
      const rig = new LiveRig(futures, { marketType: 'futures', maxLeverage: 10, minAmount: 0.05 });
      rig.report(61, 1, 'filled', 10);
      rig.candle(2, exitSignal);
      rig.tick(120, 110, { bid: 110, ask: 110 });
      rig.report(121, 2, 'expired', 9.96, 110);
      const pay = () => rig.take({ kind: 'funding', time: start + 120 * minute, symbol: 'BTC/USDT', rate: 0.001, mark: 100 });
      if (isPaidFirst) pay();
      rig.tick(122, 110, { bid: 110, ask: 110 });
      expect(rig.closed()).toHaveLength(1);
      if (!isPaidFirst) pay();
      return [rig.state.formerTrades, rig.state.closedProfit];
    });
    expect(ends[0]?.[1]).toBeCloseTo(99.6 - 1, 8);
    expect(ends[1]).toEqual(ends[0]);
  });

  test('an exit that is filled but for such a rest is not cancelled when its time is over: it may still be filled', () => {
    for (const [filled, cancels] of [
      [9.96, []],
      [9.9, ['fl-bot1-2']],
    ] as const) {
      const rig = new LiveRig({
        orderTypes: { entry: 'market', exit: 'limit', stoploss: 'market' },
        unfilledTimeout: { entryMs: 10 * minute, exitMs: 10 * minute },
      });
      rig.report(61, 1, 'filled', 10);
      rig.candle(2, exitSignal);
      rig.tick(120, 110, { bid: 110, ask: 110 });
      rig.report(121, 2, 'open', filled, 110);
      rig.tick(135, 110, { bid: 110, ask: 110 });
      expect(rig.cancels, String(filled)).toEqual(cancels);
    }
  });
});

describe('an entry of which less was filled than can be sold', () => {
  const limit = {
    orderTypes: { entry: 'limit', exit: 'market', stoploss: 'market' },
    unfilledTimeout: { entryMs: 10 * minute, exitMs: 10 * minute },
  } as const;

  test('is not cancelled when its time is over, for it could not be sold; with more it is', () => {
    const rig = new LiveRig(limit);
    rig.report(61, 1, 'open', 0.04);
    rig.tick(75, 100);
    expect(rig.cancels).toEqual([]);
    rig.report(76, 1, 'open', 0.02);
    rig.tick(77, 100);
    expect(rig.cancels).toEqual(['fl-bot1-1']);
  });

  test('is held without orders until the price makes it worth enough, and is sold then', () => {
    const rig = new LiveRig(limit, {}, true);
    rig.report(61, 1, 'expired', 0.04);
    rig.tick(62, 80); // beyond its stop
    expect(rig.exits).toEqual([]);
    expect(rig.state.trades).toHaveLength(1);
    rig.candle(2, exitSignal);
    rig.tick(121, 100);
    expect(rig.exits).toEqual([]);
    rig.tick(122, 140); // 5.60
    expect(rig.exits).toEqual([0.04]);
  });

  test('is noted in the trade, once, until more is held or the price makes it worth enough', () => {
    const rig = new LiveRig(limit, {}, true);
    const noted = () => rig.state.trades.map(({ tooSmall }) => tooSmall);
    rig.report(61, 1, 'open', 0.04);
    rig.effects.length = 0;
    rig.tick(62, 100);
    expect(noted()).toEqual(['to-sell']);
    expect(rig.kinds()).toEqual(['trade-updated']); // saved with the prices seen
    rig.effects.length = 0;
    rig.tick(63, 99);
    expect(rig.effects).toEqual([]);
    rig.tick(64, 130); // 5.20 now, and 3.60 at the stop
    expect(noted()).toEqual(['for-stop']);
    rig.report(65, 1, 'open', 1);
    rig.tick(66, 100);
    expect(noted()).toEqual([undefined]);
    expect(rig.effects.some((effect) => effect.kind === 'order-created' && effect.order.type === 'stop')).toBe(true);
  });

  test('is noted where the exchange takes no stops, too, until the price makes it worth enough', () => {
    const rig = new LiveRig(limit);
    rig.report(61, 1, 'expired', 0.04);
    rig.tick(62, 100);
    expect(rig.state.trades.map(({ tooSmall }) => tooSmall)).toEqual(['to-sell']);
    rig.tick(63, 130);
    expect(rig.state.trades.map(({ tooSmall }) => tooSmall)).toEqual([undefined]);
  });

  test('of which the fee has eaten the only step is noted, too', () => {
    const rig = new LiveRig(limit, { amountStep: 0.001 }, true);
    rig.report(61, 1, 'open', 0.0009);
    rig.tick(62, 100);
    expect(rig.state.trades.map(({ tooSmall }) => tooSmall)).toEqual(['to-sell']);
  });

  test('is not noted of a simulated trade, which knows no smallest exit', () => {
    const rig = new LiveRig(limit, {}, true);
    rig.report(61, 1, 'open', 0.04);
    Object.assign(rig.context, { execution: 'simulated' });
    rig.tick(62, 100);
    expect(rig.state.trades.map(({ tooSmall }) => tooSmall)).toEqual([undefined]);
  });

  test.each(['a person closes', 'the bot is stopped with'])('%s it: it is given up, and stays in the account', (how) => {
    const rig = new LiveRig(limit);
    rig.report(61, 1, 'open', 0.04);
    if (how === 'a person closes') rig.askToClose(62);
    else rig.take({ kind: 'status-changed', time: start + 62 * minute, status: 'stopped' });
    expect(rig.cancels).toEqual(['fl-bot1-1']);
    rig.report(63, 1, 'cancelled');
    rig.tick(64, 100);
    expect(rig.exits).toEqual([]);
    expect(rig.closed()).toMatchObject([{ exitReason: 'too_small_to_sell', profit: 0, amount: 0.04, closeTime: start + 64 * minute }]);
    expect(rig.state.closeAsked).toEqual([]);
  });
});

test('a cancel is not asked of an order that has ended while its last fill is waited for: the trade is managed again after it', () => {
  const rig = new LiveRig({
    orderTypes: { entry: 'market', exit: 'limit', stoploss: 'market' },
    unfilledTimeout: { entryMs: 10 * minute, exitMs: 10 * minute },
  });
  rig.report(61, 1, 'filled', 10);
  rig.candle(2, exitSignal);
  rig.tick(120, 110, { bid: 110, ask: 110 });
  const exit = rig.order(2);
  const ended = { state: 'cancelled', requested: 10, filled: 4, fills: [] } as const;
  rig.take({ kind: 'order-update', time: start + 121 * minute, orderId: exit.id, report: ended });
  rig.tick(140, 110, { bid: 110, ask: 110 }); // its time is over
  rig.askToClose(141);
  expect(rig.cancels).toEqual([]);
  rig.report(142, 2, 'cancelled', 4, 110);
  rig.tick(143, 110, { bid: 110, ask: 110 });
  expect(rig.exits).toEqual([10, 6]);
});

test('a bot that is stopped tries a refused exit again after a moment, however often it is reported', () => {
  const rig = new LiveRig();
  rig.report(61, 1, 'filled', 10);
  const stop = (minutes: number) => rig.take({ kind: 'status-changed', time: start + minutes * minute, status: 'stopped' });
  rig.tick(61.5, 100);
  stop(61.5);
  rig.report(61.51, 2, 'refused');
  stop(61.52);
  expect(rig.exits).toEqual([10]);
  stop(61.6);
  expect(rig.exits).toEqual([10, 10]);
});

test('a trade of which nothing is held yet stands against another entry', () => {
  const rig = new LiveRig();
  rig.report(61, 1, 'open');
  rig.candle(2, enter);
  rig.tick(120, 100);
  expect(rig.decisions().at(-1)).toMatchObject({ gate: 'has-open-trade' });
});

test('on paper every rest is sold', () => {
  const rig = new Rig({ ...market, fee: 0, stakeAmount: 10 });
  rig.candle(1, enter);
  rig.tick(60, 100, { bid: 100, ask: 100 });
  rig.tick(61, 40, { bid: 40, ask: 40 }); // the stop; 0.1 BTC are worth 4
  expect(rig.closed()).toMatchObject([{ exitReason: 'stop_loss' }]);
});
