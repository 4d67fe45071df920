import { describe, expect, test } from 'vitest';
import { requireSettings, type SettingsInput } from '../settings/normalise-settings.ts';
import type { StrategyParameter } from '../strategy/strategy.ts';
import { pointsOf, sizeOf, valueAt, valuesAt } from './dimension.ts';
import { choicesAt, searchSpace, spacesOf } from './search-space.ts';

const parameter = (more: Partial<StrategyParameter> = {}): StrategyParameter => ({
  default: 10,
  min: 5,
  max: 20,
  step: 1,
  meaning: '',
  ...more,
});
const baseOf = (parameters: Record<string, StrategyParameter>, settings: Partial<SettingsInput> = {}) => ({
  strategy: { name: 'Test', parameters },
  settings: requireSettings({ stakeAmount: 100, maxOpenTrades: 3, stoploss: -0.1, ...settings }),
  timeframe: '5m' as const,
});
const names = (base: ReturnType<typeof baseOf>, ...words: string[]) =>
  searchSpace(base, spacesOf(words) ?? []).dimensions.map(({ name }) => name);

describe('spaces', () => {
  test('default is what freqtrade takes for it, all is all, and an unknown word is none', () => {
    expect(spacesOf(['default'])).toEqual(['buy', 'sell', 'roi', 'stoploss']);
    expect(spacesOf(['default', 'trailing'])).toEqual(['buy', 'sell', 'roi', 'stoploss', 'trailing']);
    expect(spacesOf(['all'])).toEqual(['buy', 'sell', 'protection', 'roi', 'stoploss', 'trailing', 'trades']);
    expect(spacesOf(['buy', 'bye'])).toBeNull();
  });

  test('a parameter belongs to entries and exits unless it says which', () => {
    const base = baseOf({ both: parameter(), entry: parameter({ space: 'buy' }), exit: parameter({ space: 'sell' }) });
    expect(names(base, 'buy')).toEqual(['both', 'entry']);
    expect(names(base, 'sell')).toEqual(['both', 'exit']);
    expect(names(base, 'buy', 'sell')).toEqual(['both', 'entry', 'exit']);
  });

  test('the ranges of ROI grow with the timeframe, as in freqtrade', () => {
    const at = (timeframe: '1m' | '5m' | '1h') => {
      const { dimensions } = searchSpace({ ...baseOf({}), timeframe }, ['roi']);
      return Object.fromEntries(dimensions.map(({ name, min, max }) => [name, [min, max]]));
    };
    expect(at('5m')).toEqual({
      roi_t1: [10, 120],
      roi_t2: [10, 60],
      roi_t3: [10, 40],
      roi_p1: [0.01, 0.04],
      roi_p2: [0.01, 0.07],
      roi_p3: [0.01, 0.2],
    });
    // The limits that freqtrade 2026.9 prints for 1h: t 120 to 1440, 720 and 480; p 0.023 to 0.092, 0.161 and 0.459.
    expect(at('1h')).toEqual({
      roi_t1: [120, 1440],
      roi_t2: [120, 720],
      roi_t3: [120, 480],
      roi_p1: [0.023, 0.092],
      roi_p2: [0.023, 0.161],
      roi_p3: [0.023, 0.459],
    });
    expect(at('1m')['roi_t1']).toEqual([2, 24]);
  });

  test('protections are turned around what is configured; without any there is nothing to search', () => {
    const protections = [
      { kind: 'cooldown', stopCandles: 6 },
      { kind: 'max-drawdown', lookbackMinutes: 2, maxAllowedDrawdown: 0.2 },
    ] as const;
    const base = baseOf({}, { protections: [...protections] });
    const { dimensions } = searchSpace(base, ['protection']);
    expect(dimensions.map(({ name, min, max, step }) => [name, min, max, step])).toEqual([
      ['protection_1_stop_candles', 1, 24, 1],
      ['protection_2_lookback_minutes', 1, 8, 1],
      ['protection_2_max_allowed_drawdown', 0.02, 0.4, 0.01],
    ]);
    expect(choicesAt(base, dimensions, [2, 7, 3]).settings.protections).toEqual([
      { kind: 'cooldown', stopCandles: 3 },
      { kind: 'max-drawdown', lookbackMinutes: 8, maxAllowedDrawdown: 0.05 },
    ]);
    expect(searchSpace(baseOf({}), ['protection']).faults).toEqual(['Test has nothing to search in protection.']);
  });

  test('an unlimited stake needs a limit of trades', () => {
    const [limited] = searchSpace(baseOf({}, { stakeAmount: 'unlimited' }), ['trades']).dimensions;
    const [free] = searchSpace(baseOf({}), ['trades']).dimensions;
    expect([limited?.min, free?.min]).toEqual([1, -1]);
  });
});

