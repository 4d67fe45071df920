import { describe, expect, test } from 'vitest';
import { aTrade } from '../account/testing/a-trade.ts';
import type { Trade } from '../account/trade.ts';
import type { SettingsInput } from '../settings/normalise-settings.ts';
import { requireSettings } from '../settings/normalise-settings.ts';
import type { StrategyCallbacks } from '../strategy/callbacks.ts';
import type { QuirkName } from './quirks.ts';
import { parityQuirks, withoutQuirks } from './quirks.ts';
import {
  adjustStop,
  customStopAfterFill,
  isTouched,
  setInitialStop,
  stopAfterFill,
  stopAfterSettling,
  stopExitRate,
  stopHit,
  stopPriceAt,
  tightenStop,
} from './stops.ts';

const minute = 60_000;
const settingsOf = (given: Partial<SettingsInput> = {}) =>
  requireSettings({ stakeAmount: 100, maxOpenTrades: 1, stoploss: -0.1, ...given });
const bar = (open: number, high: number, low: number, close: number, time = minute) => ({ time, open, high, low, close });

describe('the price of a stop', () => {
  test.each([
    ['of a long lies below, and is rounded up to the tick', 'long', 1, -0.1, 90.01],
    ['of a short lies above, and is rounded down', 'short', 1, -0.1, 109.99],
    ['with leverage lies closer', 'long', 5, -0.1, 98.01],
    ['at more than everything is 0', 'long', 1, -1.5, 0],
    ['takes its distance without a sign', 'short', 2, 0.1, 104.99],
  ] as const)('%s', (_, direction, leverage, ratio, price) => {
    const rate = direction === 'long' ? 100.003 : 99.999;
    const trade = aTrade({ direction, leverage });
    for (const quirks of [parityQuirks, withoutQuirks(['stopRoundedFromNoise'])])
      expect(stopPriceAt(trade, rate, ratio, quirks)).toBe(price);
  });

  test('stopRoundedFromNoise a double beside the tick makes the stop one tick tighter; in decimals it is the tick', () => {
    const both = (direction: 'long' | 'short', rate: number) =>
      [parityQuirks, withoutQuirks(['stopRoundedFromNoise'])].map((quirks) => stopPriceAt(aTrade({ direction }), rate, -0.2, quirks));
    expect([both('long', 50.1), both('short', 50.05)]).toEqual([
      [40.09, 40.08],
      [60.05, 60.06],
    ]);
  });
});

describe('a stop that is set', () => {
  test('for the first time counts from the entry, and does not trail', () => {
    const trade = aTrade({ stop: 95, isStopTrailing: true });
    setInitialStop(trade, 0.2, parityQuirks);
    expect(trade).toMatchObject({ stop: 80, stopRatio: -0.2, initialStop: 80, initialStopRatio: -0.2, isStopTrailing: false });
  });

  test.each([
    ['long', 110, true, 99],
    ['long', 90, false, 90],
    ['short', 90, true, 99],
    ['short', 110, false, 110],
  ] as const)('of a %s is tightened from %d, and never loosened: %s', (direction, rate, hasMoved, stop) => {
    const trade = aTrade({ direction, stop: direction === 'long' ? 90 : 110 });
    expect(tightenStop(trade, rate, 0.1, parityQuirks)).toBe(hasMoved);
    expect(trade).toMatchObject({ stop, isStopTrailing: hasMoved });
  });

  test.each([
    ['long', 90],
    ['short', 110],
  ] as const)('of a %s at the same price neither moves nor trails', (direction, stop) => {
    const trade = aTrade({ direction, stop, stopRatio: -0.5 });
    expect(tightenStop(trade, 100, 0.1, parityQuirks)).toBe(false);
    expect(trade).toMatchObject({ stop, stopRatio: -0.5, isStopTrailing: false });
  });

  test('both ways is loosened too, and does not trail for that', () => {
    const trade = aTrade({ stop: 95 });
    expect(tightenStop(trade, 100, 0.1, parityQuirks, true)).toBe(true);
    expect(trade).toMatchObject({ stop: 90, stopRatio: -0.1, isStopTrailing: false });
    expect(tightenStop(trade, 100, 0.1, parityQuirks, true)).toBe(false);
  });
});

