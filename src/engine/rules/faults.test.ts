import { describe, expect, test } from 'vitest';
import { compileRules } from './compile-rules.ts';
import type { Operand, Rule, RulesDocument } from './document.ts';
import { faultsOf } from './faults.ts';
import { all, compare, indicator, none, number, parameter, price } from './pieces.ts';
import { emaCross } from './templates/ema-cross.ts';

const close = price('close');
const rsi = indicator('rsi', { period: 14 });
const sound = compare(rsi, 'below', number(30));

function entering(...rules: Rule[]): RulesDocument {
  return { ...emaCross, enterLong: rules.map((when) => ({ tag: 'in', when })), exitLong: [], enterShort: [], exitShort: [] };
}

const whole = 'This must be a whole number from 1 to 5000, and is';

describe('each fault is a sentence with the way to it', () => {
  test.each<[string, RulesDocument, string, string]>([
    ['no entry', entering(), 'enterLong', 'Nothing enters: there must be a condition for long or short that is switched on.'],
    [
      'entries off',
      entering({ ...sound, isOff: true }),
      'enterLong',
      'Nothing enters: there must be a condition for long or short that is switched on.',
    ],
    [
      'unknown parameter',
      entering(compare(rsi, 'below', number(parameter('low')))),
      'enterLong.0.when.right.value',
      'There is no parameter "low".',
    ],
    [
      'inherited name',
      entering(compare(rsi, 'below', number(parameter('toString')))),
      'enterLong.0.when.right.value',
      'There is no parameter "toString".',
    ],
    ['itself', entering(compare(rsi, 'crossesAbove', { ...rsi, candlesBack: 0 })), 'enterLong.0.when', 'Nothing crosses itself.'],
    ['the same', entering(compare(close, 'above', close)), 'enterLong.0.when', 'Something is compared with itself.'],
    [
      'two numbers',
      entering(compare(number(1), 'above', number(0))),
      'enterLong.0.when',
      'Two numbers are compared: that is always so, or never.',
    ],
    [
      'a number that moves',
      entering({ kind: 'moves', operand: number(1), direction: 'rises', candles: 2 }),
      'enterLong.0.when',
      'A number neither rises nor falls.',
    ],
    ['empty group', entering(all(sound, none())), 'enterLong.0.when.rules.1', 'This group is empty.'],
    [
      'too few to count',
      entering({ kind: 'atLeast', count: 2, rules: [sound, { ...sound, isOff: true }] }),
      'enterLong.0.when',
      'At least 2 of 1 can never hold.',
    ],
    ['part of a candle', entering({ ...sound, within: 1.5 }), 'enterLong.0.when.within', `${whole} 1.5.`],
    ['period of 0', entering(compare(indicator('rsi', { period: 0 }), 'below', number(30))), 'enterLong.0.when.left', `${whole} 0.`],
    ['no period', entering(compare(indicator('rsi', {}), 'below', number(30))), 'enterLong.0.when.left', 'RSI needs its period.'],
    [
      'setting',
      entering(compare(indicator('rsi', { period: 14, fast: 2 }), 'below', number(30))),
      'enterLong.0.when.left',
      'RSI has no setting "fast".',
    ],
    [
      'output',
      entering(compare(indicator('rsi', { period: 14 }, 'upper'), 'below', number(30))),
      'enterLong.0.when.left',
      'RSI has no line "upper".',
    ],
    [
      'source',
      entering(compare(indicator('atr', { period: 14 }, 'value', close), 'below', number(30))),
      'enterLong.0.when.left',
      'ATR is computed from candles, not from a line.',
    ],
    [
      'timeframe',
      entering(compare({ ...close, timeframe: '5m' }, 'above', number(1))),
      'enterLong.0.when.left',
      '5m is not longer than 5m, the timeframe of the strategy.',
    ],
    [
      'pair',
      entering(compare({ ...close, symbol: 'XYZ/USDT' }, 'above', number(1))),
      'enterLong.0.when.left',
      'There is no pair XYZ/USDT.',
    ],
    [
      'tag',
      { ...emaCross, exitLong: [{ tag: 'x'.repeat(41), when: sound }] },
      'exitLong.0',
      'A tag may have 40 characters, and this one has 41.',
    ],
    ['no tag', { ...emaCross, exitLong: [{ tag: ' ', when: sound }] }, 'exitLong.0', 'A signal needs a tag.'],
    [
      'what is counted from',
      entering(compare({ kind: 'candlesSince', rule: { ...sound, isOff: true }, upTo: 9 }, 'below', number(3))),
      'enterLong.0.when.left',
      'What the candles are counted from is switched off.',
    ],
    [
      '61 conditions',
      entering(...Array.from({ length: 20 }, () => all(sound, sound, sound)), sound),
      '',
      'There are 61 conditions; the most are 60.',
    ],
    [
      'startup',
      entering(compare(indicator('ema', { period: 1500 }), 'above', close)),
      '',
      'It needs 5254 candles of 5m before the first that counts; the most are 5000. A shorter period, or a timeframe that is less long, needs fewer.',
    ],
  ])('%s', (_, document, path, sentence) => {
    expect(faultsOf(document, { pairs: ['BTC/USDT'] })).toContainEqual({ path, sentence });
  });

  test('of parameters: a range, a step, a value on it, and whole numbers where something is counted', () => {
    const withLow = (low: object): RulesDocument => ({
      ...entering(compare(indicator('rsi', { period: parameter('low') }), 'below', number(30))),
      parameters: { ...emaCross.parameters, low: { default: 14, min: 2, max: 20, step: 1, unit: '', meaning: '', ...low } },
    });
    expect(faultsOf(withLow({}))).toEqual([]);
    expect(faultsOf(withLow({ max: 2 }))).toMatchObject([
      { path: 'parameters.low', sentence: 'The range of low must end above its beginning.' },
    ]);
    expect(faultsOf(withLow({ step: 0 }))[0]).toMatchObject({ sentence: 'The step of low must be above 0.' });
    expect(faultsOf(withLow({ default: 21 }))[0]).toMatchObject({
      sentence: 'The value of low, 21, is not on a step of its range from 2 to 20.',
    });
    expect(faultsOf(withLow({ step: 0.5 }))[0]).toMatchObject({
      sentence: 'low counts here, so its range and its step must be whole numbers.',
    });
    expect(faultsOf(withLow({ min: 0 }))[0]).toMatchObject({ sentence: 'low must be at least 1 here, and its range begins at 0.' });
  });

  test('402 prices, indicators and numbers are too many, however deep they lie in each other; 400 are not', () => {
    const plus = (base: Operand, times: number): Operand => ({ kind: 'offset', base, sign: 'plus', times, unit: rsi });
    // So many offsets with an indicator each, what they begin with, and a number on the right.
    const condition = (offsets: number) =>
      compare(Array.from({ length: offsets }, (_, i) => i).reduce(plus, close), 'above', number(offsets));
    const most = Array.from({ length: 20 }, () => condition(9));
    expect(faultsOf(entering(...most))).toEqual([]);
    expect(faultsOf(entering(...most.slice(1), condition(10)))).toEqual([
      { path: '', sentence: 'There are 402 prices, indicators and numbers; the most are 400.' },
    ]);
  });

  test('13 series are too many, 12 are not', () => {
    const rules = Array.from({ length: 13 }, (_, i) => compare({ ...close, symbol: `C${i}/USDT` }, 'above', number(1)));
    expect(faultsOf(entering(all(...rules)))).toMatchObject([{ sentence: 'There are 13 pairs and timeframes; the most are 12.' }]);
    expect(faultsOf(entering(all(...rules.slice(1))))).toEqual([]);
  });

  test('nothing is compiled of a document with a fault', () => {
    expect(() => compileRules(entering())).toThrow('enterLong: Nothing enters');
    expect(() => compileRules(entering(compare({ ...close, timeframe: '1h' }, 'above', number(1))), { timeframe: '1h' })).toThrow(
      '1h is not longer than 1h',
    );
  });
});
