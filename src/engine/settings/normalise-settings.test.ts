import { describe, expect, test } from 'vitest';
import type { SettingsInput } from './normalise-settings.ts';
import { normaliseSettings, requireSettings } from './normalise-settings.ts';
import { slotsFull } from '../risk/slots.ts';

const sound: SettingsInput = { stakeAmount: 100, maxOpenTrades: 3, stoploss: -0.1 };

describe('settings are refused with a sentence', () => {
  test.each([
    [{ stoploss: 0 }, 'The stoploss must be a ratio other than 0'],
    [{ stoploss: NaN }, 'The stoploss must be a ratio other than 0'],
    [{ stakeAmount: 0 }, 'The stake amount must be a positive number'],
    [{ stakeAmount: NaN }, 'The stake amount must be a positive number'],
    [{ stakeAmount: Infinity }, 'The stake amount must be a positive number'],
    [{ maxOpenTrades: -2 }, 'The number of open trades must be a whole number'],
    [{ startingBalance: Infinity }, 'The starting balance must be a positive number'],
    [{ tradableBalanceRatio: -0.1 }, 'The tradable balance ratio'],
    [{ marketType: 'futures', leverage: Infinity }, 'The leverage must be at least 1'],
    [{ marketType: 'margin', interestRate: 1 }, 'The interest rate must be a fraction'],
    [{ fee: -0.1 }, 'The fee must be a fraction'],
    [{ minimalRoi: { [-5]: 0.1 } }, 'The ROI table must map whole minutes of at least 0'],
    [{ minimalRoi: { soon: 0.1 } as SettingsInput['minimalRoi'] }, 'The ROI table must map whole minutes of at least 0'],
    [{ positionStacking: true, marketType: 'futures', marginMode: 'cross' }, 'Position stacking is not offered with cross margin'],
    [{ orderTypes: { entry: 'market' }, entryPricing: { side: 'bid' } }, 'Market entries need the price side'],
    [{ stakeAmount: 'unlimited', maxOpenTrades: -1 }, 'An unlimited stake needs a limit of open trades'],
    [{ maxOpenTrades: 2.5 }, 'The number of open trades must be a whole number'],
    [{ startingBalance: 0 }, 'The starting balance must be a positive number'],
    [{ tradableBalanceRatio: 1.5 }, 'The tradable balance ratio'],
    [{ marketType: 'futures', leverage: 0.5 }, 'The leverage must be at least 1'],
    [{ fee: 1 }, 'The fee must be a fraction'],
    [{ marketType: 'margin', interestRate: NaN }, 'The interest rate must be a fraction from 0 to below 1, and was NaN'],
    [{ marketType: 'margin', interestRate: -0.1 }, 'The interest rate must be a fraction'],
    [{ riskRewardRatio: 0 }, 'The risk reward ratio must be positive'],
    [{ maxConsecutiveLosses: -1 }, 'The number of consecutive losses'],
    [{ minimalRoi: { 0: NaN } }, 'The ROI table'],
    [{ trailingStop: true, trailingOnlyOffsetIsReached: true }, 'needs a positive trailing stop'],
    [{ trailingStop: true, trailingStopPositive: 0 }, 'A positive trailing stop of 0'],
    [{ trailingStop: true, trailingStopPositive: 0.02, trailingStopPositiveOffset: 0.02 }, 'The trailing offset (0.02) must be above'],
    [{ orderTypes: { entry: 'market' }, entryPricing: { side: 'same' } }, 'Market entries need the price side'],
    [{ orderTypes: { exit: 'market' }, exitPricing: { side: 'ask' } }, 'Market exits need the price side'],
  ] as [Partial<SettingsInput>, string][])('%j', (wrong, reason) => {
    const result = normaliseSettings({ ...sound, ...wrong });
    expect(result.ok).toBe(false);
    expect(result.ok ? [] : result.reasons).toEqual([expect.stringContaining(reason)]);
  });
  test.each<[string, Partial<SettingsInput>]>([
    ['nothing of the balance may be traded with', { tradableBalanceRatio: 0 }],
    ['nothing is paid', { fee: 0, interestRate: 0 }],
    ['a ROI of any size at once', { minimalRoi: { 0: -1 } }],
    ['trades are stacked on spot', { positionStacking: true, marginMode: 'cross' }],
    ['trades are stacked with isolated margin', { positionStacking: true, marketType: 'futures' }],
    ['margin is crossed', { marketType: 'futures', marginMode: 'cross' }],
    [
      'market orders take the other side',
      { orderTypes: { entry: 'market', exit: 'market' }, entryPricing: { side: 'other' }, exitPricing: { side: 'other' } },
    ],
    [
      'market orders name their side',
      { orderTypes: { entry: 'market', exit: 'market' }, entryPricing: { side: 'ask' }, exitPricing: { side: 'bid' } },
    ],
    ['limit orders name any side', { entryPricing: { side: 'same' }, exitPricing: { side: 'ask' } }],
    ['a second distance without an offset', { trailingStop: true, trailingStopPositive: 0.02 }],
  ])('they are sound where %s', (_, given) => {
    expect(normaliseSettings({ ...sound, ...given })).toMatchObject({ ok: true });
  });
  test('trailing at a distance of 0 from an offset has two things wrong', () => {
    const wrong = { trailingStop: true, trailingStopPositive: 0, trailingOnlyOffsetIsReached: true };
    const result = normaliseSettings({ ...sound, ...wrong });
    expect(result.ok ? [] : result.reasons).toEqual([
      expect.stringContaining('A positive trailing stop of 0'),
      expect.stringContaining('Trailing only above the offset needs'),
    ]);
  });
  test('all reasons at once', () => {
    const result = normaliseSettings({ ...sound, stoploss: 0, stakeAmount: -1 });
    expect(result.ok ? [] : result.reasons).toHaveLength(2);
    expect(() => requireSettings({ ...sound, stoploss: 0 })).toThrow('stoploss');
  });
  test('trailing fields without trailing are not looked at', () => {
    expect(normaliseSettings({ ...sound, trailingStopPositive: 0, trailingOnlyOffsetIsReached: true }).ok).toBe(true);
  });
});

