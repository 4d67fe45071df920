import { describe, expect, test } from 'vitest';
import type { Operand, Rule, RulesDocument } from './document.ts';
import { ago, all, any, compare, indicator, minus, none, number, parameter, plus, price } from './pieces.ts';
import { resolved } from './resolved.ts';
import { emaCross } from './templates/ema-cross.ts';
import { operandWords, ruleWords, wordsOf } from './words.ts';

const rsi = indicator('rsi', { period: 14 });
const close = price('close');
const band = indicator('bollinger', { period: 20, deviations: 2 }, 'lower');
const isWeak = compare(rsi, 'below', number(30));
const isRising: Rule = { kind: 'moves', operand: close, direction: 'rises', candles: 3 };

describe('an operand', () => {
  test.each<[Operand, string]>([
    [number(70), '70'],
    [number(parameter('low')), '34'],
    [close, 'the close'],
    [price('hl2'), 'hl2'],
    [price('volume'), 'volume'],
    [{ ...close, timeframe: '1h' }, 'the 1h close'],
    [{ ...close, symbol: 'BTC/USDT', timeframe: '1h' }, 'the BTC/USDT 1h close'],
    [ago(close), 'the close one candle ago'],
    [ago(rsi, 3), 'RSI 14 3 candles ago'],
    [{ ...rsi, timeframe: '4h', candlesBack: 1 }, '4h RSI 14 one 4h candle ago'],
    [indicator('ema', { period: parameter('low') }), 'EMA 34'],
    [indicator('sma', { period: 20 }, 'value', price('volume')), 'SMA 20 of volume'],
    [indicator('ema', { period: 9 }, 'value', rsi), 'EMA 9 of RSI 14'],
    [indicator('atr', { period: 14 }), 'ATR 14'],
    [indicator('adx', { period: 14 }, 'plusDi'), '+DI 14'],
    [indicator('macd', { fast: 12, slow: 26, signal: 9 }, 'signal'), 'MACD signal (12, 26, 9)'],
    [band, 'the lower Bollinger band (20, 2)'],
    [indicator('donchian', { period: 20 }, 'upper'), 'Donchian high 20'],
    [indicator('stochastic', { k: 14, slowing: 3, d: 3 }, 'd'), 'Stochastic %D (14, 3, 3)'],
    [indicator('superTrend', { period: 10, factor: 3 }, 'line'), 'SuperTrend (10, 3)'],
    [indicator('vwap', { deviations: 2 }, 'vwap'), 'VWAP'],
    [indicator('vwap', { deviations: 2 }, 'upper'), 'the upper VWAP band (2)'],
    [{ kind: 'change', of: close, candles: 12 }, 'the change over 12 candles'],
    [{ kind: 'change', of: rsi, candles: 1 }, 'the change of RSI 14 over 1 candle'],
    [{ kind: 'highest', of: price('high'), candles: 20 }, 'the highest high of 20 candles'],
    [{ kind: 'lowest', of: rsi, candles: 5 }, 'the lowest RSI 14 of 5 candles'],
    [{ kind: 'candlesSince', rule: isWeak, upTo: 100 }, 'the number of candles since (RSI 14 is below 30)'],
    [{ kind: 'minuteOfDay' }, 'the time'],
    [{ kind: 'weekday', candlesBack: 1 }, 'the weekday one candle ago'],
    [minus(indicator('ema', { period: 200 }), 8, indicator('atr', { period: 14 })), 'EMA 200 minus 8 times ATR 14'],
    [plus(number(100), 1, rsi), '100 plus RSI 14'],
  ])('%j is "%s"', (operand, words) => {
    expect(operandWords(resolved(operand, { low: 34 }))).toBe(words);
  });
});

