import { describe, expect, test } from 'vitest';
import type { Trade } from '../account/trade.ts';
import type { StrategyCallbacks } from '../strategy/callbacks.ts';
import { enter, market, Rig, start } from './testing/rig.ts';

/** A bot on paper that holds 33 contracts of 0.3 BTC, bought at 100. */
function holding(callbacks: StrategyCallbacks = {}): Rig {
  const rig = new Rig({ ...market, fee: 0, marketType: 'futures', positionAdjustment: true }, callbacks, {
    marketType: 'futures',
    amountStep: 1,
    contractSize: 0.3,
  });
  rig.candle(1, enter);
  rig.tick(60, 100, { bid: 100, ask: 100 });
  return rig;
}
const held = (rig: Rig): Trade => {
  const [trade] = rig.state.trades;
  if (trade === undefined) throw new Error('no trade is open');
  return trade;
};
const takeOut = (rig: Rig, share: number) =>
  rig.take({
    kind: 'manual-asked',
    time: start + 60.1 * 60_000,
    action: { id: 'a', until: start + 70 * 60_000, kind: 'take-out', tradeId: 1, share },
  });

describe('OP-84 where a contract is not one unit, amounts are whole contracts', () => {
  test('of an exit of everything', () => {
    const rig = holding();
    expect(held(rig).amount).toBe(9.9);
    rig.tick(61, 89, { bid: 89, ask: 89 });
    expect(rig.closed()).toMatchObject([{ exitReason: 'stop_loss', amount: 9.9, orders: [{ filled: 9.9 }, { filled: 9.9 }] }]);
  });

  test('of a part that is taken out by hand', () => {
    const rig = holding();
    takeOut(rig, 0.5);
    expect(held(rig)).toMatchObject({ amount: 5.1, orders: [{ filled: 9.9 }, { filled: 4.8 }] });
  });

  test('of a part that the strategy leaves', () => {
    const rig = holding({ adjustPosition: ({ trade }) => (trade.orders.length === 1 ? -495 : null) });
    rig.tick(61, 100, { bid: 100, ask: 100 });
    expect(held(rig)).toMatchObject({ amount: 5.1, orders: [{ filled: 9.9 }, { filled: 4.8 }] });
  });

  test('of what is left: one contract is something', () => {
    const rig = holding();
    takeOut(rig, 0.9698);
    expect(rig.closed()).toEqual([]);
    expect(held(rig)).toMatchObject({ amount: 0.3, orders: [{ filled: 9.9 }, { filled: 9.6 }] });
  });
});
