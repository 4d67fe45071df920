import { describe, expect, test } from 'vitest';
import { aTrade } from '../account/testing/a-trade.ts';
import type { Trade } from '../account/trade.ts';
import type { SettingsInput } from '../settings/normalise-settings.ts';
import { requireSettings } from '../settings/normalise-settings.ts';
import type { StrategyCallbacks } from '../strategy/callbacks.ts';
import type { QuirkName } from './quirks.ts';
import { withoutQuirks } from './quirks.ts';
import { riskRewardTarget, roiExitRate, roiHit, roiRow, roiTarget } from './roi.ts';

const minute = 60_000;
const settingsOf = (given: Partial<SettingsInput> = {}) =>
  requireSettings({ stakeAmount: 100, maxOpenTrades: 1, stoploss: -0.1, minimalRoi: { 5: 0.1, 30: 0.05, 60: 0 }, ...given });

describe('OP-84 the ROI table', () => {
  test.each([
    [0, -1],
    [4, -1],
    [5, 0],
    [29, 0],
    [30, 1],
    [60, 2],
    [1000, 2],
  ])('after %d minutes row %d counts', (minutes, row) => {
    expect(roiRow(settingsOf(), minutes)).toBe(row);
  });

  test.each<[string, number, StrategyCallbacks['roi'], unknown]>([
    ['is that of the table', 31, undefined, { ratio: 0.05, sinceMinutes: 30 }],
    ['is none before the first row', 4, undefined, null],
    ['is that of the strategy where that is lower', 31, () => 0.04, { ratio: 0.04, sinceMinutes: 31 }],
    ['is that of the table where both are the same', 31, () => 0.05, { ratio: 0.05, sinceMinutes: 30 }],
    ['is that of the table where that is lower', 31, () => 0.06, { ratio: 0.05, sinceMinutes: 30 }],
    ['is that of the strategy where the table has none', 4, () => 0.2, { ratio: 0.2, sinceMinutes: 4 }],
    ['is that of the table where the strategy has none', 31, () => null, { ratio: 0.05, sinceMinutes: 30 }],
  ])('the target %s', (_, minutes, roi, expected) => {
    expect(roiTarget(aTrade(), minutes * minute, settingsOf(), roi ? { roi } : {})).toEqual(expected);
  });

  test('the strategy is asked with the time and the whole minutes since the entry', () => {
    const seen: unknown[] = [];
    const roi: StrategyCallbacks['roi'] = ({ time, minutes }) => {
      seen.push(time, minutes);
      return null;
    };
    roiTarget(aTrade({ openTime: minute }), 3 * minute + 1, settingsOf(), { roi });
    expect(seen).toEqual([3 * minute + 1, 2]);
  });
});

describe('OP-84 the profit that is enough', () => {
  const reward = { riskRewardRatio: 0.7 }; // times a stop of 10 per cent
  const hit =
    (profit: number, settings: Partial<SettingsInput> = {}) =>
    () => {
      const found = roiHit(aTrade(), 31 * minute, profit, settingsOf(settings), {});
      return found === null ? null : [found.reason, Number(found.target.ratio.toFixed(10)), found.target.sinceMinutes];
    };
  test.each<[string, () => unknown, unknown]>([
    ['is more than the ROI', hit(0.051), ['roi', 0.05, 30]],
    ['is not the ROI itself', hit(0.05), null],
    ['is the lower one of ROI and risk-reward', hit(0.2, reward), ['roi', 0.05, 30]],
    ['is the risk-reward where the ROI is higher', hit(0.2, { riskRewardRatio: 0.3 }), ['risk_reward', 0.03, 0]],
    ['is the risk-reward itself', hit(0.03, { riskRewardRatio: 0.3 }), ['risk_reward', 0.03, 0]],
    ['is not less than the risk-reward', hit(0.029, { riskRewardRatio: 0.3 }), null],
    ['is the ROI while the risk-reward is not reached', hit(0.06, reward), ['roi', 0.05, 30]],
    ['is the risk-reward where there is no ROI', hit(0.07, { ...reward, minimalRoi: {} }), ['risk_reward', 0.07, 0]],
    ['is the ROI where both are the same', hit(0.2, { riskRewardRatio: 0.5 }), ['roi', 0.05, 30]],
    ['is none where nothing is wanted', hit(5, { minimalRoi: {} }), null],
  ])('%s', (_, found, expected) => {
    expect(found()).toEqual(expected);
  });
  test('risk-reward is a multiple of the stop', () => {
    expect([riskRewardTarget(settingsOf()), riskRewardTarget(settingsOf({ riskRewardRatio: 3, stoploss: -0.25 }))]).toEqual([null, 0.75]);
  });
});