describe('what a point means', () => {
  test('parameters and settings are turned, the others stay', () => {
    const base = baseOf({ fast: parameter(), slow: parameter({ default: 12 }) }, { trailingStop: false });
    const { dimensions } = searchSpace(base, ['roi', 'stoploss', 'trailing', 'trades'], []);
    const values = valuesAt(
      dimensions,
      dimensions.map((dimension) => sizeOf(dimension) - 1),
    );
    expect(values).toMatchObject({ roi_t1: 120, roi_p3: 0.2, stoploss: -0.02, trailing_only_offset_is_reached: 1, max_open_trades: 10 });
    const chosen = choicesAt(
      base,
      dimensions,
      dimensions.map(() => 3),
    );
    expect(chosen.parameters).toEqual({ fast: 10, slow: 12 });
    expect(chosen.settings).toMatchObject({
      stoploss: -0.347,
      maxOpenTrades: 2,
      minimalRoi: { minutes: [0, 13, 26, 39], ratios: [0.039, 0.026, 0.013, 0] },
      trailingStop: true,
      trailingStopPositive: 0.013,
      trailingStopPositiveOffset: 0.017,
    });
    const buy = searchSpace(base, ['buy']).dimensions;
    expect(choicesAt(base, buy, [0, 15])).toEqual({ parameters: { fast: 5, slow: 20 }, settings: base.settings });
  });

  test('values have no noise of adding steps, and a range ends on its last whole step', () => {
    const dimension = { name: 'x', space: 'buy', min: -0.35, max: -0.0205, step: 0.001 } as const;
    expect(valueAt(dimension, 3)).toBe(-0.347);
    expect(sizeOf(dimension)).toBe(330);
    expect(sizeOf({ ...dimension, max: -0.02 })).toBe(331);
    expect(pointsOf([dimension, dimension])).toBe(330 ** 2);
  });
});

describe('ranges that are refused, each in a sentence', () => {
  const base = baseOf({ fast: parameter() });
  const fault = (name: string, min: number, max: number, step: number | null = null) =>
    searchSpace(base, ['buy', 'stoploss', 'trades'], [{ name, min, max, step }]).faults;

  test.each([
    ['fast', 20, 5, null, 'The range of "fast" is upside down: it runs from 20 to 5.'],
    ['fast', 5, NaN, null, 'The range of "fast" must be numbers, and is 5 to NaN in steps of 1.'],
    ['fast', 5, 20, 0, 'The step of "fast" must be above 0, and is 0.'],
    ['fast', 5, 30, null, '"fast" of Test goes from 5 to 20 in steps of 1; 5 to 30 in steps of 1 does not lie on them.'],
    ['fast', 5, 20, 0.5, '"fast" of Test goes from 5 to 20 in steps of 1; 5 to 20 in steps of 0.5 does not lie on them.'],
    ['stoploss', -0.1, 0.1, null, 'The range of "stoploss" must lie within -1 and -0.0001, and runs from -0.1 to 0.1.'],
    ['max_open_trades', 1, 3, 0.5, '"max_open_trades" must be whole numbers; 1 in steps of 0.5 is not.'],
    ['slow', 1, 3, null, 'There is nothing named "slow" to search; there are fast, stoploss, max_open_trades.'],
  ] as const)('%s from %d to %d', (name, min, max, step, sentence) => expect(fault(name, min, max, step)).toEqual([sentence]));

  test('a strategy that declares its own range upside down', () => {
    expect(searchSpace(baseOf({ fast: parameter({ min: 20, max: 5 }) }), ['buy']).faults).toEqual([
      'The range of "fast" is upside down: it runs from 20 to 5.',
    ]);
  });

  test('a range within the usual one is taken', () => {
    const { dimensions, faults } = searchSpace(base, ['buy'], [{ name: 'fast', min: 6, max: 12, step: 2 }]);
    expect(faults).toEqual([]);
    expect(dimensions).toEqual([{ name: 'fast', space: 'buy', min: 6, max: 12, step: 2 }]);
  });
});