describe('settings are completed', () => {
  test('defaults', () => {
    expect(requireSettings(sound)).toMatchObject({ tradableBalanceRatio: 0.99, startingBalance: 1000, liquidationBuffer: 0.05, fee: null });
  });
  test('every default is that of the reference', () => {
    expect(requireSettings(sound)).toMatchObject({
      tradableBalanceRatio: 0.99,
      startingBalance: 1000,
      availableCapital: null,
      amendLastStakeAmount: false,
      lastStakeAmountMinRatio: 0.5,
      amountReserveRatio: 0.05,
      liquidationBuffer: 0.05,
      customPriceMaxDistanceRatio: 0.02,
      positionAdjustment: false,
      maxEntryAdjustments: -1,
      orderTypes: { entry: 'limit', exit: 'limit', stoploss: 'limit' },
      unfilledTimeout: { entryMs: null, exitMs: null },
      trailingStop: false,
      trailingStopPositive: null,
      trailingStopPositiveOffset: 0,
      trailingOnlyOffsetIsReached: false,
      useExitSignal: true,
      exitProfitOnly: false,
      exitProfitOffset: 0,
      ignoreRoiIfEntrySignal: false,
      ignoreExpiredAfterMs: 0,
      positionStacking: false,
      protections: [],
    });
  });
  test('no limit of open trades may be said as 0 or -1', () => {
    expect([0, -1].map((maxOpenTrades) => slotsFull(requireSettings({ ...sound, maxOpenTrades }), 99))).toEqual([false, false]);
  });
  test('a stoploss counts by its size', () => {
    expect(requireSettings({ ...sound, stoploss: 0.2 }).stoploss).toBe(-0.2);
  });
  test('the ROI table is sorted; left out it is practically never, empty it is none', () => {
    expect(requireSettings({ ...sound, minimalRoi: { 60: 0.01, 0: 0.05 } }).minimalRoi).toEqual({ minutes: [0, 60], ratios: [0.05, 0.01] });
    const parts = { 30: 0.01, 5.5: 0.05, 2.5: 0.1 };
    expect(requireSettings({ ...sound, minimalRoi: parts }).minimalRoi).toEqual({ minutes: [2, 5, 30], ratios: [0.1, 0.05, 0.01] });
    expect(requireSettings(sound).minimalRoi).toEqual({ minutes: [0], ratios: [10] });
    expect(requireSettings({ ...sound, minimalRoi: {} }).minimalRoi).toEqual({ minutes: [], ratios: [] });
  });
  test('spot neither shorts nor lends', () => {
    expect(requireSettings({ ...sound, canShort: true, leverage: 5 })).toMatchObject({ canShort: false, leverage: 1 });
  });
  test('undefined is left out', () => {
    expect(requireSettings({ ...sound, useExitSignal: undefined }).useExitSignal).toBe(true);
  });
  test('settings survive JSON', () => {
    const settings = requireSettings({ ...sound, maxOpenTrades: -1 });
    expect(JSON.parse(JSON.stringify(settings))).toEqual(settings);
    expect(slotsFull(settings, 1000)).toBe(false);
    expect(slotsFull({ ...settings, maxOpenTrades: 2 }, 2)).toBe(true);
  });
});
