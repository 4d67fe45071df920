import { describe, expect, test } from 'vitest';
import type { Fill } from '../account/fill.ts';
import type { OrderState } from '../account/order-life.ts';
import type { Instrument } from '../market/instrument.ts';
import type { SignalRow } from './event.ts';
import type { SettingsInput } from '../settings/normalise-settings.ts';
import { fromStored, toStoredMemory, toStoredTrade } from './stored-state.ts';
import { enter, market, Rig, start } from './testing/rig.ts';

const minute = 60_000;
const exitSignal = { exitLong: true };
const futures = { marketType: 'futures', marginMode: 'isolated', liquidationFormula: 'binance' } as const;

/** A live bot that holds 10 BTC, bought at 100 by a limit order, or is short of as many that were sold there. */
class LiveRig extends Rig {
  #fills = 0;
  constructor(given: Partial<Instrument>, settings: Partial<SettingsInput> = {}, row: Partial<SignalRow> = enter) {
    super({ ...market, fee: 0, ...settings, orderTypes: { ...market.orderTypes, entry: 'limit', ...settings.orderTypes } }, {}, given);
    this.context.execution = 'exchange';
    this.candle(1, row);
    this.tick(60, 100, { bid: 100, ask: 100 });
    this.report(60.5, 'filled', 100);
  }
  /** One that is short, of a perpetual. */
  static short(given: Partial<Instrument>, settings: Partial<SettingsInput> = {}): LiveRig {
    return new LiveRig({ ...futures, ...given }, { ...futures, canShort: true, ...settings }, { enterShort: true });
  }
  /** The process ends, and another takes the bot over from what was written. */
  restart(): void {
    const written = JSON.stringify({ memory: toStoredMemory(this.state), trades: this.state.trades.map(toStoredTrade) });
    const { memory, trades } = JSON.parse(written) as { memory: unknown; trades: unknown[] };
    const { botId, timeframe, settings, status, closedProfit, consecutiveLosses, pairs } = this.state;
    const decidedCandleTimes = Object.fromEntries(Object.entries(pairs).map(([each, pair]) => [each, pair.decidedCandleTime]));
    const identity = { botId, timeframe, settings, status, closedProfit, consecutiveLosses, decidedCandleTimes };
    this.state = fromStored(identity, memory, trades);
  }
  /** What the exchange reports of the newest order, filled at a price. */
  report(minutes: number, state: OrderState, price: number, share = 1): void {
    const order = this.state.trades[0]?.orders.at(-1);
    if (order === undefined) throw new Error('There is no order');
    const time = start + minutes * minute;
    const fee = { fee: 0, feeCurrency: 'USDT', feeInQuote: 0, liquidity: 'taker' } as const;
    const filled = order.amount * share;
    const fills: Fill[] = filled > 0 ? [{ id: String(++this.#fills), price, amount: filled, ...fee, time }] : [];
    this.take({ kind: 'order-update', time, orderId: order.id, report: { state, requested: order.amount, filled, fills } });
  }
  /** The exchange changes what it takes. */
  limit(given: Partial<Instrument>): void {
    const { context } = this;
    context.instruments = new Map([...context.instruments].map(([symbol, each]) => [symbol, { ...each, ...given }]));
  }
  get exits(): { type: string; amount: number }[] {
    return this.effects.flatMap((effect) =>
      effect.kind === 'order-created' && effect.order.purpose === 'exit' ? [{ type: effect.order.type, amount: effect.order.amount }] : [],
    );
  }
}
const ofMarket = (...amounts: number[]) => amounts.map((amount) => ({ type: 'market', amount }));

describe('where the exchange takes no larger order, an exit is made in parts that are about as large', () => {
  test('by a stop, one part after the other until nothing is left, with the reason and the profit of all', () => {
    const rig = new LiveRig({ maxMarketAmount: 4 }, { stoploss: -0.05 });
    for (const [i, price] of [90, 89, 88].entries()) {
      rig.tick(61 + i, price, { bid: price, ask: price });
      rig.report(61.5 + i, 'filled', price);
    }
    expect(rig.exits).toEqual(ofMarket(3.333, 3.333, 3.334));
    expect(rig.closed()).toMatchObject([{ exitReason: 'stop_loss', profit: -110.001 }]);
    expect(rig.state.trades).toEqual([]);
  });

  test('by a person who closes a trade: the parts follow without being asked for again', () => {
    const rig = new LiveRig({ maxMarketAmount: 5 });
    rig.tick(60.6, 100, { bid: 100, ask: 100 });
    rig.take({ kind: 'close-asked', time: start + 60.6 * minute, tradeId: rig.state.trades[0]?.id ?? 0 });
    rig.report(60.7, 'filled', 100);
    rig.tick(61, 101, { bid: 101, ask: 101 });
    rig.report(61.5, 'filled', 101);
    expect(rig.exits).toEqual(ofMarket(5, 5));
    expect(rig.closed()).toMatchObject([{ exitReason: 'force_exit', profit: 5 }]);
  });

  test('a limit order may be larger, up to a limit of its own, and is not placed again where it stands', () => {
    const rig = new LiveRig({ maxMarketAmount: 4 }, { orderTypes: { exit: 'limit' } });
    rig.limit({ maxAmount: 6 });
    rig.candle(2, exitSignal);
    for (const seconds of [0, 10, 20]) rig.tick(120 + seconds / 60, 110, { bid: 110, ask: 110 });
    expect(rig.exits).toEqual([{ type: 'limit', amount: 5 }]);
    expect(rig.kinds()).not.toContain('cancel-requested');
    rig.report(120.5, 'filled', 110);
    rig.tick(120.6, 110, { bid: 110, ask: 110 });
    expect(rig.exits).toEqual([
      { type: 'limit', amount: 5 },
      { type: 'limit', amount: 5 },
    ]);
  });

  test('with a stop at the exchange: it is cancelled once, and what is left has one again when there is no reason to leave it any more', () => {
    const rig = new LiveRig({ maxMarketAmount: 5 }, { stoploss: -0.2 });
    rig.context.stopsAtExchange = true;
    rig.tick(61, 100, { bid: 100, ask: 100 });
    expect(rig.exits).toEqual([{ type: 'stop', amount: 10 }]);
    rig.report(61.1, 'open', 100, 0);
    rig.candle(2, exitSignal);
    rig.tick(120, 110, { bid: 110, ask: 110 });
    rig.report(120.1, 'cancelled', 110, 0);
    rig.tick(120.2, 110, { bid: 110, ask: 110 });
    rig.report(120.3, 'filled', 110);
    rig.candle(3, {}); // the signal does not last
    rig.tick(180, 110, { bid: 110, ask: 110 });
    expect(rig.exits.slice(1)).toEqual([...ofMarket(5), { type: 'stop', amount: 5 }]);
    expect(rig.kinds().filter((kind) => kind === 'cancel-requested')).toHaveLength(1);
  });

  test('a limit order may not be worth more than the largest value, which a market order may', () => {
    const rig = new LiveRig({}, { orderTypes: { exit: 'limit' }, stoploss: -0.2 });
    rig.limit({ maxCost: 600 });
    rig.candle(2, exitSignal);
    for (const seconds of [0, 10, 20]) rig.tick(120 + seconds / 60, 110, { bid: 110, ask: 110 });
    expect(rig.exits).toEqual([{ type: 'limit', amount: 5 }]);
    rig.tick(121, 70, { bid: 70, ask: 70 });
    rig.report(121.1, 'cancelled', 70, 0);
    rig.tick(121.2, 70, { bid: 70, ask: 70 });
    expect(rig.exits.at(-1)).toEqual({ type: 'market', amount: 10 });
  });

  test('in whole contracts', () => {
    const rig = new LiveRig({ ...futures, contractSize: 0.1, amountStep: 1, maxMarketAmount: 4 }, { ...futures, stoploss: -0.05 });
    rig.tick(61, 90, { bid: 90, ask: 90 });
    expect(rig.exits).toEqual(ofMarket(3.3));
  });

  test('as large as may be where equal parts would be too small to be sold; the rest that is too small stays in the account', () => {
    const rig = new LiveRig({ maxMarketAmount: 8, minCost: 500 }, { stoploss: -0.05 });
    rig.tick(61, 90, { bid: 90, ask: 90 });
    expect(rig.exits).toEqual(ofMarket(8)); // two of 5 are worth 450 each
    rig.report(61.5, 'filled', 90);
    rig.tick(62, 90, { bid: 90, ask: 90 });
    expect(rig.exits).toEqual(ofMarket(8));
    expect(rig.closed()).toMatchObject([{ exitReason: 'stop_loss' }]);
  });

  describe('of a short too, which is bought back', () => {
    const bought = (rig: LiveRig) => rig.closed().flatMap(({ orders }) => orders.slice(1).map(({ side, filled }) => ({ side, filled })));
    const buys = (...amounts: number[]) => amounts.map((filled) => ({ side: 'buy', filled }));

    test('by a stop, one part after the other until nothing is left, with the reason and the loss of all', () => {
      const rig = LiveRig.short({ maxMarketAmount: 4 }, { stoploss: -0.05 });
      for (const [i, price] of [110, 111, 112].entries()) {
        rig.tick(61 + i, price, { bid: price, ask: price });
        rig.report(61.5 + i, 'filled', price);
      }
      rig.tick(64, 112, { bid: 112, ask: 112 });
      expect(rig.exits).toEqual(ofMarket(3.333, 3.333, 3.334));
      expect(bought(rig)).toEqual(buys(3.333, 3.333, 3.334));
      expect(rig.closed()).toMatchObject([{ direction: 'short', exitReason: 'stop_loss', profit: -110.001 }]);
      expect(rig.state.trades).toEqual([]);
    });

    test('by its signal, with a stop at the exchange that is cancelled once', () => {
      const rig = LiveRig.short({ maxMarketAmount: 4 }, { stoploss: -0.2 });
      rig.context.stopsAtExchange = true;
      rig.tick(61, 100, { bid: 100, ask: 100 });
      expect(rig.exits).toEqual([{ type: 'stop', amount: 10 }]);
      rig.report(61.1, 'open', 100, 0);
      rig.candle(2, { exitShort: true });
      rig.tick(120, 90, { bid: 90, ask: 90 });
      rig.report(120.1, 'cancelled', 90, 0);
      for (const [i, price] of [90, 89, 88].entries()) {
        rig.tick(121 + i, price, { bid: price, ask: price });
        rig.report(121.5 + i, 'filled', price);
      }
      expect(rig.exits.slice(1)).toEqual(ofMarket(3.333, 3.333, 3.334));
      expect(rig.closed()).toMatchObject([{ direction: 'short', exitReason: 'exit_signal', profit: 110.001 }]);
      expect(rig.kinds().filter((kind) => kind === 'cancel-requested')).toHaveLength(1);
    });

    test('by a person who closes it', () => {
      const rig = LiveRig.short({ maxMarketAmount: 5 });
      rig.tick(60.6, 100, { bid: 100, ask: 100 });
      rig.take({ kind: 'close-asked', time: start + 60.6 * minute, tradeId: rig.state.trades[0]?.id ?? 0 });
      rig.report(60.7, 'filled', 100);
      rig.tick(61, 99, { bid: 99, ask: 99 });
      rig.report(61.5, 'filled', 99);
      expect(bought(rig)).toEqual(buys(5, 5));
      expect(rig.closed()).toMatchObject([{ exitReason: 'force_exit', profit: 5 }]);
    });
  });

  describe.each([
    ['long', 90, exitSignal, (settings: Partial<SettingsInput>) => new LiveRig({ maxMarketAmount: 5 }, settings)],
    ['short', 110, { exitShort: true }, (settings: Partial<SettingsInput>) => LiveRig.short({ maxMarketAmount: 5 }, settings)],
  ] as const)('a %s is left to its end', (_, price, row, rigWith) => {
    const tickAt = (rig: LiveRig, minutes: number, at: number = price) => rig.tick(minutes, at, { bid: at, ask: at });

    test.each(['cancelled', 'expired'] as const)('also when a part was filled in part only and then %s by the exchange', (state) => {
      const rig = rigWith({ stoploss: -0.05 });
      tickAt(rig, 61);
      rig.report(61.1, 'open', price, 0.4);
      rig.report(61.2, state, price, 0);
      for (const minutes of [62, 63]) {
        tickAt(rig, minutes);
        rig.report(minutes + 0.5, 'filled', price);
      }
      tickAt(rig, 64);
      expect(rig.exits).toEqual(ofMarket(5, 4, 4)); // 2 of the first were filled
      expect(rig.closed()).toMatchObject([{ exitReason: 'stop_loss', profit: -100 }]);
      expect(rig.state.trades).toEqual([]);
    });

    test('also when a person closes it and a part was filled in part only and then cancelled by the exchange', () => {
      const rig = rigWith({ stoploss: -0.5 });
      tickAt(rig, 60.6);
      rig.take({ kind: 'close-asked', time: start + 60.6 * minute, tradeId: rig.state.trades[0]?.id ?? 0 });
      rig.report(60.7, 'open', price, 0.4);
      rig.report(60.8, 'cancelled', price, 0);
      for (const minutes of [62, 63]) {
        tickAt(rig, minutes);
        rig.report(minutes + 0.5, 'filled', price);
      }
      expect(rig.exits).toEqual(ofMarket(5, 4, 4));
      expect(rig.closed()).toMatchObject([{ exitReason: 'force_exit', profit: -100 }]);
    });

    test.each(['by its stop', 'by a person'] as const)('also by another process, which takes over between two parts: %s', (how) => {
      const rig = rigWith({ stoploss: how === 'by its stop' ? -0.05 : -0.5 });
      // What a person wants is kept in the database, and each process receives it.
      const tellWish = (minutes: number): void => {
        if (how === 'by a person') rig.take({ kind: 'close-asked', time: start + minutes * minute, tradeId: rig.state.trades[0]?.id ?? 0 });
      };
      tickAt(rig, 61);
      tellWish(61);
      rig.report(61.5, 'filled', price);
      rig.restart();
      tellWish(61.9);
      tickAt(rig, 62);
      expect(rig.exits).toEqual(ofMarket(5, 5));
      rig.restart(); // the second part is on its way
      tickAt(rig, 62.1);
      rig.report(62.5, 'filled', price);
      expect(rig.exits).toEqual(ofMarket(5, 5));
      expect(rig.closed()).toMatchObject([{ exitReason: how === 'by its stop' ? 'stop_loss' : 'force_exit', profit: -100 }]);
    });

    test('also by another process, which takes over between two parts: by its signal, which it sees again', () => {
      const rig = rigWith({ stoploss: -0.5 });
      rig.candle(2, row);
      tickAt(rig, 120);
      rig.report(120.5, 'filled', price);
      rig.restart();
      rig.candle(2, row);
      tickAt(rig, 121);
      rig.report(121.5, 'filled', price);
      expect(rig.exits).toEqual(ofMarket(5, 5));
      expect(rig.closed()).toMatchObject([{ exitReason: 'exit_signal', profit: -100 }]);
    });

    test('also by another process, which takes over when a part was filled in part only and then cancelled', () => {
      const rig = rigWith({ stoploss: -0.05 });
      tickAt(rig, 61);
      rig.report(61.1, 'open', price, 0.4);
      rig.restart();
      rig.report(61.2, 'cancelled', price, 0);
      rig.restart();
      for (const minutes of [62, 63]) {
        tickAt(rig, minutes);
        rig.report(minutes + 0.5, 'filled', price);
      }
      expect(rig.exits).toEqual(ofMarket(5, 4, 4));
      expect(rig.closed()).toMatchObject([{ exitReason: 'stop_loss', profit: -100 }]);
    });
  });

  test('exactly as much as it takes is one order, and so is everything where no limit is known', () => {
    for (const given of [{ maxMarketAmount: 10 }, {}]) {
      const rig = new LiveRig(given, { stoploss: -0.05 });
      rig.tick(61, 90, { bid: 90, ask: 90 });
      expect(rig.exits).toEqual(ofMarket(10));
    }
  });

  test.each(['exchange', 'simulated'] as const)(
    '%s: a bot that enters at market buys no more than that, where it is an exchange',
    (execution) => {
      const rig = new Rig({ ...market, fee: 0 }, {}, { maxMarketAmount: 4 });
      rig.context.execution = execution;
      rig.candle(1, enter);
      rig.tick(60, 100, { bid: 100, ask: 100 });
      const amount = execution === 'exchange' ? 4 : 10;
      expect(rig.state.trades[0]?.orders).toMatchObject([{ type: 'market', amount }]);
      expect(rig.state.trades[0]?.stake).toBe(amount * 100);
    },
  );

  test('an entry at a limit may be larger, up to a limit of its own', () => {
    const rig = new Rig({ orderTypes: { ...market.orderTypes, entry: 'limit' }, fee: 0 }, {}, { maxMarketAmount: 4, maxAmount: 6 });
    rig.context.execution = 'exchange';
    rig.candle(1, enter);
    rig.tick(60, 100, { bid: 100, ask: 100 });
    expect(rig.state.trades[0]?.orders).toMatchObject([{ type: 'limit', amount: 6 }]);
  });

  test('simulated orders know no largest one, as at the reference', () => {
    const rig = new LiveRig({ maxMarketAmount: 4 }, { stoploss: -0.05 });
    rig.context.execution = 'simulated';
    rig.tick(61, 90, { bid: 90, ask: 90 });
    expect(rig.exits).toEqual(ofMarket(10));
  });
});
