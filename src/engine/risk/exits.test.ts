import { describe, expect, test } from 'vitest';
import { anOrder } from '../account/testing/an-order.ts';
import { aTrade } from '../account/testing/a-trade.ts';
import type { Trade } from '../account/trade.ts';
import type { SettingsInput } from '../settings/normalise-settings.ts';
import { requireSettings } from '../settings/normalise-settings.ts';
import type { StrategyCallbacks } from '../strategy/callbacks.ts';
import type { ExitCandidate, ExitFlags } from './exits.ts';
import { exitCandidates, exitPrice } from './exits.ts';
import type { QuirkName } from './quirks.ts';
import { withoutQuirks } from './quirks.ts';

const minute = 60_000;
const quiet: ExitFlags = { enter: false, exit: false, exitTag: null };
const wantsOut: ExitFlags = { ...quiet, exit: true };
const rulesOf = (settings: Partial<SettingsInput> = {}, callbacks: StrategyCallbacks = {}, without: QuirkName[] = []) => ({
  settings: requireSettings({ stakeAmount: 100, maxOpenTrades: 1, stoploss: -0.1, minimalRoi: {}, ...settings }),
  callbacks,
  quirks: withoutQuirks(without),
  timeframeMinutes: 5,
});
/** One coin bought at 100 with a stop at 90, filled a minute before the bar. */
const held = (given: Partial<Trade> = {}) =>
  aTrade({ amount: 1, openValue: 100, feeOpen: 0, feeClose: 0, stop: given.direction === 'short' ? 110 : 90, ...given });
const bar = (open: number, high: number, low: number, close: number) => ({ time: minute, open, high, low, close });
const calm = bar(105, 106, 104, 105);

describe('OP-84 the reasons to leave', () => {
  const reasons =
    (at: ReturnType<typeof bar>, flags: ExitFlags, rules: ReturnType<typeof rulesOf>, given: Partial<Trade> = {}) =>
    () =>
      exitCandidates(held(given), at, flags, rules).map(({ kind, reason }) => (kind === reason ? kind : `${kind}: ${reason}`));
  const roi = { minimalRoi: { 0: 0.04 } };
  const onlyWithProfit = { exitProfitOnly: true, exitProfitOffset: 0.05 };
  const custom = (reason: string | null) => ({ customExit: () => reason });

  test.each<[string, () => string[], string[]]>([
    ['none on a quiet bar', reasons(calm, quiet, rulesOf()), []],
    ['a signal', reasons(calm, wantsOut, rulesOf()), ['exit_signal']],
    ['a signal by its tag', reasons(calm, { ...wantsOut, exitTag: 'top' }, rulesOf()), ['exit_signal: top']],
    ['a signal with an empty tag', reasons(calm, { ...wantsOut, exitTag: '' }, rulesOf()), ['exit_signal']],
    ['no signal beside one to enter', reasons(calm, { ...wantsOut, enter: true }, rulesOf()), []],
    ['no signal where they do not count', reasons(calm, wantsOut, rulesOf({ useExitSignal: false })), []],
    ['no signal at the profit that is asked for', reasons(calm, wantsOut, rulesOf(onlyWithProfit)), []],
    ['a signal above it', reasons(bar(105.1, 106, 104, 105), wantsOut, rulesOf(onlyWithProfit)), ['exit_signal']],
    ['the wish of the strategy', reasons(calm, quiet, rulesOf({}, custom('enough'))), ['custom_exit: enough']],
    ['a wish without a name', reasons(calm, quiet, rulesOf({}, custom(''))), ['custom_exit']],
    ['a long name, cut', reasons(calm, quiet, rulesOf({}, custom('x'.repeat(300)))), [`custom_exit: ${'x'.repeat(255)}`]],
    ['no wish', reasons(calm, quiet, rulesOf({}, custom(null))), []],
    ['no wish beside a signal', reasons(calm, wantsOut, rulesOf({}, custom('enough'))), ['exit_signal']],
    ['no wish instead of a signal that loses', reasons(calm, wantsOut, rulesOf(onlyWithProfit, custom('enough'))), []],
    ['a wish where entry and exit contradict', reasons(calm, { ...wantsOut, enter: true }, rulesOf({}, custom('x'))), ['custom_exit: x']],
    ['no wish where signals do not count', reasons(calm, quiet, rulesOf({ useExitSignal: false }, custom('enough'))), []],
    ['the ROI', reasons(calm, quiet, rulesOf(roi)), ['roi']],
    ['the risk-reward', reasons(calm, quiet, rulesOf({ riskRewardRatio: 0.5 })), ['risk_reward']],
    ['the ROI beside an entry', reasons(calm, { ...quiet, enter: true }, rulesOf(roi)), ['roi']],
    ['no ROI beside an entry', reasons(calm, { ...quiet, enter: true }, rulesOf({ ...roi, ignoreRoiIfEntrySignal: true })), []],
    ['the ROI without an entry', reasons(calm, quiet, rulesOf({ ...roi, ignoreRoiIfEntrySignal: true })), ['roi']],
    ['signal, stop and ROI', reasons(bar(105, 106, 89, 90), wantsOut, rulesOf(roi)), ['exit_signal', 'stop_loss', 'roi']],
    [
      'signal, liquidation and ROI',
      reasons(bar(105, 106, 89, 90), wantsOut, rulesOf(roi), { stop: 50, liquidationPrice: 90 }),
      ['exit_signal', 'liquidation', 'roi'],
    ],
    [
      'a trailing stop after the ROI',
      reasons(bar(105, 106, 89, 90), wantsOut, rulesOf(roi), { isStopTrailing: true }),
      ['exit_signal', 'roi', 'trailing_stop_loss'],
    ],
    ['the ROI of a short by its low', reasons(bar(100, 101, 95, 100), quiet, rulesOf(roi), { direction: 'short' }), ['roi']],
    ['no ROI of a short by its high', reasons(bar(100, 109, 99, 100), quiet, rulesOf(roi), { direction: 'short' }), []],
  ])('%s', (_, found, expected) => {
    expect(found()).toEqual(expected);
  });

  test('the strategy is asked with the open and its profit', () => {
    const seen: unknown[] = [];
    const customExit: StrategyCallbacks['customExit'] = ({ time, price, profitRatio }) => {
      seen.push(time, price, profitRatio);
      return null;
    };
    exitCandidates(held(), calm, quiet, rulesOf({}, { customExit }));
    expect(seen).toEqual([minute, 105, 0.05]);
  });

  test('a trade notes the lowest and the highest price, and only such', () => {
    const trade = held({ minRate: 99, maxRate: 105.5 });
    exitCandidates(trade, calm, quiet, rulesOf());
    expect([trade.minRate, trade.maxRate]).toEqual([99, 106]);
    exitCandidates(trade, bar(99, 100, 98, 99), quiet, rulesOf());
    expect([trade.minRate, trade.maxRate]).toEqual([98, 106]);
  });
});

