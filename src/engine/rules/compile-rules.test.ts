import { describe, expect, test } from 'vitest';
import { backtestStrategy } from '../backtest/backtest-strategy.ts';
import { randomWalk } from '../indicators/testing/random-walk.ts';
import { candleAt, type CandleColumns, sliceColumns, toColumns } from '../market/candle.ts';
import { fillGaps } from '../market/fill-gaps.ts';
import { firstAtOrAfter } from '../market/first-at-or-after.ts';
import { anInstrument } from '../market/testing/an-instrument.ts';
import { requireSettings } from '../settings/normalise-settings.ts';
import { defaultParameters } from '../strategy/strategy.ts';
import { compileRules, nameOf } from './compile-rules.ts';
import type { Operand, PositionPlan, Rule, RulesDocument, SignalRule } from './document.ts';
import { ago, all, any, compare, indicator, minus, none, number, parameter, price } from './pieces.ts';
import { emaCross } from './templates/ema-cross.ts';

const close = price('close');
const five = 300_000;
const start = Date.UTC(2026, 0, 2, 22, 50); // a Friday

/** Candles of 5 minutes with these closes. */
function closing(...closes: number[]): CandleColumns {
  return toColumns(
    closes.map((last, i) => ({ openTime: start + i * five, open: last, high: last + 1, low: last - 1, close: last, volume: 10 * i })),
  );
}

function entering(...signals: SignalRule[]): RulesDocument {
  return { ...emaCross, parameters: {}, enterLong: signals, exitLong: [], enterShort: [], exitShort: [] };
}

/** Where a rule holds, as a text of flags. */
function held(when: Rule, candles: CandleColumns, others = {}): string {
  return compileRules(entering({ tag: 'in', when }))
    .compute(candles, {}, others)
    .enterLong.join('');
}

const isAbove = (level: number): Rule => compare(close, 'above', number(level));

