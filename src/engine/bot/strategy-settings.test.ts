import { describe, expect, test } from 'vitest';
import { settingsOf } from './strategy-settings.ts';

const defaults = {
  timeframe: '1h',
  stoploss: -0.2,
  minimalRoi: { 0: 0.1 },
  trailingStop: true,
  trailingStopPositive: 0.01,
  trailingStopPositiveOffset: 0.03,
  trailingOnlyOffsetIsReached: true,
} as const;
const own = { stakeAmount: 100, maxOpenTrades: 1, marketType: 'futures' } as const;
const requireOf = (canShort: boolean, given: object = {}) => {
  const result = settingsOf({ defaults, canShort }, { ...own, ...given });
  if (!result.ok) throw new Error(result.reasons.join(' '));
  return result.settings;
};

describe('the settings of a bot', () => {
  test('are those of its strategy where it has none of its own', () => {
    expect(requireOf(true)).toMatchObject({
      canShort: true,
      stakeAmount: 100,
      stoploss: -0.2,
      minimalRoi: { minutes: [0], ratios: [0.1] },
      trailingStop: true,
      trailingStopPositive: 0.01,
      trailingStopPositiveOffset: 0.03,
      trailingOnlyOffsetIsReached: true,
    });
  });
  test('are its own where it has them', () => {
    const given = { stoploss: -0.5, minimalRoi: { 5: 0.3 }, trailingStop: false };
    expect(requireOf(true, given)).toMatchObject({ stoploss: -0.5, minimalRoi: { minutes: [5], ratios: [0.3] }, trailingStop: false });
  });
  test('let it go short only with a strategy that can', () => {
    expect(requireOf(false).canShort).toBe(false);
  });
  test('are refused with the reasons', () => {
    expect(settingsOf({ defaults, canShort: false }, { ...own, stakeAmount: -1 })).toMatchObject({ ok: false });
  });
});