describe('the price of a ROI exit', () => {
  const price =
    (
      target: [ratio: number, sinceMinutes: number] | null,
      minutes: number,
      [open, high, low, close]: readonly [number, number, number, number],
      given: Partial<Trade> = {},
      without: QuirkName[] = [],
    ) =>
    () =>
      roiExitRate(
        aTrade({ amount: 1, openValue: 100, feeOpen: 0, feeClose: 0, ...given }),
        target && { ratio: target[0], sinceMinutes: target[1] },
        { time: minutes * minute, open, high, low, close },
        5,
        withoutQuirks(without),
      );
  const short = { direction: 'short' } as const;
  const [bar, below] = [[100, 120, 90, 110] as const, [100, 110, 80, 90] as const];
  const onEntry = { openRate: 95 };

  test.each<[string, () => number | null, number | null]>([
    ['is that of its profit', price([0.1, 0], 7, bar), 110],
    ['of a short is that of its profit', price([0.1, 0], 7, below, short), 90],
    ['is the open without a target', price(null, 7, bar), 100],
    ['stays in the bar: its high', price([0.5, 0], 7, bar), 120],
    ['beatenRoiExitsAtWorstPrice stays in the bar: its low', price([0.1, 0], 7, [130, 140, 125, 130]), 125],
    ['is the open where that is better', price([0.1, 0], 7, [130, 140, 125, 130], {}, ['beatenRoiExitsAtWorstPrice']), 130],
    ['is the open of a short where that is better', price([0.1, 0], 7, [70, 75, 60, 70], short, ['beatenRoiExitsAtWorstPrice']), 70],
    ['is not the open where that is worse', price([0.1, 0], 7, bar, {}, ['beatenRoiExitsAtWorstPrice']), 110],
    ['is not better on the bar of the entry', price([0.1, 0], 0, [130, 140, 125, 135], {}, ['beatenRoiExitsAtWorstPrice']), 125],

    ['of -1 is the open', price([-1, 10], 12, bar), 100],
    ['forcedRoiExitsAtWorstPrice of -1 off a boundary is the low', price([-1, 7], 12, bar), 90],
    ['of -1 off a boundary is the open', price([-1, 7], 12, bar, {}, ['forcedRoiExitsAtWorstPrice']), 100],

    ['is the open where the row begins with this bar', price([0.1, 10], 10, [115, 120, 90, 110]), 115],
    ['of a short is the open where the row begins with this bar', price([0.1, 10], 10, [85, 120, 80, 90], short), 85],
    ['is not the open at exactly its profit', price([0.1, 10], 10, [110, 120, 90, 110]), 110],
    ['is not the open later in the row', price([0.1, 10], 15, [115, 120, 90, 110]), 110],
    ['is not the open where the row begins off a boundary', price([0.1, 7], 7, [115, 120, 90, 110]), 110],
    ['is not the open on the bar of the entry', price([0.1, 0], 0, [115, 120, 90, 116]), 110],
    ['is not the open where that is worse', price([0.1, 10], 10, [105, 120, 90, 110]), 110],

    ['on a red bar of the entry may have come before it', price([0.02, 0], 0, [100, 120, 90, 96], onEntry), null],
    ['on a green bar has come after it', price([0.02, 0], 0, [94, 120, 90, 96], onEntry), 96.9],
    ['on a bar without a body too', price([0.02, 0], 0, [96, 120, 90, 96], onEntry), 96.9],
    ['of an entry at the open has come after it', price([0.02, 0], 0, [95, 120, 90, 94], onEntry), 96.9],
    ['below the close may have come after it', price([0.01, 0], 0, [100, 120, 90, 96], onEntry), 95.95],
    ['at the close may have come after it', price([0, 0], 0, [100, 120, 90, 95], onEntry), 95],
    ['of a short on a green bar may have come before it', price([0.02, 0], 0, [100, 120, 90, 104], { ...short, openRate: 105 }), null],
    ['of a short on a red bar has come after it', price([0.02, 0], 0, [106, 120, 90, 104], { ...short, openRate: 105 }), 102.9],
    ['a minute after the entry has come after it', price([0.02, 0], 1, [100, 120, 90, 96], onEntry), 96.9],
  ])('%s', (_, find, expected) => {
    const found = find();
    if (expected === null || found === null) expect(found).toBe(expected);
    else expect(found).toBeCloseTo(expected, 10);
  });
});