describe('where a rule holds', () => {
  const walk = closing(10, 11, 12, 11, 13, 14, 13, 13);
  const since = (rule: Rule, upTo: number): Operand => ({ kind: 'candlesSince', rule, upTo });
  test.each<[string, Rule, string]>([
    ['above', isAbove(12), '00001111'],
    ['below', compare(close, 'below', number(12)), '11010000'],
    ['at least', compare(close, 'atLeast', number(12)), '00101111'],
    ['at most', compare(close, 'atMost', number(12)), '11110000'],
    ['crosses above', compare(close, 'crossesAbove', number(11)), '00101000'],
    ['crosses below', compare(close, 'crossesBelow', number(12)), '00010000'],
    ['back', compare(close, 'above', ago(close)), '01101100'],
    ['within the last 3', { ...compare(close, 'crossesBelow', number(12)), within: 3 }, '00011100'],
    ['rises for 2', { kind: 'moves', operand: close, direction: 'rises', candles: 2 }, '00100100'],
    ['falls for 1', { kind: 'moves', operand: close, direction: 'falls', candles: 1 }, '00010010'],
    ['near', { kind: 'near', left: close, right: number(13), distance: 0.08 }, '00101111'],
    ['all', all(isAbove(10), compare(close, 'below', number(13))), '01110000'],
    ['any', any(isAbove(13), compare(close, 'below', number(11))), '10000100'],
    ['none', none(isAbove(13), compare(close, 'below', number(11))), '01111011'],
    ['at least 2 of', { kind: 'atLeast', count: 2, rules: [isAbove(10), isAbove(11), isAbove(13)] }, '00101111'],
    ['switched off', all(isAbove(12), { ...isAbove(99), isOff: true }), '00001111'],
    ['an empty group inside', all(isAbove(12), none({ ...isAbove(1), isOff: true })), '00001111'],
    ['highest', compare(close, 'atLeast', { kind: 'highest', of: close, candles: 3 }), '00101100'],
    ['lowest', compare(close, 'atMost', { kind: 'lowest', of: close, candles: 3 }), '00010011'],
    ['change', compare({ kind: 'change', of: close, candles: 1 }, 'above', number(0.1)), '00001000'],
    ['offset', compare(close, 'above', minus(number(14), 0.5, number(3))), '00001111'],
    ['candles since', compare(since(compare(close, 'crossesBelow', number(12)), 3), 'atMost', number(1)), '00011000'],
    ['candles since, counted no further', compare(since(compare(close, 'crossesBelow', number(12)), 3), 'atLeast', number(3)), '00100011'],
    ['time', compare({ kind: 'minuteOfDay' }, 'atLeast', number(1380)), '00111111'],
    ['weekday', compare({ kind: 'weekday' }, 'atMost', number(5)), '11111111'],
    ['hl2', compare(price('hl2'), 'above', number(12)), '00001111'],
    ['volume', compare(price('volume'), 'above', number(30)), '00001111'],
  ])('%s', (_, rule, flags) => {
    expect(held(rule, walk)).toBe(flags);
  });

  test('the weekday changes at midnight UTC', () => {
    const candles = closing(...Array.from({ length: 16 }, () => 10));
    expect(held(compare({ kind: 'weekday' }, 'atLeast', number(6)), candles)).toBe('0000000000000011');
  });

  test('of a longer timeframe counts the newest candle that has closed, and only a whole one', () => {
    const candles = closing(...Array.from({ length: 28 }, (_, i) => i));
    // 22:50 and 22:55 lie in an hour that began before; 23:00 to 23:55 closes with the row of 23:55 and its close of 13.
    const hour = { ...close, timeframe: '1h' as const };
    expect(held(compare(hour, 'above', number(-1)), candles)).toBe('0'.repeat(13) + '1'.repeat(15));
    expect(held(compare(hour, 'above', number(12)), candles).indexOf('1')).toBe(13);
    expect(held(compare(hour, 'above', number(24)), candles).indexOf('1')).toBe(25);
    expect(held({ kind: 'moves', operand: hour, direction: 'rises', candles: 1 }, candles)).toBe('0'.repeat(25) + '111');
  });

  test('of another pair counts the newest candle there that has closed; of one that is not there nothing', () => {
    const candles = closing(1, 2, 3, 4, 5, 6);
    const rule = compare({ ...close, symbol: 'BTC/USDT' }, 'above', number(25));
    const others = {
      'BTC/USDT': { ...closing(10, 20, 30, 20, 30, 40), openTime: closing(1, 2, 3, 4, 5, 6).openTime.map((time) => time + five) },
    };
    expect(held(rule, candles, others)).toBe('000101');
    expect(held(rule, candles)).toBe('000000');
  });
});

test('the first signal that holds gives the tag, and a guard keeps entries out, not exits', () => {
  const document: RulesDocument = {
    ...entering({ tag: 'high', when: isAbove(12) }, { tag: 'any', when: isAbove(10) }),
    guard: [compare(close, 'below', number(14))],
    exitLong: [{ tag: 'out', when: isAbove(13) }],
  };
  const { enterLong, enterTag, exitLong, exitTag, tags } = compileRules(document).compute(closing(10, 11, 13, 14), {});
  expect([enterLong.join(''), exitLong.join('')]).toEqual(['0110', '0001']);
  expect([...enterTag!].map((tag) => tags[tag - 1])).toEqual([undefined, 'any', 'high', undefined]);
  expect(tags[exitTag![3] - 1]).toBe('out');
});

test('parameters stand for their values wherever they are named', () => {
  const document: RulesDocument = {
    ...entering({ tag: 'in', when: compare(indicator('sma', { period: parameter('n') }), 'above', number(parameter('low'))) }),
    parameters: {
      n: { default: 1, min: 1, max: 5, step: 1, unit: '', meaning: '' },
      low: { default: 12, min: 1, max: 20, step: 1, unit: 'points', meaning: 'x' },
    },
  };
  const strategy = compileRules(document);
  const candles = closing(10, 14, 10, 14);
  expect(strategy.compute(candles, { n: 1, low: 12 }).enterLong.join('')).toBe('0101');
  expect(strategy.compute(candles, { n: 2, low: 11 }).enterLong.join('')).toBe('0111');
  expect(strategy.parameters).toEqual({
    n: { default: 1, min: 1, max: 5, step: 1, meaning: '' },
    low: { default: 12, min: 1, max: 20, step: 1, unit: 'points', meaning: 'x' },
  });
});

