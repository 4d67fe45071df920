import { describe, expect, test } from 'vitest';
import type { OwnSettings } from '#contract/own-settings.ts';
import { changedSettings, ownChangeCount, ownCount, ownEntriesOf, ownText, toOwnChanges, withoutOwn } from './own-entries.ts';
import { ownIssue } from './own-issue.ts';
import { nearest } from './nearest.ts';

const trailing = {
  trailing_stop: true,
  trailing_stop_positive: 0.015,
  trailing_stop_positive_offset: 0.03,
  trailing_only_offset_is_reached: false,
};
const all: OwnSettings = {
  timeframe: '1h',
  stoploss: -0.07,
  trailing,
  max_consecutive_losses: 3,
  risk_reward_ratio: 0,
  minimal_roi: { 0: 0.04, 60: 0.001 },
  order_types: { entry: 'market' },
  order_time_in_force: { exit: 'IOC' },
  parameters: { fastPeriod: 8, margin: 0.1 },
};

describe('own settings in the form', () => {
  test('ratios are typed in per cent, and what was not touched is sent as it was', () => {
    const entries = ownEntriesOf(all);
    expect(entries).toMatchObject({ stoploss: '7', trailing_stop_positive: '1.5', risk_reward_ratio: '', 'parameters.margin': '0.1' });
    expect(toOwnChanges(entries, entries)).toBeUndefined();
    expect(toOwnChanges(entries, {})).toEqual(all);
  });

  test('only what differs is sent; what is given back is null, the trailing stop as a whole', () => {
    const stored = ownEntriesOf(all);
    const typed = {
      ...withoutOwn(stored, ['timeframe', 'parameters.fastPeriod']),
      trailing_stop_positive: '1',
      'order_types.exit': 'market',
    };
    expect(toOwnChanges(typed, stored)).toEqual({
      timeframe: null,
      parameters: { fastPeriod: null },
      trailing: { ...trailing, trailing_stop_positive: 0.01 },
      order_types: { exit: 'market' },
    });
    expect(changedSettings(typed, stored).toSorted()).toEqual(['order_types.exit', 'parameters.fastPeriod', 'timeframe', 'trailing_stop']);
    expect(ownChangeCount(typed, stored)).toBe(4);
    expect(toOwnChanges({}, ownEntriesOf({ trailing }))).toEqual({ trailing: null });
  });

  test('are counted one by one; trailing stop and ROI table are one each', () => {
    expect(ownCount(ownEntriesOf(all))).toBe(10);
    expect([ownText(1), ownText(3)]).toEqual(['1 own setting', '3 own settings']);
  });

  test.each<[OwnSettings | Record<string, string>, string, string]>([
    [{ stoploss: '' }, 'own.stoploss', 'Stop loss must be a negative fraction'],
    [{ stoploss: '101' }, 'own.stoploss', 'Stop loss must be a negative fraction'],
    [{ max_consecutive_losses: '11' }, 'own.max_consecutive_losses', 'Max consecutive losses must be between 1 and 10'],
    [{ minimal_roi: '[{"minutes":"0","percent":"1"},{"minutes":"60","percent":"2"}]' }, 'own.minimal_roi', 'ROI must not rise with time'],
    [{ minimal_roi: '[{"minutes":"","percent":"1"}]' }, 'own.minimal_roi', 'Invalid ROI entry'],
    [
      { minimal_roi: '[{"minutes":"0","percent":"2"},{"minutes":"00","percent":"1"}]' },
      'own.minimal_roi',
      'Two ROI entries begin at the same minute',
    ],
    [
      { trailing_stop: 'on', trailing_stop_positive: '3', trailing_stop_positive_offset: '2', trailing_only_offset_is_reached: 'off' },
      'own.trailing',
      'Trailing stop offset must be above the positive trailing stop',
    ],
    [{ 'parameters.fastPeriod': '' }, 'own.parameters.fastPeriod', 'Invalid request'],
  ])('%j is refused before it is sent', (entries, field, text) => {
    expect(ownIssue(entries as Record<string, string>, {})).toEqual({ field, text });
  });

  test('a parameter that is left is the nearest that is allowed; without a figure the strategy’s', () => {
    const margin = { name: 'margin', meaning: '', default: 0.3, min: 0.1, max: 0.9, step: 0.2, unit: '' };
    expect([Number.NaN, 0, 5, 0.32, 0.5].map((value) => nearest(margin, value))).toEqual([0.3, 0.1, 0.9, 0.3, 0.5]);
  });
});
