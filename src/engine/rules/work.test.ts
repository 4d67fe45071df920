import { describe, expect, test } from 'vitest';
import type { Rule, RulesDocument } from './document.ts';
import { faultsOf, rulesLimits } from './faults.ts';
import { all, compare, indicator, number, parameter, price } from './pieces.ts';
import { emaCross } from './templates/ema-cross.ts';
import { rulesTemplates } from './templates/templates.ts';
import { workOf } from './work.ts';

const close = price('close');

function entering(...rules: Rule[]): RulesDocument {
  return { ...emaCross, parameters: {}, enterLong: [{ tag: 'in', when: all(...rules) }], exitLong: [], enterShort: [], exitShort: [] };
}

const work = (...rules: Rule[]): number => workOf(entering(...rules), '1m');
const band = (period: number, deviations: number, output = 'upper') => indicator('bollinger', { period, deviations }, output);
const long = compare(indicator('sma', { period: 4_900 }), 'above', close); // a window of 5,000 candles

/** So many conditions on Bollinger bands of which none is another one. */
const bands = (count: number, period: number): Rule[] =>
  Array.from({ length: count }, (_, i) => compare(band(period, 2 + i / 1_000), 'above', number(i)));

describe('what is refused', () => {
  test('two hundred Bollinger bands of 2,400 candles, which would keep everybody waiting for seconds at each candle', () => {
    const moved = (i: number) =>
      ({ kind: 'offset', base: band(2_400, 2 + i / 1_000), sign: 'plus', times: 0.1, unit: band(2_400, 3 + i / 1_000) }) as const;
    const heavy = Array.from({ length: 50 }, (_, i) => compare(moved(2 * i), 'above', moved(2 * i + 1)));
    const faults = faultsOf(entering(long, ...heavy), { timeframe: '1m' });
    expect(faults).toEqual([
      {
        path: '',
        sentence:
          'It takes 1408 million steps of arithmetic at each candle; the most are 50 million. Shorter periods, or fewer indicators, take less.',
      },
    ]);
  });

  test.each([
    [2_400, 6],
    [4_900, 6],
    [200, 36],
    [20, 59],
  ])('of Bollinger bands of %i candles in a window of 5,000 at most %i pass', (period, most) => {
    const passing = Array.from({ length: 59 }, (_, i) => i + 1).filter((count) => {
      const document = entering(long, ...bands(count, period));
      return faultsOf(document, { timeframe: '1m' }).length === 0;
    });
    expect(passing.length).toBe(most);
  });
});

describe('what passes by far', () => {
  test.each(Object.entries(rulesTemplates))('the template %s', (_, document) => {
    for (const timeframe of ['1m', '5m', '1h', '1d'] as const) expect(workOf(document, timeframe)).toBeLessThan(rulesLimits.steps / 50);
  });

  test('three dozen indicators of usual periods beside a few of 1,000 candles and more', () => {
    const periods = [9, 14, 20, 50, 100, 200];
    const usual = periods.flatMap((period) => [
      compare(close, 'above', indicator('ema', { period })),
      compare(indicator('rsi', { period: Math.min(period, 50) }), 'above', number(30)),
      compare(close, 'below', band(period, 2)),
      compare(close, 'above', indicator('donchian', { period }, 'middle')),
      compare(indicator('stochastic', { k: period, slowing: 3, d: 3 }, 'k'), 'above', number(20)),
      compare(indicator('atr', { period: Math.min(period, 50) }), 'above', number(1)),
    ]);
    const few = [
      long,
      compare(close, 'above', indicator('ema', { period: 1_000 })),
      compare(close, 'above', band(1_500, 2)),
      compare(close, 'above', indicator('donchian', { period: 3_000 }, 'lower')),
    ];
    const document = entering(...usual, ...few);
    expect(faultsOf(document, { timeframe: '5m' })).toEqual([]);
    expect(workOf(document, '5m')).toBeLessThan(rulesLimits.steps * 0.7);
  });
});

describe('what is counted', () => {
  const isAbove = compare(close, 'above', band(500, 2));

  test('the same line once, whichever of its outputs is read', () => {
    expect(work(isAbove, compare(close, 'above', band(500, 2, 'lower'))) - work(isAbove)).toBeLessThan(20_000);
    expect(work(isAbove, compare(close, 'above', band(500, 2.1))) - work(isAbove)).toBeGreaterThan(100_000);
  });

  test('lines inside lines, of offsets and of what is counted since', () => {
    const inner = band(500, 2);
    for (const operand of [
      indicator('ema', { period: 2 }, 'value', inner),
      { kind: 'highest', of: inner, candles: 2 } as const,
      { kind: 'offset', base: close, sign: 'plus', times: 1, unit: inner } as const,
      { kind: 'candlesSince', rule: compare(close, 'above', inner), upTo: 2 } as const,
    ])
      expect(work(long, compare(operand, 'above', number(1)))).toBeGreaterThan(work(long, isAbove));
  });

  test('nothing of what is switched off', () => {
    expect(work(long, { ...isAbove, isOff: true })).toBeLessThan(work(long, isAbove));
    const signalOff = (isOff: boolean) => workOf({ ...entering(long), exitLong: [{ tag: 'out', when: isAbove, isOff }] }, '1m');
    expect(signalOff(true)).toBe(work(long));
    expect(signalOff(false)).toBeGreaterThan(signalOff(true));
  });

  test('a parameter with the value of its range that costs the most', () => {
    const ranged = (max: number) => ({
      ...entering(compare(close, 'above', indicator('bollinger', { period: parameter('length'), deviations: 2 }, 'upper'))),
      parameters: { length: { default: 20, min: 1, max, step: 1, unit: '', meaning: '' } },
    });
    expect(workOf(ranged(4_900), '1m')).toBeGreaterThan(workOf(entering(compare(close, 'above', band(20, 2))), '1m') * 100);
    // In a window of 5,200 candles a period of 4,900 is added up for 300 rows only, and one of 2,600 for half of them.
    expect(workOf(ranged(4_900), '1m')).toBeGreaterThan(2_500 * 2_500);
  });

  test('of a longer timeframe the fewer candles that it has, of another pair as many as of its own', () => {
    const at = (place: object) =>
      work(long, compare({ ...indicator('stochastic', { k: 20, slowing: 3, d: 3 }, 'k'), ...place }, 'above', number(1)));
    expect(at({ timeframe: '1h' })).toBeLessThan(at({}));
    expect(at({ symbol: 'BTC/USDT' })).toBeGreaterThan(at({}));
  });
});