test('the warm-up counts the largest values, longer timeframes, candles back and what must have held before', () => {
  const startupOf = (when: Rule) => compileRules(entering({ tag: 'in', when })).startupCandles;
  const ema = indicator('ema', { period: 10 });
  expect(startupOf(compare(ema, 'above', close))).toBe(39); // 3.5 x 11
  expect(startupOf(compare(ago(ema, 2), 'crossesAbove', close))).toBe(42);
  expect(startupOf({ ...compare(ema, 'above', close), within: 5 })).toBe(43);
  expect(startupOf(compare({ ...ema, timeframe: '1h' }, 'above', close))).toBe(12 * 39 + 12);
  expect(startupOf(compare({ kind: 'candlesSince', rule: compare(ema, 'above', close), upTo: 100 }, 'above', number(3)))).toBe(139);
  expect(compileRules(emaCross).startupCandles).toBe(704); // EMA 200 is the longest the parameter allows
});

test('how near a candle is to an entry is given by the condition that is missing by the most', () => {
  const rsi = indicator('rsi', { period: 14 });
  const nearness = (row: Record<string, number>, ...rules: Rule[]) =>
    compileRules(entering({ tag: 'in', when: all(...rules) })).nearness!({ close: 100, ...row }, {});
  const isWeak = compare(rsi, 'below', number(30));
  const isHigh = compare(close, 'above', indicator('ema', { period: 20 }));
  expect(nearness({ 'RSI 14': 40, 'EMA 20': 101 }, isWeak, isHigh)).toEqual([
    { direction: 'long', name: 'RSI 14', value: 40, threshold: 30, distance: 0.25 },
  ]);
  expect(nearness({ 'RSI 14': 20, 'EMA 20': 125 }, isWeak, isHigh)).toEqual([
    { direction: 'long', name: 'close at EMA 20', value: 100, threshold: 125, distance: 0.2 },
  ]);
  expect(nearness({ 'RSI 14': 20, 'EMA 20': 99 }, isWeak, isHigh)).toEqual([]);
  expect(nearness({ 'RSI 14': 40 }, isWeak, compare(rsi, 'crossesBelow', number(50)))).toEqual([]); // it must come back above 50 first
  expect(nearness({ 'RSI 14': NaN }, isWeak)).toEqual([]);
});

test('a name for programs is made of the title', () => {
  expect(['Dips in a rise', '20/10 turtle', '***'].map(nameOf)).toEqual(['DipsInARise', 'Rules2010Turtle', 'Rules']);
  // The folder of strategies takes no others.
  expect(['Käufe im Tief', '押し目買い', 'Öl & Gas №1'].map(nameOf)).toEqual(['KaufeImTief', 'Rules', 'OlGasNo1']);
  expect(nameOf('a very long title '.repeat(20))).toMatch(/^[A-Za-z]\w{59}$/u);
});