describe('the stop after a fill', () => {
  test('is that of the first entry, again', () => {
    const trade = aTrade({ stop: 95, isStopTrailing: true });
    stopAfterFill(trade, true, parityQuirks);
    expect(trade).toMatchObject({ stop: 90, initialStop: 90, isStopTrailing: false });
  });

  test('averagingMakesStopTrail after a further entry it counts from the average, if that is tighter', () => {
    for (const [quirks, isStopTrailing] of [
      [parityQuirks, true],
      [withoutQuirks(['averagingMakesStopTrail']), false],
    ] as const) {
      const trade = aTrade({ stop: 85, initialStop: 85 });
      stopAfterFill(trade, false, quirks);
      expect(trade).toMatchObject({ stop: 90, initialStop: 85, isStopTrailing });
      const above = aTrade({ stop: 95, isStopTrailing: true });
      stopAfterFill(above, false, quirks);
      expect(above).toMatchObject({ stop: 95, isStopTrailing: true });
    }
  });

  test('adjustingResetsTheStop it follows when the trade is settled again', () => {
    const [reset, kept] = [aTrade({ stop: 85, initialStop: 85 }), aTrade({ stop: 85 })];
    stopAfterSettling(reset, parityQuirks);
    stopAfterSettling(kept, withoutQuirks(['adjustingResetsTheStop']));
    expect([reset.stop, reset.initialStop, kept.stop]).toEqual([90, 85, 85]);
  });

  test.each<[string, StrategyCallbacks, number, number]>([
    ['is the wish of the strategy, looser too', { stopAfterFill: true, customStop: () => -0.2 }, 90, 80],
    ['is not asked for when the strategy does not want to be asked', { customStop: () => -0.2 }, 85, 85],
    ['is not asked for when the strategy says so', { stopAfterFill: false, customStop: () => -0.2 }, 85, 85],
    ['does not trail for a strategy without stops of its own', { stopAfterFill: true }, 85, 85],
    ['stays when the price lies at the stop already', { stopAfterFill: true, customStop: () => -0.2 }, 100, 100],
  ])('%s', (_, callbacks, stop, expected) => {
    const trade = aTrade({ stop });
    customStopAfterFill(trade, 100, minute, settingsOf({ trailingStop: true }), callbacks, parityQuirks);
    expect(trade.stop).toBe(expected);
  });

  test('the strategy is asked with price, time and profit of the fill, marked as one', () => {
    const seen: unknown[] = [];
    const callbacks: StrategyCallbacks = {
      stopAfterFill: true,
      customStop: ({ price, time, profitRatio, afterFill }): null => {
        seen.push(price, time, profitRatio, afterFill);
        return null;
      },
    };
    customStopAfterFill(aTrade({ amount: 1, openValue: 100, feeClose: 0 }), 110, minute, settingsOf(), callbacks, parityQuirks);
    expect(seen).toEqual([110, minute, 0.1, true]);
  });
});

