import { randomWalk } from '#engine/indicators/testing/random-walk.ts';
import { compileRules } from '#engine/rules/compile-rules.ts';
import type { Operand, Rule, RulesDocument } from '#engine/rules/document.ts';
import { faultsOf } from '#engine/rules/faults.ts';
import { all, ago, compare, indicator, minus, number, parameter, plus, price } from '#engine/rules/pieces.ts';
import { emaCross } from '#engine/rules/templates/ema-cross.ts';
import { rulesTemplates } from '#engine/rules/templates/templates.ts';
import { defaultParameters } from '#engine/strategy/strategy.ts';
import { describe, expect, test } from 'vitest';
import { withMirroredShorts } from './mirror.ts';

const close = price('close');
const rsi = indicator('rsi', { period: 14 });
const bands = (output: string) => indicator('bollinger', { period: 20, deviations: 2 }, output);
const adx = (output: string) => indicator('adx', { period: 14 }, output);
const entering = (when: Rule): RulesDocument => ({ ...emaCross, parameters: {}, enterLong: [{ tag: 'in', when }], exitLong: [] });
const mirrored = (when: Rule) => withMirroredShorts(entering(when)).enterShort[0]?.when;
const volume: Operand = { ...indicator('sma', { period: 20 }, 'value', price('volume')) };

describe('the mirror image of a condition', () => {
  test.each<[string, Rule, Rule]>([
    [
      'what is above is below',
      compare(close, 'above', indicator('ema', { period: 50 })),
      compare(close, 'below', indicator('ema', { period: 50 })),
    ],
    ['a crossing goes the other way', compare(close, 'crossesAbove', rsi), compare(close, 'crossesBelow', rsi)],
    ['an RSI is turned around its middle', compare(rsi, 'below', number(30)), compare(rsi, 'above', number(70))],
    [
      'a MACD around zero',
      compare(indicator('macd', {}, 'histogram'), 'atLeast', number(2)),
      compare(indicator('macd', {}, 'histogram'), 'atMost', number(-2)),
    ],
    ['a band is the other one', compare(close, 'below', bands('lower')), compare(close, 'above', bands('upper'))],
    [
      'highs are lows',
      compare(close, 'above', ago({ kind: 'highest', of: price('high'), candles: 20 })),
      compare(close, 'below', ago({ kind: 'lowest', of: price('low'), candles: 20 })),
    ],
    [
      'a fall is a rise',
      { kind: 'compare', left: { kind: 'change', of: close, candles: 12 }, operator: 'below', right: number(-0.007) },
      { kind: 'compare', left: { kind: 'change', of: close, candles: 12 }, operator: 'above', right: number(0.007) },
    ],
    [
      'so is a move',
      { kind: 'moves', operand: close, direction: 'rises', candles: 3 },
      { kind: 'moves', operand: close, direction: 'falls', candles: 3 },
    ],
    [
      'the two lines of direction change places',
      compare(adx('plusDi'), 'above', adx('minusDi')),
      compare(adx('minusDi'), 'above', adx('plusDi')),
    ],
    [
      'what is subtracted is added',
      compare(close, 'below', minus(close, 2, indicator('atr', { period: 14 }))),
      compare(close, 'above', plus(close, 2, indicator('atr', { period: 14 }))),
    ],
    ['volume stays', compare(price('volume'), 'above', volume), compare(price('volume'), 'above', volume)],
    ['the strength of a trend stays', compare(adx('adx'), 'above', number(25)), compare(adx('adx'), 'above', number(25))],
    ['the time stays', compare({ kind: 'minuteOfDay' }, 'atLeast', number(360)), compare({ kind: 'minuteOfDay' }, 'atLeast', number(360))],
    [
      'nearness stays',
      { kind: 'near', left: close, right: bands('lower'), distance: 0.004 },
      { kind: 'near', left: close, right: bands('upper'), distance: 0.004 },
    ],
  ])('%s', (_, long, short) => {
    expect(mirrored(long)).toEqual(short);
    expect(mirrored(short)).toEqual(long); // and back
    expect(mirrored(all({ ...long, isOff: true, within: 3 }))).toEqual(all({ ...short, isOff: true, within: 3 }));
  });
});

test('a parameter is turned as a difference, and back', () => {
  const long = compare(rsi, 'below', number(parameter('low')));
  const short = compare(rsi, 'above', minus(number(100), 1, number(parameter('low'))));
  expect([mirrored(long), mirrored(short)]).toEqual([short, long]);
  const period = compare(close, 'above', indicator('ema', { period: parameter('slow') }));
  expect(mirrored(period)).toEqual({ ...period, operator: 'below' });
});

test.each(Object.entries(rulesTemplates).filter(([, { enterShort }]) => enterShort.length > 0))(
  'the shorts of %s enter and leave where the mirror image of its longs does',
  (_, document) => {
    const found = withMirroredShorts(document);
    expect(faultsOf(found)).toEqual([]);
    const candles = randomWalk({ length: 6_000, seed: 5, stepMs: 60_000 });
    const signals = ({ enterShort, exitShort }: RulesDocument) => {
      const strategy = compileRules({ ...document, enterShort, exitShort });
      const computed = strategy.compute(candles, defaultParameters(strategy));
      return [computed.enterShort, computed.exitShort];
    };
    expect(signals(found)).toEqual(signals(document));
    expect(signals(found)[0]).toContain(1);
  },
);