describe('highMovesStopBeforeLow', () => {
  const trailing = { trailingStop: true };
  const realistic: QuirkName[] = ['highMovesStopBeforeLow'];
  const hits =
    (at: ReturnType<typeof bar>, without: QuirkName[], given: Partial<Trade> = {}) =>
    () => {
      const trade = held(given);
      const found = exitCandidates(trade, at, quiet, rulesOf(trailing, {}, without));
      return [trade.stop, ...found.map((each) => ('stoodBefore' in each ? [each.kind, each.stoodBefore] : [each.kind]))];
    };
  test.each<[string, () => unknown, unknown]>([
    ['the high moves the stop, and the low hits it', hits(bar(105, 120, 107, 115), []), [108, ['trailing_stop_loss', false]]],
    ['without, the low is tested against the stop of before', hits(bar(105, 120, 107, 115), realistic), [108]],
    ['and the close against the one that moved', hits(bar(105, 120, 107, 108), realistic), [108, ['trailing_stop_loss', false]]],
    ['a stop of before that is hit does not move', hits(bar(105, 120, 90, 115), realistic), [90, ['stop_loss', true]]],
    ['with the quirk neither', hits(bar(105, 120, 90, 115), []), [90, ['stop_loss', true]]],
  ])('%s', (_, found, expected) => {
    expect(found()).toEqual(expected);
  });

  const filledAt = (time: number) => ({ orders: [anOrder({ filled: 1, filledTime: time, state: 'filled' })] });
  test.each<[string, () => unknown, unknown]>([
    ['that was there at the open', hits(bar(95, 96, 89, 95), [], filledAt(minute - 1)), [90, ['stop_loss', true]]],
    ['of a trade that was entered on this bar', hits(bar(95, 96, 89, 95), [], filledAt(minute)), [90, ['stop_loss', false]]],
    [
      'at liquidation was there too, although the stop has moved meanwhile',
      hits(bar(95, 96, 89, 95), [], { stop: 20, liquidationPrice: 90 }),
      [86.4, ['liquidation', true]],
    ],
    [
      'at liquidation of a trade that was entered on this bar',
      hits(bar(95, 96, 89, 95), [], { stop: 20, liquidationPrice: 90, ...filledAt(minute) }),
      [86.4, ['liquidation', false]],
    ],
    [
      'at liquidation was there too, and a stop beyond it does not move where the low comes first',
      hits(bar(95, 96, 89, 95), realistic, { stop: 20, liquidationPrice: 90 }),
      [20, ['liquidation', true]],
    ],
  ])('a stop %s', (_, found, expected) => {
    expect(found()).toEqual(expected);
  });
});

