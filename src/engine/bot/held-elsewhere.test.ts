import { describe, expect, test } from 'vitest';
import type { Instrument } from '../market/instrument.ts';
import type { SettingsInput } from '../settings/normalise-settings.ts';
import { advance } from './advance.ts';
import { fromStoredTrade } from './stored-state.ts';
import { soldOnExchange } from './held-elsewhere.ts';
import { enter, hour, market, Rig, start, symbol } from './testing/rig.ts';

/** A bot at an exchange that holds a trade of 10 at 100. */
function holding(settings: Partial<SettingsInput> = {}, given: Partial<Instrument> = {}): Rig {
  const rig = new Rig({ ...market, fee: 0, ...settings }, {}, given);
  rig.candle(1, enter);
  rig.tick(60, 100, { bid: 100, ask: 100 });
  rig.context.execution = 'exchange';
  rig.context.stopsAtExchange = true;
  return rig;
}
const missing = (rig: Rig, amount: number, minutes = 60.1, fillId = 'outside-1') =>
  rig.take({ kind: 'held-elsewhere', time: start + minutes * 60_000, tradeId: rig.state.trades[0]?.id ?? 0, amount, fillId });
const trade = (rig: Rig) => rig.state.trades[0];
const stops = (rig: Rig) => trade(rig)?.orders.filter(({ type }) => type === 'stop') ?? [];