describe('a rule', () => {
  test.each<[Rule, string]>([
    [compare(rsi, 'above', number(70)), 'RSI 14 is above 70'],
    [compare(rsi, 'atLeast', number(70)), 'RSI 14 is at least 70'],
    [compare(rsi, 'atMost', number(70)), 'RSI 14 is at most 70'],
    [compare(close, 'crossesAbove', band), 'the close crosses above the lower Bollinger band (20, 2)'],
    [{ ...compare(rsi, 'crossesBelow', number(70)), within: 3 }, 'RSI 14 crossed below 70 in the last 3 candles'],
    [{ ...isWeak, within: 3 }, 'RSI 14 was below 30 in the last 3 candles'],
    [none({ ...isWeak, within: 3 }), 'RSI 14 was never below 30 in the last 3 candles'],
    [compare(ago(close), 'below', ago(band)), 'the close was below the lower Bollinger band (20, 2) one candle ago'],
    [compare(ago(rsi, 2), 'below', number(30)), 'RSI 14 was below 30 2 candles ago'],
    [none(compare(ago(rsi), 'below', number(30))), 'RSI 14 was not below 30 one candle ago'],
    [compare({ kind: 'change', of: close, candles: 12 }, 'below', number(-0.007)), 'the change over 12 candles is below -0.7%'],
    [compare(number(parameter('low')), 'above', number(1)), 'low (34) is above 1'],
    [compare({ kind: 'minuteOfDay' }, 'atLeast', number(360)), 'the time is 06:00 UTC or later'],
    [compare({ kind: 'minuteOfDay' }, 'below', number(1290)), 'the time is before 21:30 UTC'],
    [compare({ kind: 'weekday' }, 'atMost', number(5)), 'the weekday is Friday or earlier'],
    [compare({ kind: 'weekday' }, 'above', number(5)), 'the weekday is after Friday'],
    [{ kind: 'near', left: close, right: band, distance: 0.004 }, 'the close is within 0.4% of the lower Bollinger band (20, 2)'],
    [isRising, 'the close rises for 3 candles in a row'],
    [none({ ...isRising, direction: 'falls' }), 'the close does not fall for 3 candles in a row'],
    [{ ...isRising, operand: { ...close, timeframe: '1h' } }, 'the 1h close rises for 3 1h candles in a row'],
    [all(isWeak, isRising), 'RSI 14 is below 30 and the close rises for 3 candles in a row'],
    [any(isWeak, all(isRising, isWeak)), 'RSI 14 is below 30 or (the close rises for 3 candles in a row and RSI 14 is below 30)'],
    [none(isWeak, isRising), 'none of: RSI 14 is below 30; the close rises for 3 candles in a row'],
    [
      { kind: 'atLeast', count: 2, rules: [isWeak, isWeak, isRising] },
      'at least 2 of: RSI 14 is below 30; RSI 14 is below 30; the close rises for 3 candles in a row',
    ],
    [none(all(isWeak, isRising)), 'not (RSI 14 is below 30 and the close rises for 3 candles in a row)'],
    [
      { ...any(isWeak, isRising), within: 4 },
      'in one of the last 4 candles (RSI 14 is below 30 or the close rises for 3 candles in a row)',
    ],
    [
      none({ ...any(isWeak, isRising), within: 4 }),
      'in none of the last 4 candles (RSI 14 is below 30 or the close rises for 3 candles in a row)',
    ],
    [all(isWeak, { ...isRising, isOff: true }), 'RSI 14 is below 30'],
  ])('%j is "%s"', (rule, words) => {
    expect(ruleWords(resolved(rule, { low: 34 }))).toBe(words);
  });
});

test('a document is a sentence for each way in and out, its guard and its plan', () => {
  const document: RulesDocument = {
    ...emaCross,
    guard: [compare({ ...close, symbol: 'BTC/USDT', timeframe: '1h' }, 'above', number(1)), isRising],
    exitLong: [
      { tag: 'weak', when: isWeak },
      { tag: 'off', when: isWeak, isOff: true },
    ],
    enterShort: [],
    exitShort: [{ tag: 'nothing on', when: { ...isWeak, isOff: true } }],
    positionPlan: {
      addMore: { distance: 0.008, stake: 0.5, most: 2 },
      takeOut: [
        { profit: 0.008, part: 0.5 },
        { profit: 0.1, part: 0.5, isOff: true },
      ],
    },
  };
  expect(wordsOf(document, { fastPeriod: 12, slowPeriod: 26, filterPeriod: 200 })).toEqual([
    'Any entry needs this: the BTC/USDT 1h close is above 1 and the close rises for 3 candles in a row.',
    'Enter long when EMA 12 crosses above EMA 26 and the close is above EMA 200 (cross-up).',
    'Exit long when RSI 14 is below 30 (weak).',
    'Add 50% of the first stake when the price is 0.8% below the average entry, at most 2 times.',
    'Take out 50% of the position at a profit of 0.8%.',
  ]);
  expect(wordsOf({ ...emaCross, positionPlan: document.positionPlan })).toContain(
    'Add 50% of the first stake when the price is 0.8% worse than the average entry, at most 2 times.',
  );
});
