import { describe, expect, test } from 'vitest';
import type { SettingsInput } from '../settings/normalise-settings.ts';
import { advance } from './advance.ts';
import { enter, hour, market, Rig, start } from './testing/rig.ts';

/** A bot that holds a trade. */
function holding(settings: Partial<SettingsInput> = {}): Rig {
  const rig = new Rig({ ...market, fee: 0, ...settings });
  rig.candle(1, enter);
  rig.tick(60, 100, { bid: 100, ask: 100 });
  return rig;
}
const close = (rig: Rig, minutes: number, tradeId = rig.state.trades[0]?.id ?? 0) =>
  rig.take({ kind: 'close-asked', time: start + minutes * 60_000, tradeId });
const exits = (rig: Rig) => rig.closed().map(({ exitReason }) => exitReason);

describe('a trade that a person closes', () => {
  test('is left at market at once where the prices are fresh, with the reason force_exit; asked twice is once', () => {
    const rig = holding();
    const { id } = rig.state.trades[0] ?? { id: 0 };
    close(rig, 60.1);
    close(rig, 60.2, id);
    expect(exits(rig)).toEqual(['force_exit']);
    expect(rig.effects.filter((effect) => effect.kind === 'order-created' && effect.order.purpose === 'exit')).toHaveLength(1);
    expect(rig.state.closeAsked).toEqual([]);
  });

  test('waits for prices that are fresh, and is left with the first of them, whatever the strategy says', () => {
    const rig = holding();
    close(rig, 65);
    expect(exits(rig)).toEqual([]);
    rig.tick(66, 101);
    expect(exits(rig)).toEqual(['force_exit']);
  });

  test.each(['paused', 'active'] as const)('is left by a bot that is %s', (status) => {
    const rig = holding();
    rig.take({ kind: 'status-changed', time: start + hour, status });
    close(rig, 60.1);
    expect(exits(rig)).toEqual(['force_exit']);
  });

  test.each(['reducing', 'halted'] as const)('is left while the kill switch says %s', (state) => {
    const rig = holding();
    rig.state.tradingState = state;
    close(rig, 60.1);
    expect(exits(rig)).toEqual(['force_exit']);
  });

  test.each([60.1, 65])('of which nothing is held yet has its entry cancelled, however old the prices: %d minutes', (minutes) => {
    const rig = new Rig({ ...market, orderTypes: { entry: 'limit' } });
    rig.candle(1, enter);
    rig.tick(60, 100);
    expect(rig.state.trades).toHaveLength(1);
    close(rig, minutes);
    expect(rig.kinds()).toContain('trade-cancelled');
    expect(rig.state.trades).toEqual([]);
  });

  test('has a waiting exit cancelled first', () => {
    const rig = holding({ orderTypes: { entry: 'market', exit: 'limit' } });
    rig.candle(2, { exitLong: true });
    rig.tick(120, 100, { bid: 99, ask: 101 });
    expect(rig.state.trades[0]?.orders.at(-1)).toMatchObject({ purpose: 'exit', type: 'limit', state: 'open' });
    close(rig, 120.1);
    expect(rig.effects).toContainEqual(expect.objectContaining({ kind: 'order-cancelled', reason: 'stopped' }));
    expect(exits(rig)).toEqual(['force_exit']);
  });

  test('is the only one that is left, and one that nobody has is nothing', () => {
    const rig = holding();
    expect(close(rig, 60.1, 999)).toEqual([]);
    expect(rig.state.closeAsked).toEqual([]);
    expect(rig.state.trades).toHaveLength(1);
  });

  test('the same happens on a copy of the state; the state before stays as it was', () => {
    const rig = holding();
    const before = structuredClone(rig.state);
    const { state } = advance(rig.state, { kind: 'close-asked', time: start + 60.1 * 60_000, tradeId: 1 }, rig.context);
    expect(rig.state).toEqual(before);
    expect(state.trades).toEqual([]);
  });
});

describe('at an exchange, a trade that a person closes', () => {
  /** Holds a trade, with a limit exit that waits at the exchange. */
  function waiting(): Rig {
    const rig = holding({ orderTypes: { entry: 'market', exit: 'limit' }, minimalRoi: { 0: 0.5 } });
    rig.context.execution = 'exchange';
    rig.candle(2, { exitLong: true });
    rig.tick(120, 100, { bid: 100, ask: 100 });
    return rig;
  }
  const cancels = (rig: Rig) => rig.kinds().filter((kind) => kind === 'cancel-requested');
  const markets = (rig: Rig) =>
    rig.effects.filter((effect) => effect.kind === 'order-created' && effect.order.type === 'market' && effect.order.tag === 'force_exit');
  const cancelled = (rig: Rig, minutes: number): void => {
    const order = rig.state.trades[0]?.orders.at(-1);
    const report = { state: 'cancelled', requested: order?.amount ?? 0, filled: 0, fills: [] } as const;
    rig.take({ kind: 'order-update', time: start + minutes * 60_000, orderId: order?.id ?? '', report });
  };

  test('has its orders cancelled first, once, and then goes at market, not at the limit that a signal would ask for again', () => {
    const rig = waiting();
    close(rig, 120.1);
    close(rig, 120.11);
    expect(cancels(rig)).toHaveLength(1);
    expect(markets(rig)).toHaveLength(0);
    cancelled(rig, 120.12);
    rig.tick(120.13, 100, { bid: 100, ask: 100 });
    expect(markets(rig)).toHaveLength(1);
    expect(rig.state.trades[0]?.orders.filter(({ type, state }) => type === 'limit' && state === 'planned')).toEqual([]);
  });

  test('keeps the market order that is on its way, however often it is asked for', () => {
    const rig = holding();
    rig.context.execution = 'exchange';
    close(rig, 60.1);
    close(rig, 60.2);
    rig.tick(60.3, 100);
    expect(markets(rig)).toHaveLength(1);
    expect(cancels(rig)).toEqual([]);
  });

  test('is tried again after a refusal, when its time has come', () => {
    const rig = holding();
    rig.context.execution = 'exchange';
    const { id } = rig.state.trades[0] ?? { id: 0 };
    close(rig, 60.1);
    rig.state.exitRetryTimes[id] = start + 62 * 60_000;
    rig.state.trades[0]?.orders.pop();
    close(rig, 60.15);
    expect(markets(rig)).toHaveLength(1);
    rig.tick(62, 100);
    expect(markets(rig)).toHaveLength(2);
  });
});
