import { describe, expect, test } from 'vitest';
import type { Fill } from '../account/fill.ts';
import type { OrderState } from '../account/order-life.ts';
import type { Instrument } from '../market/instrument.ts';
import type { SettingsInput } from '../settings/normalise-settings.ts';
import { enter, market, Rig, start } from './testing/rig.ts';

const minute = 60_000;
const exitSignal = { exitLong: true };

/** A live bot that holds 10 BTC, bought at 100 by a limit order. */
class LiveRig extends Rig {
  #fills = 0;
  constructor(given: Partial<Instrument>, settings: Partial<SettingsInput> = {}) {
    super({ ...market, fee: 0, ...settings, orderTypes: { ...market.orderTypes, entry: 'limit', ...settings.orderTypes } }, {}, given);
    this.context.execution = 'exchange';
    this.candle(1, enter);
    this.tick(60, 100, { bid: 100, ask: 100 });
    this.report(60.5, 'filled', 100);
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

  test('in whole contracts', () => {
    const futures = { marketType: 'futures', marginMode: 'isolated', liquidationFormula: 'binance' } as const;
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

  test('exactly as much as it takes is one order, and so is everything where no limit is known', () => {
    for (const given of [{ maxMarketAmount: 10 }, {}]) {
      const rig = new LiveRig(given, { stoploss: -0.05 });
      rig.tick(61, 90, { bid: 90, ask: 90 });
      expect(rig.exits).toEqual(ofMarket(10));
    }
  });

  test('simulated orders know no largest one, as at the reference', () => {
    const rig = new LiveRig({ maxMarketAmount: 4 }, { stoploss: -0.05 });
    rig.context.execution = 'simulated';
    rig.tick(61, 90, { bid: 90, ask: 90 });
    expect(rig.exits).toEqual(ofMarket(10));
  });
});
