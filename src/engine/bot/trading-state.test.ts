import { describe, expect, test } from 'vitest';
import type { SettingsInput } from '../settings/normalise-settings.ts';
import type { StrategyCallbacks } from '../strategy/callbacks.ts';
import type { TradingState } from './event.ts';
import { enter, hour, market, Rig, start } from './testing/rig.ts';

/** A bot whose kill switch is pressed after what `before` does. */
function stopped(
  state: TradingState,
  before: (rig: Rig) => void,
  settings: Partial<SettingsInput> = {},
  callbacks: StrategyCallbacks = {},
) {
  const rig = new Rig({ ...market, fee: 0, ...settings }, callbacks);
  before(rig);
  rig.state.tradingState = state;
  return rig;
}
const holds = (rig: Rig): void => {
  rig.candle(1, enter);
  rig.tick(60, 100, { bid: 100, ask: 100 });
};
const exits = (rig: Rig) => rig.closed().map(({ exitReason }) => exitReason);

describe('OP-27 the kill switch in a step', () => {
  test.each(['reducing', 'halted'] as const)('%s: no entry is made, and the decision names it', (state) => {
    const rig = stopped(state, () => {});
    rig.candle(1, enter);
    rig.tick(60, 100);
    expect(rig.kinds()).not.toContain('order-created');
    expect(rig.decisions()).toMatchObject([{ action: 'none', gate: state }]);
    rig.state.tradingState = 'active';
    rig.tick(61, 100);
    expect(rig.kinds()).toContain('order-created');
  });

  test.each(['reducing', 'halted'] as const)('%s: an entry order that waits is cancelled before it can be filled', (state) => {
    const waits = (rig: Rig): void => {
      rig.candle(1, enter);
      rig.tick(60, 100);
    };
    const rig = stopped(state, waits, { orderTypes: { entry: 'limit' } });
    expect(rig.state.trades).toHaveLength(1);
    rig.tick(61, 90); // far below its limit
    expect(rig.kinds()).not.toContain('order-filled');
    expect(rig.effects).toContainEqual(expect.objectContaining({ kind: 'order-cancelled', reason: 'stopped' }));
    expect(rig.state.trades).toEqual([]);
  });

  test('at an exchange, the cancel of a waiting entry is asked for once', () => {
    const rig = new Rig({ orderTypes: { entry: 'limit' } });
    rig.context.execution = 'exchange';
    rig.candle(1, enter);
    rig.tick(60, 100);
    rig.state.tradingState = 'reducing';
    rig.tick(61, 100);
    rig.tick(62, 100);
    expect(rig.kinds().filter((kind) => kind === 'cancel-requested')).toHaveLength(1);
  });

  test.each<[TradingState, string, Partial<SettingsInput>, number, string[]]>([
    ['reducing', 'the ROI leaves', { minimalRoi: { 0: 0.1 } }, 120, ['roi']],
    ['halted', 'the ROI does not leave', { minimalRoi: { 0: 0.1 } }, 120, []],
    ['halted', 'the stop leaves', {}, 80, ['stop_loss']],
  ])('%s: %s', (state, _, settings, price, reasons) => {
    const rig = stopped(state, holds, settings);
    rig.tick(61, price);
    expect(exits(rig)).toEqual(reasons);
  });

  test('halted: the stop still trails', () => {
    const rig = stopped('halted', holds, { trailingStop: true });
    rig.tick(61, 150);
    rig.tick(62, 120);
    expect(exits(rig)).toEqual(['trailing_stop_loss']);
  });

  test('halted: an exit signal is not followed, and the decision says why; after re-arming it is', () => {
    const rig = stopped('halted', holds);
    rig.candle(2, { exitLong: true });
    rig.tick(120, 100);
    expect(exits(rig)).toEqual([]);
    expect(rig.decisions().at(-1)).toMatchObject({ action: 'hold', gate: 'halted' });
    rig.state.tradingState = 'reducing';
    rig.tick(121, 100);
    expect(exits(rig)).toEqual(['exit_signal']);
  });

  test('halted: a bot that a person stops still closes what it holds', () => {
    const rig = stopped('halted', holds);
    rig.take({ kind: 'status-changed', time: start + hour + 1000, status: 'stopped' });
    rig.tick(61, 100);
    expect(exits(rig)).toEqual(['force_exit']);
  });
});