describe('OP-84 a stop that follows the price', () => {
  const follow =
    (given: Partial<Trade>, settings: Partial<SettingsInput>, callbacks: StrategyCallbacks = {}, profit = 0.1) =>
    () => {
      const isShort = given.direction === 'short';
      const trade = aTrade({ stop: isShort ? 110 : 90, ...given });
      adjustStop(trade, isShort ? bar(100, 101, 80, 90) : bar(100, 120, 99, 110), profit, settingsOf(settings), callbacks, parityQuirks);
      return [trade.stop, trade.stopRatio, trade.isStopTrailing];
    };
  const trailing = { trailingStop: true } as const;
  const positive = { ...trailing, trailingStopPositive: 0.02 } as const;
  const offset = { ...positive, trailingStopPositiveOffset: 0.05 } as const;

  test.each<[string, () => unknown[], unknown[]]>([
    ['does not without trailing', follow({}, {}), [90, -0.1, false]],
    ['trails at the distance of the stop, from the high of the bar', follow({}, trailing), [108, -0.1, true]],
    ['of a short trails from the low', follow({ direction: 'short' }, trailing), [88, -0.1, true]],
    ['trails closer with profit', follow({}, positive), [117.6, -0.02, true]],
    ['does not trail closer without profit', follow({}, positive, {}, 0), [108, -0.1, true]],
    ['trails closer above the offset only', follow({}, offset, {}, 0.051), [117.6, -0.02, true]],
    ['trails at its distance at the offset', follow({}, offset, {}, 0.05), [108, -0.1, true]],
    ['waits for the offset', follow({}, { ...offset, trailingOnlyOffsetIsReached: true }, {}, 0.049), [90, -0.1, false]],
    ['begins at the offset', follow({}, { ...offset, trailingOnlyOffsetIsReached: true }, {}, 0.05), [108, -0.1, true]],
    ['is that of the strategy', follow({}, {}, { customStop: () => -0.05 }), [114, -0.05, true]],
    ['trails at the distance of the strategy', follow({ stop: 115 }, trailing, { customStop: () => -0.05 }), [115, -0.1, false]],
    ['is not loosened by the strategy', follow({ stop: 98 }, {}, { customStop: () => -0.5 }), [98, -0.1, false]],
    ['stays when the strategy has no wish', follow({}, {}, { customStop: () => null }), [90, -0.1, false]],
    ['stays when the strategy says 0', follow({}, {}, { customStop: () => 0 }), [90, -0.1, false]],
    ['stays when the strategy says no number', follow({}, {}, { customStop: () => Number.NaN }), [90, -0.1, false]],
    ['trails at its own distance when the strategy says 0', follow({}, trailing, { customStop: () => 0 }), [108, -0.1, true]],
    ['does not move on a bar that touches it', follow({ stop: 99 }, trailing), [99, -0.1, false]],
  ])('%s', (_, found, expected) => {
    expect(found()).toEqual(expected);
  });

  test('the strategy is asked with the best price of the bar, not marked as a fill', () => {
    const seen: unknown[] = [];
    const customStop: StrategyCallbacks['customStop'] = ({ price, time, profitRatio, afterFill }) => {
      seen.push([price, time, profitRatio, afterFill]);
      return null;
    };
    follow({}, {}, { customStop }, 0.07)();
    follow({ direction: 'short' }, {}, { customStop }, 0.08)();
    expect(seen).toEqual([
      [120, minute, 0.07, false],
      [80, minute, 0.08, false],
    ]);
  });
});

describe('OP-84 what a bar hits', () => {
  const hit =
    (given: Partial<Trade>, low: number, high: number, without: QuirkName[] = []) =>
    () =>
      stopHit(aTrade(given), bar(100, high, low, 100), withoutQuirks(without));
  const realistic: QuirkName[] = ['stopBeyondLiquidationWins'];

  test.each<[string, ReturnType<typeof hit>, string | null]>([
    ['nothing above the stop', hit({ stop: 90 }, 90.01, 110), null],
    ['the stop at its price', hit({ stop: 90 }, 90, 110), 'stop_loss'],
    ['nothing below the stop of a short', hit({ stop: 110, direction: 'short' }, 90, 109.99), null],
    ['the stop of a short at its price', hit({ stop: 110, direction: 'short' }, 90, 110), 'stop_loss'],
    ['a trailing stop', hit({ stop: 90, isStopTrailing: true }, 80, 110), 'trailing_stop_loss'],
    ['the liquidation price', hit({ stop: 80, liquidationPrice: 90 }, 90, 110), 'liquidation'],
    ['nothing above the liquidation price', hit({ stop: 80, liquidationPrice: 90 }, 90.01, 110), null],
    ['the stop before the liquidation price', hit({ stop: 92, liquidationPrice: 90 }, 85, 110), 'stop_loss'],
    ['the stop before it without the quirk too', hit({ stop: 92, liquidationPrice: 90 }, 85, 110, realistic), 'stop_loss'],
    ['stopBeyondLiquidationWins a stop beyond the liquidation', hit({ stop: 85, liquidationPrice: 90 }, 80, 110), 'stop_loss'],
    ['the liquidation before a stop beyond it', hit({ stop: 85, liquidationPrice: 90 }, 80, 110, realistic), 'liquidation'],
    ['a stop at the liquidation price', hit({ stop: 90, liquidationPrice: 90 }, 80, 110, realistic), 'stop_loss'],
    [
      'the liquidation of a short before a stop beyond it',
      hit({ direction: 'short', stop: 115, liquidationPrice: 110 }, 90, 120, realistic),
      'liquidation',
    ],
    ['a stop of a short before it', hit({ direction: 'short', stop: 108, liquidationPrice: 110 }, 90, 120, realistic), 'stop_loss'],
    ['the stop of a short that cannot be liquidated', hit({ direction: 'short', stop: 110 }, 90, 120, realistic), 'stop_loss'],
    ['no liquidation price of 0', hit({ direction: 'short', stop: 130, liquidationPrice: 0 }, 90, 120), null],
  ])('%s', (_, found, expected) => {
    expect(found()).toBe(expected);
  });

  test('a price is touched from the winning side', () => {
    const at = (direction: 'long' | 'short', price: number) => isTouched(aTrade({ direction }), price, bar(100, 110, 90, 100));
    expect([at('long', 90), at('long', 89), at('short', 110), at('short', 111)]).toEqual([true, false, true, false]);
  });
});