describe('the price of an exit', () => {
  const price =
    (candidate: ExitCandidate, settings: Partial<SettingsInput> = {}, callbacks: StrategyCallbacks = {}, given: Partial<Trade> = {}) =>
    () =>
      exitPrice(held(given), candidate, bar(105, 115, 85, 95), rulesOf(settings, callbacks));
  const signal: ExitCandidate = { kind: 'exit_signal', reason: 'top' };
  const asks = (wished: number | null) => ({ exitPrice: () => wished });
  const market = { orderTypes: { exit: 'market' } } as const;
  const roi: ExitCandidate = { kind: 'roi', reason: 'roi', target: { ratio: 0.02, sinceMinutes: 0 } };
  const table = { minimalRoi: { 0: 0.03 } };

  test.each<[string, () => number | null, number | null]>([
    ['on a signal is the open', price(signal), 105],
    ['on a signal is what the strategy asks', price(signal, {}, asks(100)), 100],
    ['on a signal is the open where the strategy asks nothing', price(signal, {}, asks(null)), 105],
    ['of a market order is the open, whatever the strategy asks', price(signal, market, asks(100)), 105],
    ['is not below the bar', price(signal, {}, asks(50)), 85],
    ['may be above the bar: it waits', price(signal, {}, asks(200)), 200],
    ['of a short is not above the bar', price(signal, {}, asks(200), { direction: 'short' }), 115],
    ['of a short may be below the bar', price(signal, {}, asks(50), { direction: 'short' }), 50],
    ['on a wish is what the strategy asks', price({ kind: 'custom_exit', reason: 'x' }, {}, asks(100)), 100],
    ['of a part is what the strategy asks', price({ kind: 'partial_exit', reason: 'x' }, {}, asks(100)), 100],
    ['of a forced exit is the open', price({ kind: 'force_exit', reason: 'x' }, {}, asks(100)), 105],
    ['of an emergency is the open', price({ kind: 'emergency_exit', reason: 'x' }, {}, asks(100)), 105],
    ['at the stop is the stop', price({ kind: 'stop_loss', reason: 'stop_loss', stoodBefore: true }, {}, asks(100)), 90],
    ['at a trailing stop is the stop', price({ kind: 'trailing_stop_loss', reason: 'x', stoodBefore: true }, {}, asks(100)), 90],
    [
      'at liquidation is its price',
      price({ kind: 'liquidation', reason: 'liquidation', stoodBefore: true }, {}, asks(100), { liquidationPrice: 92 }),
      92,
    ],
    ['at the ROI is that of the target as it is now', price(roi, table, asks(100)), 103],
    ['at a ROI of the strategy, which is asked again', price(roi, table, { roi: () => 0.01 }), 101],
    ['is the open where there is no ROI any more', price(roi), 105],
    ['at risk-reward is that of its target', price({ ...roi, kind: 'risk_reward', reason: 'risk_reward' }, table), 102],
  ])('%s', (_, found, expected) => {
    expect(found()).toBe(expected);
  });

  test('the strategy is asked with the open, its profit and the reason', () => {
    const seen: unknown[] = [];
    const exit: StrategyCallbacks['exitPrice'] = ({ time, proposedPrice, profitRatio, reason }) => {
      seen.push(time, proposedPrice, profitRatio, reason);
      return null;
    };
    price(signal, {}, { exitPrice: exit })();
    expect(seen).toEqual([minute, 105, 0.05, 'top']);
  });
});