describe('what a trade has lost outside', () => {
  test('is booked as an exit at the newest price without a fee, and nothing is sent', () => {
    const rig = holding();
    const held = trade(rig)?.amount ?? 0;
    rig.tick(60.05, 90, { bid: 90, ask: 90 });
    const effects = missing(rig, 4);
    expect(trade(rig)?.amount).toBe(held - 4);
    expect(trade(rig)?.orders.find(({ tag }) => tag === soldOnExchange)).toMatchObject({
      purpose: 'exit',
      side: 'sell',
      type: 'market',
      state: 'filled',
      amount: 4,
      filled: 4,
      fillPrice: 90,
      fills: [{ id: 'outside-1', price: 90, amount: 4, fee: 0, feeCurrency: 'USDT', feeInQuote: 0 }],
    });
    expect(trade(rig)?.realizedProfit).toBe(-40);
    expect(effects.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['order-filled', 'trade-updated']));
    const sent = effects.flatMap((effect) => (effect.kind === 'order-created' ? [effect.order.type] : []));
    expect(sent).toEqual([]);
  });

  test('is booked at the price and with the fees that its account was paid, where that is known, also without a price of the market', () => {
    for (const priceless of [false, true]) {
      const rig = holding();
      const held = trade(rig)?.amount ?? 0;
      if (priceless) for (const memory of Object.values(rig.state.pairs)) memory.view = null;
      const event = { kind: 'held-elsewhere', time: start + 60.1 * 60_000, tradeId: trade(rig)?.id ?? 0, fillId: 'outside-1' } as const;
      rig.take({ ...event, amount: held, paid: { price: 61.234567, fee: 0.5, sales: [] } });
      expect(rig.closed()).toMatchObject([{ exitReason: soldOnExchange, closeRate: 61.234567 }]);
      expect(rig.closed()[0]?.profit).toBeCloseTo(held * (61.234567 - 100) - 0.5, 9);
      expect(rig.closed()[0]?.orders.at(-1)?.fills).toMatchObject([{ price: 61.234567, fee: 0.5, feeCurrency: 'USDT', feeInQuote: 0.5 }]);
    }
  });

  test('is bought back of a short, by an order on its side', () => {
    const rig = new Rig({ ...market, fee: 0, marketType: 'futures', canShort: true });
    rig.candle(1, { enterShort: true });
    rig.tick(60, 100, { bid: 100, ask: 100 });
    rig.context.execution = 'exchange';
    rig.tick(60.05, 90, { bid: 90, ask: 90 });
    missing(rig, 4);
    expect(trade(rig)?.orders.find(({ tag }) => tag === soldOnExchange)).toMatchObject({ side: 'buy', amount: 4, fillPrice: 90 });
    expect(trade(rig)?.realizedProfit).toBe(40);
  });

  test('bears its part of the fees where the trade holds less by now than was asked about', () => {
    const rig = holding();
    const held = trade(rig)?.amount ?? 0;
    const event = { kind: 'held-elsewhere', time: start + 60.1 * 60_000, tradeId: trade(rig)?.id ?? 0, fillId: 'outside-1' } as const;
    rig.take({ ...event, amount: held * 4, paid: { price: 90, fee: 2, sales: [] } });
    expect(rig.closed()[0]?.orders.at(-1)?.fills).toMatchObject([{ amount: held, fee: 0.5, feeInQuote: 0.5 }]);
  });

  test('bears the usual fee where nobody knows what the fee that was paid is worth', () => {
    const rig = holding({ fee: 0.001 });
    const held = trade(rig)?.amount ?? 0;
    const event = { kind: 'held-elsewhere', time: start + 60.1 * 60_000, tradeId: trade(rig)?.id ?? 0, fillId: 'outside-1' } as const;
    rig.take({ ...event, amount: held, paid: { price: 90, fee: null, sales: [] } });
    expect(rig.closed()[0]?.orders.at(-1)?.fills).toMatchObject([{ price: 90, feeInQuote: null }]);
    expect(rig.closed()[0]?.profit).toBeCloseTo(held * (90 * 0.999 - 100 * 1.001), 9);
  });

  test('asks the strategy for its stop at the newest price: that of the sale may be hours old', () => {
    const rig = holding();
    rig.context.callbacks = { ...rig.context.callbacks, customStop: () => -0.05, stopAfterFill: true };
    rig.tick(60.05, 100, { bid: 100, ask: 100 });
    const event = { kind: 'held-elsewhere', time: start + 60.1 * 60_000, tradeId: trade(rig)?.id ?? 0, fillId: 'outside-1' } as const;
    rig.take({ ...event, amount: 4, paid: { price: 120, fee: 0, sales: [] } });
    expect(trade(rig)?.stop).toBeCloseTo(95, 6);
    rig.tick(60.2, 100, { bid: 100, ask: 100 });
    expect(
      trade(rig)?.orders.filter(({ purpose, tag }) => purpose === 'exit' && tag !== soldOnExchange && tag !== 'stoploss_on_exchange'),
    ).toEqual([]);
  });

  test('has paid no funding since its sale, also when a person decides a week later; what was paid before it stays', () => {
    const rig = holding({ marketType: 'futures', leverage: 1 }, { marketType: 'futures', maxLeverage: 10 });
    const [{ id, amount: held }] = rig.state.trades;
    const at = (hours: number) => start + hours * hour;
    const pay = (hours: number) => rig.take({ kind: 'funding', time: at(hours), symbol, rate: 0.001, mark: 100 });
    pay(2);
    rig.take({ kind: 'account-differs', time: at(2.6), missing: { [id]: { amount: 4, waits: false } } });
    for (let hours = 3; hours < 170; hours++) pay(hours);
    const sales = [
      { amount: 1, time: at(2.5) },
      { amount: 3, time: at(10.5) },
    ];
    rig.take({ kind: 'held-elsewhere', time: at(170), tradeId: id, amount: 4, fillId: 'outside-1', paid: { price: 100, fee: 0, sales } });
    expect(trade(rig)?.fundingFees).toBeCloseTo(-0.1 * (held + 8 * (held - 1) + 159 * (held - 4)), 6);
    rig.take({ kind: 'account-differs', time: at(170.2), missing: {} });
    pay(170.5);
    expect(trade(rig)?.payments).toHaveLength(50);
  });

  test('has paid no funding since its sale either where a day of payments came before the account was compared, as after an outage', () => {
    const rig = holding({ marketType: 'futures', leverage: 1 }, { marketType: 'futures', maxLeverage: 10 });
    const [{ id, amount: held }] = rig.state.trades;
    const at = (hours: number) => start + hours * hour;
    for (let hours = 2; hours < 27; hours++) rig.take({ kind: 'funding', time: at(hours), symbol, rate: 0.001, mark: 100 });
    rig.take({ kind: 'account-differs', time: at(26.1), missing: { [id]: { amount: held, waits: false } } });
    const paid = { price: 100, fee: 0, sales: [{ amount: held, time: at(2.5) }] };
    rig.take({ kind: 'held-elsewhere', time: at(26.2), tradeId: id, amount: held, fillId: 'outside-1', paid });
    expect(rig.closed()[0]?.fundingFees).toBeCloseTo(-0.1 * held, 6);
  });

  test('has paid no funding since its sale either where the payment is published after the decision, and after a restart', () => {
    for (const all of [true, false]) {
      const rig = holding({ marketType: 'futures', leverage: 1 }, { marketType: 'futures', maxLeverage: 10 });
      const [{ id, amount: held }] = rig.state.trades;
      const at = (hours: number) => start + hours * hour;
      const amount = all ? held : 4;
      const paid = { price: 100, fee: 0, sales: [{ amount, time: at(2.5) }] };
      rig.take({ kind: 'held-elsewhere', time: at(3.01), tradeId: id, amount, fillId: 'outside-1', paid });
      if (!all) rig.state.trades = rig.state.trades.map((each) => fromStoredTrade(JSON.parse(JSON.stringify(each))));
      for (const hours of [2, 3]) rig.take({ kind: 'funding', time: at(hours), symbol, rate: 0.001, mark: 100 });
      const [after] = [...rig.state.trades, ...rig.state.formerTrades];
      expect(after.fundingFees).toBeCloseTo(-0.1 * (all ? held : held + held - 4), 9);
    }
  });

  test('has no more funding given back than its part of the sale, where the trade holds less by now than was asked about', () => {
    const rig = holding({ marketType: 'futures', leverage: 1 }, { marketType: 'futures', maxLeverage: 10 });
    const [{ id, amount: held }] = rig.state.trades;
    const at = (hours: number) => start + hours * hour;
    for (const hours of [2, 3]) rig.take({ kind: 'funding', time: at(hours), symbol, rate: 0.001, mark: 100 });
    const paid = { price: 100, fee: 0, sales: [{ amount: held * 4, time: at(2.5) }] };
    rig.take({ kind: 'held-elsewhere', time: at(3.1), tradeId: id, amount: held * 4, fillId: 'outside-1', paid });
    expect(rig.closed()[0]?.fundingFees).toBeCloseTo(-0.1 * held, 6); // of the first payment alone: by the second it held nothing, and not less
    expect(rig.closed()[0]?.soldOutside).toEqual([{ fillId: 'outside-1', amount: held, time: at(2.5) }]);
  });

  test('closes the trade where nothing is left, also where more is missing than it holds', () => {
    for (const more of [0, 5]) {
      const rig = holding();
      const held = trade(rig)?.amount ?? 0;
      missing(rig, held + more);
      expect(rig.state.trades).toEqual([]);
      expect(rig.closed()).toMatchObject([{ exitReason: soldOnExchange, closeRate: 100, profit: 0 }]);
      expect(rig.closed()[0]?.orders.at(-1)?.amount).toBe(held);
    }
  });

  for (const becomes of ['cancelled', 'filled'] as const)
    test(`closes the trade only when its orders have ended: one under way is cancelled, and was ${becomes}`, () => {
      const rig = holding();
      rig.tick(60.05, 100);
      const held = trade(rig)?.amount ?? 0;
      const orderId = stops(rig)[0]?.id ?? '';
      const report = (minutes: number, state: 'open' | 'cancelled' | 'filled', filled = 0) =>
        rig.take({
          kind: 'order-update',
          time: start + minutes * 60_000,
          orderId,
          report: {
            state,
            requested: held,
            filled,
            fills:
              filled === 0
                ? []
                : [{ id: 'sold', price: 99, amount: filled, fee: 0, feeCurrency: 'USDT', feeInQuote: 0, liquidity: 'taker', time: start }],
          },
        });
      report(60.06, 'open');
      missing(rig, held);
      expect(stops(rig)).toMatchObject([{ isCancelWanted: true }]);
      expect(trade(rig)?.amount).toBe(held);
      if (becomes === 'cancelled') report(60.2, 'cancelled');
      else report(60.2, 'filled', held);
      if (becomes === 'cancelled') {
        // No stop and no exit takes its place.
        rig.tick(60.3, 80, { bid: 80, ask: 80 });
        expect(trade(rig)?.orders).toHaveLength(2);
        missing(rig, held, 60.4);
      }
      expect(rig.state.trades).toEqual([]);
      expect(rig.closed()).toMatchObject([{ exitReason: becomes === 'cancelled' ? soldOnExchange : 'stoploss_on_exchange' }]);
    });

  test('counts once, however often it is reported; another time it counts again', () => {
    const rig = holding();
    const held = trade(rig)?.amount ?? 0;
    missing(rig, 1);
    expect(missing(rig, 1, 60.2)).toEqual([]);
    expect(trade(rig)?.amount).toBe(held - 1);
    missing(rig, 1, 60.3, 'outside-2');
    expect(trade(rig)?.amount).toBe(held - 2);
  });

  test('has the stop follow: one of the earlier amount is cancelled, and its successor is for what is held', () => {
    const rig = holding();
    rig.tick(60.05, 100);
    const held = trade(rig)?.amount ?? 0;
    expect(stops(rig)).toMatchObject([{ amount: held }]);
    const stop = stops(rig)[0];
    const report = (state: 'open' | 'cancelled') =>
      rig.take({
        kind: 'order-update',
        time: start + 60.15 * 60_000,
        orderId: stop?.id ?? '',
        report: { state, requested: held, filled: 0, fills: [] },
      });
    report('open');
    missing(rig, 4, 60.16);
    expect(stops(rig)[0]?.isCancelWanted).toBe(true);
    report('cancelled');
    rig.tick(60.2, 100);
    expect(stops(rig).at(-1)).toMatchObject({ amount: held - 4, state: 'planned' });
  });

  test('has a stop placed for what is left where none lies yet', () => {
    const rig = holding();
    const held = trade(rig)?.amount ?? 0;
    missing(rig, 4);
    expect(stops(rig)).toMatchObject([{ amount: held - 4, state: 'planned' }]);
  });

  test('has an exit cancelled that asks for more than is left', () => {
    const rig = holding({ orderTypes: { entry: 'market', exit: 'limit' }, minimalRoi: { 0: 0.5 } });
    rig.context.stopsAtExchange = false;
    rig.candle(2, { exitLong: true });
    rig.tick(120, 100, { bid: 100, ask: 100 });
    expect(trade(rig)?.orders.at(-1)).toMatchObject({ type: 'limit', purpose: 'exit' });
    missing(rig, 4, 120.1);
    expect(rig.effects).toContainEqual(expect.objectContaining({ kind: 'cancel-requested' }));
  });

  test('waits for a first price', () => {
    const rig = holding();
    const memory = rig.state.pairs['BTC/USDT'];
    if (memory !== undefined) memory.view = null;
    expect(missing(rig, 4)).toEqual([]);
    rig.tick(60.2, 95);
    missing(rig, 4, 60.3);
    expect(trade(rig)?.orders.find(({ tag }) => tag === soldOnExchange)?.fillPrice).toBe(95);
  });

  describe('whose symbol has no price any more', () => {
    /** The bot was started again, and its exchange has delisted the symbol. */
    function delisted(): Rig {
      const rig = holding();
      const memory = rig.state.pairs['BTC/USDT'];
      if (memory !== undefined) memory.view = null;
      rig.context.instruments = new Map();
      return rig;
    }
    const settled = (rig: Rig, amount: number) =>
      rig.take({
        kind: 'held-elsewhere',
        time: start + 70 * 60_000,
        tradeId: rig.state.trades[0]?.id ?? 0,
        amount,
        fillId: 'outside-1',
        isPriceless: true,
      });
    const refused = (last: number, marketPrice: number | null) => ({
      since: start + 60 * 60_000,
      last: start + last * 60_000,
      orderId: 'x',
      marketPrice,
    });

    test('is booked at the price of its newest fill, and the trade is closed', () => {
      const rig = delisted();
      settled(rig, trade(rig)?.amount ?? 0);
      expect(rig.state.trades).toEqual([]);
      expect(rig.closed()).toMatchObject([{ exitReason: soldOnExchange, closeRate: 100, profit: 0 }]);
    });

    test.each([
      ['an exit', { exitFailures: refused(62, 80), stopFailures: refused(61, 90) }, 80],
      ['a stop', { exitFailures: refused(61, 80), stopFailures: refused(62, 90) }, 90],
      ['a stop without a price, and an exit', { exitFailures: refused(61, 80), stopFailures: refused(62, null) }, 80],
      ['neither since the newest fill', { exitFailures: refused(59, 80) }, 100],
    ])('is booked at the price at which the exchange has refused %s, when that is newer', (_, failures, price) => {
      const rig = delisted();
      Object.assign(trade(rig) ?? {}, failures);
      settled(rig, trade(rig)?.amount ?? 0);
      expect(rig.closed()).toMatchObject([{ closeRate: price }]);
    });

    test('in part, leaves the rest in the trade without a stop: there is nothing to place it at', () => {
      const rig = delisted();
      const held = trade(rig)?.amount ?? 0;
      settled(rig, 4);
      expect([trade(rig)?.amount, stops(rig)]).toEqual([held - 4, []]);
    });

    test('is booked at the newest price where there is one after all', () => {
      const rig = holding();
      rig.tick(60.05, 90, { bid: 90, ask: 90 });
      settled(rig, 4);
      expect(trade(rig)?.orders.find(({ tag }) => tag === soldOnExchange)?.fillPrice).toBe(90);
    });
  });

  test('is nothing to a simulated trade, and to one that nobody has', () => {
    const rig = holding();
    const before = structuredClone(rig.state);
    rig.context.execution = 'simulated';
    expect(missing(rig, 4)).toEqual([]);
    rig.context.execution = 'exchange';
    expect(rig.take({ kind: 'held-elsewhere', time: start + 60.2 * 60_000, tradeId: 99, amount: 1, fillId: 'outside-9' })).toEqual([]);
    expect(rig.state).toEqual(before);
  });

  test('is booked on a copy of the state; the state before stays as it was', () => {
    const rig = holding();
    const before = structuredClone(rig.state);
    const { state } = advance(
      rig.state,
      { kind: 'held-elsewhere', time: start + 60.1 * 60_000, tradeId: 1, amount: 100, fillId: 'outside-1' },
      rig.context,
    );
    expect(rig.state).toEqual(before);
    expect(state.trades).toEqual([]);
  });
});