describe('in a backtest', () => {
  const settings = requireSettings({
    stakeAmount: 1_000,
    startingBalance: 10_000,
    maxOpenTrades: 2,
    fee: 0,
    stoploss: -0.5,
    minimalRoi: {},
    positionAdjustment: true,
  });
  const pairOf = (symbol: string, candles: CandleColumns) => ({
    instrument: anInstrument({ symbol, base: symbol.slice(0, 3), amountStep: 0.0001 }),
    candles,
  });
  const run = (document: RulesDocument, pairs: ReturnType<typeof pairOf>[]) => {
    const strategy = compileRules(document);
    return backtestStrategy({ strategy, parameters: defaultParameters(strategy), settings, timeframe: '5m', pairs }).trades;
  };

  const plan: PositionPlan = {
    addMore: { distance: 0.05, stake: 0.5, most: 2 },
    takeOut: [
      { profit: 0.1, part: 0.25 },
      { profit: 0.2, part: 0.5 },
    ],
  };
  const once = entering({ tag: 'in', when: compare(close, 'crossesAbove', number(99)) });
  const ordersOf = (document: RulesDocument, closes: number[]) =>
    run(document, [pairOf('BTC/USDT', closing(98, ...closes))]).map(({ orders }) =>
      orders.map(({ tag, filled, fillPrice }) => `${tag} ${(filled * fillPrice!).toFixed(0)}`),
    );

  test('a plan adds to what falls, at most so often', () => {
    const closes = [100, 100, 94, 94, 88, 88, 80, 80];
    expect(ordersOf({ ...once, positionPlan: plan }, closes)).toEqual([
      ['in 1000', 'add-1 500', 'add-2 500', expect.stringContaining('force_exit')],
    ]);
    expect(ordersOf({ ...once, positionPlan: { ...plan, addMore: { ...plan.addMore!, isOff: true } } }, closes)[0]).toHaveLength(2);
  });

  test('a plan takes parts out at a profit, each once', () => {
    const closes = [100, 100, 112, 112, 112, 125, 125, 125];
    const [orders] = ordersOf({ ...once, positionPlan: plan }, closes);
    expect(orders.map((order) => order.split(' ')[0])).toEqual(['in', 'take-out-1', 'take-out-2', 'force_exit']);
    expect(orders[1]).toBe('take-out-1 280'); // a quarter of 10 at 112
  });

  test('a strategy reads another pair of the run, and says so when it is not there', () => {
    const own = randomWalk({ length: 600, seed: 1, stepMs: five });
    const other = randomWalk({ length: 600, seed: 2, stepMs: five });
    const when = compare({ ...close, symbol: 'BTC/USDT' }, 'crossesAbove', indicator('sma', { period: 20 }, 'value', close));
    const document: RulesDocument = {
      ...entering({ tag: 'btc', when }),
      exitLong: [{ tag: 'out', when: compare({ ...close, symbol: 'BTC/USDT' }, 'crossesBelow', close) }],
    };
    expect(
      run(document, [pairOf('ETH/USDT', own), pairOf('BTC/USDT', other)]).filter(({ symbol }) => symbol === 'ETH/USDT').length,
    ).toBeGreaterThan(0);
    expect(() => run(document, [pairOf('ETH/USDT', sliceColumns(own, 0, 600))])).toThrow(
      'EMACross reads BTC/USDT, which must be one of the pairs of the backtest.',
    );
    // One that is only read is given besides, and is not traded; its gaps are filled, and what lies outside the range is not shown.
    const gappy = toColumns(Array.from({ length: 600 }, (_, i) => candleAt(other, i)).filter((_, i) => i % 3 !== 1));
    const strategy = compileRules(document);
    const range = { from: own.openTime[100], to: own.openTime[500] };
    const parameters = defaultParameters(strategy);
    const pairs = [pairOf('ETH/USDT', own)];
    const { trades, computed } = backtestStrategy({
      strategy,
      parameters,
      settings,
      timeframe: '5m',
      pairs,
      others: { 'BTC/USDT': gappy },
      range,
    });
    expect(trades.length).toBeGreaterThan(0);
    expect(computed.map(({ symbol }) => symbol)).toEqual(['ETH/USDT']);
    const from = 100 - strategy.startupCandles;
    const shown = fillGaps(gappy, five);
    const inRange = {
      'BTC/USDT': sliceColumns(shown, firstAtOrAfter(shown.openTime, own.openTime[from]), firstAtOrAfter(shown.openTime, range.to + 1)),
    };
    const [{ signals, candles, others }] = computed;
    expect(others['BTC/USDT'].openTime.at(-1)).toBe(range.to);
    expect(signals.enterLong).toEqual(strategy.compute(candles, parameters, inRange).enterLong);
    expect(signals.enterLong).not.toEqual(strategy.compute(candles, parameters, { 'BTC/USDT': other }).enterLong);
  });
});
