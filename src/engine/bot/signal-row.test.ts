import { describe, expect, test } from 'vitest';
import type { Signals } from '../strategy/strategy.ts';
import { noSignals } from '../strategy/strategy.ts';
import { signalRowAt } from './signal-row.ts';

describe('the signals of a candle', () => {
  const length = 3;
  const none = { enterLong: false, exitLong: false, enterShort: false, exitShort: false, enterTag: null, exitTag: null, confidence: null };

  test.each(['enterLong', 'exitLong', 'enterShort', 'exitShort'] as const)('%s is that of its candle and of no other', (name) => {
    const signals = noSignals(length);
    signals[name][1] = 1;
    expect(signalRowAt(signals, 0)).toEqual(none);
    expect(signalRowAt(signals, 1)).toEqual({ ...none, [name]: true });
  });

  test('a tag is named by its number, counted from 1; 0 is none', () => {
    const signals: Signals = {
      ...noSignals(length),
      tags: ['up', 'down'],
      enterTag: Uint16Array.of(0, 1, 2),
      exitTag: Uint16Array.of(2, 0, 1),
    };
    const rows = [0, 1, 2].map((at) => signalRowAt(signals, at));
    expect(rows.map(({ enterTag }) => enterTag)).toEqual([null, 'up', 'down']);
    expect(rows.map(({ exitTag }) => exitTag)).toEqual(['down', null, 'up']);
  });

  test('a confidence is that of its candle; one that is not a number is none', () => {
    const signals: Signals = { ...noSignals(length), confidence: Float64Array.of(0.5, Number.NaN, 0) };
    expect([0, 1, 2].map((at) => signalRowAt(signals, at).confidence)).toEqual([0.5, null, 0]);
  });

  test.each([-1, 3, Number.NaN])('there is no candle %d of three', (at) => {
    expect(() => signalRowAt(noSignals(length), at)).toThrow('among the signals of 3 candles');
  });
});