describe('the price of an exit at the stop', () => {
  type Hit = { kind: 'stop_loss' | 'trailing_stop_loss' | 'liquidation'; stoodBefore: boolean };
  const stopLoss: Hit = { kind: 'stop_loss', stoodBefore: true };
  const trailed: Hit = { kind: 'trailing_stop_loss', stoodBefore: false };
  const rate =
    (
      given: Partial<Trade>,
      hit: Hit,
      at: ReturnType<typeof bar>,
      settings: Partial<SettingsInput> = {},
      without: QuirkName[] = [],
      callbacks: StrategyCallbacks = {},
    ) =>
    () =>
      stopExitRate(aTrade(given), hit, at, settingsOf(settings), callbacks, withoutQuirks(without));
  const short = { direction: 'short' } as const;
  const realistic: QuirkName[] = ['gapBeyondStopExitsAtStop'];

  test.each<[string, () => number, number]>([
    ['is the stop', rate({ stop: 90 }, stopLoss, bar(100, 110, 80, 85)), 90],
    ['is the stop of a short', rate({ ...short, stop: 110 }, stopLoss, bar(100, 120, 80, 85)), 110],
    ['is the stop at the very edge of the bar', rate({ stop: 90 }, stopLoss, bar(85, 90, 80, 85)), 90],
    ['is the stop of a short at the edge', rate({ ...short, stop: 110 }, stopLoss, bar(115, 120, 110, 115)), 110],
    ['is the open where the whole bar lies beyond', rate({ stop: 90 }, stopLoss, bar(85, 89, 80, 85)), 85],
    ['is the open where the whole bar lies beyond, short', rate({ ...short, stop: 110 }, stopLoss, bar(115, 120, 111, 115)), 115],
    ['gapBeyondStopExitsAtStop is the stop after a gap', rate({ stop: 90 }, stopLoss, bar(85, 95, 80, 85)), 90],
    ['is the open after a gap', rate({ stop: 90 }, stopLoss, bar(85, 95, 80, 85), {}, realistic), 85],
    ['is the open after a gap, short', rate({ ...short, stop: 110 }, stopLoss, bar(115, 120, 80, 85), {}, realistic), 115],
    ['is the stop without a gap', rate({ stop: 90 }, stopLoss, bar(95, 95, 80, 85), {}, realistic), 90],
    [
      'is a stop that the bar itself has moved',
      rate({ stop: 90 }, { ...stopLoss, stoodBefore: false }, bar(85, 95, 80, 85), {}, realistic),
      90,
    ],
    [
      'is the liquidation price',
      rate({ stop: 70, liquidationPrice: 90 }, { kind: 'liquidation', stoodBefore: true }, bar(100, 110, 60, 85)),
      90,
    ],
    ['of another exit is never the liquidation price', rate({ stop: 95, liquidationPrice: 90 }, stopLoss, bar(100, 110, 60, 85)), 95],
  ])('%s', (_, found, expected) => {
    expect(found()).toBe(expected);
  });

  const entryBar = bar(100, 110, 80, 85, 59_999);
  const arms = { trailingStop: true, trailingOnlyOffsetIsReached: true, trailingStopPositive: 0.02, trailingStopPositiveOffset: 0.05 };
  const given = { stop: 98, stopRatio: -0.05, leverage: 2 };
  test.each<[string, () => number, number]>([
    ['is as far from the open as the stop from the best price', rate(given, trailed, entryBar), 97.5],
    ['is as far above it for a short', rate({ ...given, ...short }, trailed, entryBar), 102.5],
    ['lies in the bar', rate(given, trailed, bar(100, 110, 98.5, 99, 0)), 98.5],
    ['lies in the bar of a short', rate({ ...given, ...short }, trailed, bar(100, 101, 80, 85, 0)), 101],
    ['with an offset is that of a stop that was armed there', rate(given, trailed, entryBar, arms), 104],
    ['with an offset, short', rate({ ...given, ...short }, trailed, entryBar, arms), 96],
    ['knows no offset without trailing', rate(given, trailed, entryBar, { ...arms, trailingStop: false }), 97.5],
    ['knows no offset that need not be reached', rate(given, trailed, entryBar, { ...arms, trailingOnlyOffsetIsReached: false }), 97.5],
    ['knows no offset for stops of the strategy', rate(given, trailed, entryBar, arms, [], { customStop: () => null }), 97.5],
    ['is the stop for one that does not trail', rate(given, stopLoss, entryBar), 98],
    ['is the stop a minute later', rate(given, trailed, bar(100, 110, 80, 85)), 98],
  ])('on the bar of the entry, a trailing stop: %s', (_, found, expected) => {
    expect(found()).toBeCloseTo(expected, 10);
  });

  describe('a liquidation', () => {
    // 1 bought for 100 with 10x: a stake of 10. The exchange acts at 91, the bot with a buffer of 5 per cent at 91.45.
    const held = { marketType: 'futures', leverage: 10, amount: 1, openValue: 100, feeOpen: 0, feeClose: 0, stop: 0 } as const;
    const liquidation: Hit = { kind: 'liquidation', stoodBefore: false };
    const realisticLiquidation: QuirkName[] = ['stopBeyondLiquidationWins'];
    const long = { ...held, liquidationPrice: 91.45 };
    const shorted = { ...held, ...short, liquidationPrice: 108.55 };
    test.each<[string, () => number, number]>([
      ['keeps what is left of the margin', rate(long, liquidation, bar(100, 101, 80, 85)), 91.45],
      ['loses the margin where the exchange acts', rate(long, liquidation, bar(100, 101, 91, 92), {}, realisticLiquidation), 90],
      ['keeps the rest before the exchange acts', rate(long, liquidation, bar(100, 101, 91.1, 92), {}, realisticLiquidation), 91.45],
      ['of a short loses the margin', rate(shorted, liquidation, bar(100, 109, 99, 105), {}, realisticLiquidation), 110],
      ['of a short keeps the rest before', rate(shorted, liquidation, bar(100, 108.9, 99, 105), {}, realisticLiquidation), 108.55],
      [
        'with cross margin waits until more than the stake is gone',
        rate({ ...long, liquidationPrice: 50 }, liquidation, bar(100, 101, 40, 45), {}, realisticLiquidation),
        50,
      ],
      [
        'with cross margin waits until more than the stake is gone, short',
        rate({ ...shorted, liquidationPrice: 150 }, liquidation, bar(100, 170, 99, 105), {}, realisticLiquidation),
        150,
      ],
      ['does not concern a stop', rate({ ...long, stop: 95 }, stopLoss, bar(100, 101, 80, 85), {}, realisticLiquidation), 95],
    ])('%s', (_, found, expected) => {
      expect(found()).toBeCloseTo(expected, 10);
    });
  });
});
