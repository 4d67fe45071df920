import { describe, expect, test } from 'vitest';
import type { SettingsInput } from '../settings/normalise-settings.ts';
import { advance } from './advance.ts';
import type { AdoptedHolding } from './event.ts';
import { clientOrderId, isOrderOf, orderNumberOf } from './state.ts';
import { enter, market, Rig, start, symbol } from './testing/rig.ts';

const holding: AdoptedHolding = { direction: 'long', amount: 2.5, price: 100.02, fee: 0.25 };

/** A bot at an exchange that holds nothing. */
function flat(settings: Partial<SettingsInput> = {}): Rig {
  const rig = new Rig({ ...market, ...settings });
  rig.context.execution = 'exchange';
  rig.context.stopsAtExchange = true;
  return rig;
}
const adopt = (rig: Rig, given: Partial<AdoptedHolding> = {}, fillId = 'outside-1') =>
  rig.take({ kind: 'holding-adopted', time: start + 60_000, symbol, holding: { ...holding, ...given }, fillId });

describe('what a bot takes over', () => {
  test('becomes a trade at its average price and fees, with a stop; nothing else is sent', () => {
    const rig = flat();
    rig.take({ kind: 'order-numbers-seen', time: start, highest: 41 });
    const effects = adopt(rig);
    expect(rig.state.trades).toMatchObject([
      { symbol, direction: 'long', amount: 2.5, isOpen: true, enterTag: 'adopted', openRate: 100.02, stop: expect.closeTo(90.02, 2) },
    ]);
    expect(rig.state.trades[0]?.orders).toMatchObject([
      {
        id: clientOrderId('bot-1', 42),
        purpose: 'entry',
        side: 'buy',
        state: 'filled',
        filled: 2.5,
        fills: [{ id: 'outside-1', fee: 0.25, feeInQuote: 0.25 }],
      },
      { id: clientOrderId('bot-1', 43), type: 'stop', side: 'sell', state: 'planned', amount: 2.5 },
    ]);
    expect(effects.flatMap((effect) => (effect.kind === 'order-created' ? [effect.order.type] : []))).toEqual(['stop']);
    expect(effects.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['trade-opened', 'order-filled', 'trade-updated']));
  });

  test('counts once, and waits while the symbol has another trade', () => {
    const rig = flat();
    adopt(rig);
    expect(adopt(rig)).toEqual([]);
    expect(adopt(rig, {}, 'outside-2')).toEqual([]);
    rig.take({ kind: 'held-elsewhere', time: start + 61_000, tradeId: 1, amount: 2.5, fillId: 'outside-3' });
    rig.tick(1.1, 100);
    const sold = (minutes: number) =>
      rig.take({ kind: 'held-elsewhere', time: start + minutes * 60_000, tradeId: 1, amount: 2.5, fillId: 'outside-3' });
    sold(1.12);
    // Its stop is not to sell anything later.
    const report = { state: 'cancelled', requested: 2.5, filled: 0, fills: [] } as const;
    rig.take({ kind: 'order-update', time: start + 68_000, orderId: rig.state.trades[0]?.orders[1]?.id ?? '', report });
    sold(1.15);
    expect(rig.state.trades).toEqual([]);
    expect(adopt(rig)).toEqual([]); // of a trade that is over too
    adopt(rig, {}, 'outside-2');
    expect(rig.state.trades).toHaveLength(1);
  });

  test('ends at once where it is too little for an order: it stays in the account and takes no slot', () => {
    const rig = flat();
    const effects = adopt(rig, { amount: 0.004 });
    expect(rig.state.trades).toEqual([]);
    expect(rig.closed()).toMatchObject([{ amount: 0.004, profit: 0, exitReason: 'too_small_to_sell' }]);
    expect(effects.some(({ kind }) => kind === 'order-created')).toBe(false);
    expect(adopt(rig, { amount: 0.004 })).toEqual([]); // once
  });

  test('is cut to whole steps; what is below one is nothing', () => {
    const rig = flat();
    expect(adopt(rig, { amount: 0.00000001 })).toEqual([]);
    adopt(rig, { amount: 2.50049 });
    expect(rig.state.trades[0]?.amount).toBe(2.5);
  });

  test('of which a fee has no value yet counts the usual one', () => {
    const rig = flat();
    adopt(rig, { fee: null });
    expect(rig.state.trades[0]?.orders[0]).toMatchObject({ feeRatio: null });
    expect(rig.state.trades[0]?.feeOpen).toBeGreaterThan(0);
  });

  test('is a short position too, with the leverage of the bot', () => {
    const rig = flat({ marketType: 'futures', canShort: true, marginMode: 'isolated', liquidationFormula: 'binance', leverage: 2 });
    adopt(rig, { direction: 'short' });
    expect(rig.state.trades).toMatchObject([{ direction: 'short', leverage: 2, amount: 2.5 }]);
    expect(rig.state.trades[0]?.stake).toBeCloseTo(125.025, 6);
  });

  test('is nothing to a bot on paper, and leaves the state before as it was', () => {
    const rig = flat();
    const before = structuredClone(rig.state);
    rig.context.execution = 'simulated';
    expect(adopt(rig)).toEqual([]);
    rig.context.execution = 'exchange';
    const { state } = advance(rig.state, { kind: 'holding-adopted', time: start, symbol, holding, fillId: 'outside-1' }, rig.context);
    expect(state.trades).toHaveLength(1);
    expect(rig.state).toEqual(before);
  });
});

describe('numbers of orders', () => {
  test('continue above what the exchange has seen, and never run backwards', () => {
    const rig = flat();
    rig.take({ kind: 'order-numbers-seen', time: start, highest: 7 });
    expect(rig.state.nextOrderNumber).toBe(8);
    rig.take({ kind: 'order-numbers-seen', time: start, highest: 3 });
    expect(rig.state.nextOrderNumber).toBe(8);
    rig.candle(1, enter);
    rig.tick(60, 100, { bid: 100, ask: 100 });
    expect(rig.state.trades[0]?.orders[0]?.id).toBe(clientOrderId('bot-1', 8));
  });

  test('are read from ids of the bot only', () => {
    expect(orderNumberOf('bot-1', clientOrderId('bot-1', 123_456))).toBe(123_456);
    for (const id of [clientOrderId('bot-2', 5), 'fl-bot1-', 'fl-bot1-A', 'fl-bot1-1-2', 'hand-1'])
      expect(orderNumberOf('bot-1', id), id).toBeNull();
    expect(isOrderOf('bot-1', 'fl-bot1-')).toBe(true);
  });
});
