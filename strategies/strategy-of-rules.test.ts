import { emaCross } from '#engine/rules/templates/ema-cross.ts';
import { describe, expect, test } from 'vitest';
import { mayNotRun } from '../src/contract/errors.ts';
import { knownOnCandles } from './known-strategy.ts';
import { cannotRun, faultAt, strategyOfRules } from './strategy-of-rules.ts';

const longer = {
  ...emaCross,
  guard: [
    {
      kind: 'compare' as const,
      left: { kind: 'price' as const, price: 'close' as const, timeframe: '1h' as const, candlesBack: 20 },
      operator: 'above' as const,
      right: { kind: 'number' as const, value: 1 },
    },
  ],
};

describe('rules that are kept', () => {
  test('are made a strategy once for each timeframe, with the warm-up of that', () => {
    const code = { hash: 'longer', document: longer, description: {} };
    expect(strategyOfRules(code, '5m')).toBe(strategyOfRules(code, '5m'));
    expect(strategyOfRules(code, '15m')).not.toBe(strategyOfRules(code, '5m'));
    expect(knownOnCandles('', code, '1m').startupCandles).toBeGreaterThan(knownOnCandles('', code, '30m').startupCandles);
  });

  test('say why they cannot run on candles of a timeframe, or beside these pairs', () => {
    const sentence = 'The rules cannot run here: 1h is not longer than 4h, the timeframe of the strategy.';
    expect(() => strategyOfRules({ hash: 'longer', document: longer }, '4h')).toThrow(sentence);
    const reading = {
      ...longer,
      guard: [{ ...longer.guard[0], left: { kind: 'price', price: 'close', symbol: 'BTC/USDT' } }],
    };
    expect(faultAt(reading, '5m', ['ETH/USDT'])).toBe('The rules cannot run here: There is no pair BTC/USDT.');
    expect(faultAt(reading, '5m', ['BTC/USDT'])).toBeNull();
  });

  test('that another version of the program has let pass, and that take too long at each candle, say so', () => {
    const bands = Array.from({ length: 50 }, (_, i) => ({
      kind: 'compare' as const,
      left: {
        kind: 'indicator' as const,
        indicator: 'bollinger' as const,
        settings: { period: 2_400, deviations: 2 + i / 100 },
        output: 'upper',
      },
      operator: 'above' as const,
      right: { kind: 'number' as const, value: 1 },
    }));
    const document = { ...emaCross, enterLong: [{ tag: 'in', when: { kind: 'any' as const, rules: bands } }], exitLong: [], guard: [] };
    const sentence = /^The rules cannot run here: It takes \d+ million steps of arithmetic at each candle; the most are 50 million\./u;
    expect(faultAt(document, '5m')).toMatch(sentence);
    expect(() => strategyOfRules({ hash: 'heavy', document }, '5m')).toThrow(sentence);
  });

  test.each([
    ['of another version of the form', { ...emaCross, version: 2 }],
    ['without what this version looks for', { version: 1, title: 'x' }],
    ['that are no document', 'rules'],
    ['of a file', null],
  ])('%s are refused in a sentence', (_, document) => {
    expect(() => strategyOfRules({ hash: JSON.stringify(document), document }, '5m')).toThrow(cannotRun);
  });

  test('and what the contract says of them is what is said', () => {
    expect(mayNotRun[400]).toContain(cannotRun);
  });
});
