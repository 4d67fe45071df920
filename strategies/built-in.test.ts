import { describe, expect, test } from 'vitest';
import { candleColumns, copyColumns, sliceColumns } from '#engine/market/candle.ts';
import { randomWalk } from '#engine/indicators/testing/random-walk.ts';
import { isTimeframe } from '#engine/market/timeframe.ts';
import { defaultParameters, type ParameterValues, type Signals, type Strategy } from '#engine/strategy/strategy.ts';
import { builtInStrategies, findStrategy } from './built-in.ts';

const candles = randomWalk({ length: 5000, seed: 20_240_101, stepMs: 300_000 });
const flags = ['enterLong', 'exitLong', 'enterShort', 'exitShort'] as const;
const lists = [...flags, 'enterTag', 'exitTag', 'confidence'] as const;

/** The default parameters, all at their least, all at their most, and each switch of a strategy turned on. */
function parameterSets({ parameters, ...strategy }: Strategy): ParameterValues[] {
  const ends = (end: 'min' | 'max') => Object.fromEntries(Object.entries(parameters).map(([name, range]) => [name, range[end]]));
  const defaults = defaultParameters({ parameters, ...strategy });
  return [defaults, ends('min'), ends('max'), ...('squeeze' in parameters ? [{ ...defaults, squeeze: 1 }] : [])];
}

function count(flag: Uint8Array): number {
  return flag.reduce((total, each) => total + each, 0);
}

/** The first row in which two signals differ, as text, or null. `from` and `to` are rows of `whole`. */
function firstDifference(part: Signals, whole: Signals, { offset, from, to }: { offset: number; from: number; to: number }): string | null {
  for (const name of lists) {
    for (let i = from; i < to; i++) {
      const [ours, theirs] = [part[name]?.[i - offset], whole[name]?.[i]];
      if (!Object.is(ours, theirs)) return `${name} row ${i}: ${ours} is not ${theirs}`;
    }
  }
  for (const [name, column] of Object.entries(part.indicators)) {
    if (offset > 0) continue;
    for (let i = from; i < to; i++) if (!Object.is(column[i], whole.indicators[name][i])) return `${name} row ${i}`;
  }
  return null;
}

describe.each(builtInStrategies.map((strategy) => [strategy.name, strategy] as const))('%s', (_, strategy) => {
  test('sees no candle before it has closed: signals on a prefix are the prefix of the signals', () => {
    for (const parameters of parameterSets(strategy)) {
      const whole = strategy.compute(candles, parameters);
      const cuts = [0, 1, 2, ...Array.from({ length: 60 }, (__, i) => 3 + Math.floor((i * 4997) / 60)), 4999];
      for (const cut of cuts) {
        const part = strategy.compute(sliceColumns(candles, 0, cut), parameters);
        expect(part.enterLong).toHaveLength(cut);
        expect(firstDifference(part, whole, { offset: 0, from: 0, to: cut }), `cut at ${cut}`).toBeNull();
      }
    }
  });

  test('leaves the candles it is given as they are', () => {
    // The command relies on it: it compares the candles of other strategies only.
    const before = copyColumns(candles);
    for (const parameters of parameterSets(strategy)) strategy.compute(candles, parameters);
    expect(candles).toEqual(before);
  });

  test('gives the same on a trailing window once its startup candles have passed', () => {
    for (const parameters of parameterSets(strategy)) {
      const whole = strategy.compute(candles, parameters);
      const differing: string[] = [];
      for (const offset of [500, 1234, 2001, 2877, 3303]) {
        const part = strategy.compute(sliceColumns(candles, offset, 5000), parameters);
        for (let i = offset + strategy.startupCandles; i < 5000; i++) {
          if (flags.some((flag) => part[flag][i - offset] !== whole[flag][i])) differing.push(`window from ${offset}, row ${i}`);
        }
      }
      expect([parameters, differing]).toEqual([parameters, []]);
    }
  });

  test('enters with a confidence of 0 to 1 and a tag, and never enters and leaves a side in one row', () => {
    for (const parameters of parameterSets(strategy)) {
      const signals = strategy.compute(candles, parameters);
      for (let i = 0; i < 5000; i++) {
        expect(signals.enterLong[i] & signals.exitLong[i], `row ${i}`).toBe(0);
        expect(signals.enterShort[i] & signals.exitShort[i], `row ${i}`).toBe(0);
        expect(signals.enterLong[i] & signals.enterShort[i], `row ${i}`).toBe(0);
        if (signals.exitLong[i] || signals.exitShort[i]) expect(signals.tags[signals.exitTag![i] - 1], `row ${i}`).toBeTruthy();
        if (!signals.enterLong[i] && !signals.enterShort[i]) continue;
        expect(signals.confidence![i], `row ${i}`).toBeGreaterThanOrEqual(0);
        expect(signals.confidence![i], `row ${i}`).toBeLessThanOrEqual(1);
        expect(signals.tags[signals.enterTag![i] - 1], `row ${i}`).toBeTruthy();
      }
      if (!strategy.canShort) expect(count(signals.enterShort) + count(signals.exitShort)).toBe(0);
    }
  });

  test('asks for nothing on no candles, and for nothing but the benchmark on flat ones', () => {
    expect(strategy.compute(candleColumns(0), defaultParameters(strategy)).enterLong).toHaveLength(0);
    if (strategy.kind === 'benchmark') return;
    const flat = candleColumns(1500);
    for (let i = 0; i < 1500; i++) {
      flat.openTime[i] = candles.openTime[i];
      flat.open[i] = flat.high[i] = flat.low[i] = flat.close[i] = 7;
    }
    for (const parameters of parameterSets(strategy)) {
      const signals = strategy.compute(flat, parameters);
      expect([count(signals.enterLong), count(signals.enterShort)]).toEqual([0, 0]);
    }
  });

  test('reads every parameter that it declares, and no other', () => {
    const read = new Set<string>();
    for (const values of parameterSets(strategy)) {
      const watched = new Proxy(values, {
        get: (target, name) => {
          read.add(String(name));
          return Reflect.get(target, name);
        },
      });
      strategy.compute(candles, watched);
    }
    expect([...read].toSorted()).toEqual(Object.keys(strategy.parameters).toSorted());
  });

  test('gives other signals when a parameter is another', () => {
    const signalsOf = (values: ParameterValues) => {
      const signals = strategy.compute(candles, values);
      return JSON.stringify([...flags.map((flag) => [...signals[flag]]), [...(signals.confidence ?? [])]]);
    };
    const bases = parameterSets(strategy).filter((_, i) => i === 0 || i === 3); // the defaults, and with its switch on
    for (const [name, { min, max }] of Object.entries(strategy.parameters)) {
      const changes = bases.some((base) => [min, max].some((value) => signalsOf({ ...base, [name]: value }) !== signalsOf(base)));
      expect([name, changes]).toEqual([name, true]);
    }
  });

  test('declares believable ranges and defaults', () => {
    for (const [name, { default: value, min, max, step, unit, meaning }] of Object.entries(strategy.parameters)) {
      expect(min, name).toBeLessThan(max);
      expect(value, name).toBeGreaterThanOrEqual(min);
      expect(value, name).toBeLessThanOrEqual(max);
      expect(step, name).toBeGreaterThan(0);
      for (const steps of [(value - min) / step, (max - min) / step]) expect(Math.abs(steps - Math.round(steps)), name).toBeLessThan(1e-9);
      expect(meaning, name).toMatch(/^[A-Z0-9].+\.$/);
      expect(unit, name).toMatch(/^[a-z][a-z ]+$/);
    }
    const { defaults } = strategy;
    expect(isTimeframe(defaults.timeframe)).toBe(true);
    expect(defaults.stoploss).toBeLessThan(0);
    expect(defaults.stoploss).toBeGreaterThan(-1);
    expect(Object.keys(defaults.minimalRoi).length).toBeLessThanOrEqual(3);
    const targets = Object.values(defaults.minimalRoi); // by minutes, rising
    expect(targets).toEqual([...targets].sort((a, b) => b - a));
    if (defaults.trailingStop && defaults.trailingStopPositive !== null) {
      expect(defaults.trailingStopPositive).toBeGreaterThan(0);
      expect(defaults.trailingStopPositiveOffset).toBeGreaterThan(defaults.trailingStopPositive);
    }
    expect(Number.isInteger(strategy.startupCandles) && strategy.startupCandles >= 0).toBe(true);
    for (const text of [strategy.description, strategy.losesWhen]) expect(text).toMatch(/^[A-Z].+\.$/);
  });
});

// A change here changes what bots do: it needs a line in the changelog.
// [enterLong, exitLong, enterShort, exitShort] and the sum of confidences on the fixed series, with default parameters.
const golden = {
  EmaCross: { counts: [41, 88, 69, 88], confidence: 45.076676 },
  SuperTrendFollower: { counts: [78, 77, 77, 78], confidence: 58.752161 },
  DonchianBreakout: { counts: [314, 1733, 376, 1531], confidence: 304.014216 },
  MacdTrend: { counts: [67, 186, 106, 187], confidence: 23.463636 },
  AdxDirectional: { counts: [83, 3256, 94, 2923], confidence: 46.61893 },
  RsiReversal: { counts: [55, 1511, 0, 0], confidence: 17.68898 },
  BollingerReversion: { counts: [153, 2389, 0, 0], confidence: 38.069656 },
  StochasticPullback: { counts: [55, 398, 86, 426], confidence: 52.385078 },
  VwapReversion: { counts: [87, 2072, 0, 0], confidence: 15.525442 },
  BuyAndHold: { counts: [5000, 0, 0, 0], confidence: 5000 },
  AlwaysFlat: { counts: [0, 0, 0, 0], confidence: 0 },
};

test('signals on the fixed series are exactly these', () => {
  const found = Object.fromEntries(
    builtInStrategies.map((strategy) => {
      const signals = strategy.compute(candles, defaultParameters(strategy));
      const confidence = signals.confidence?.reduce((total, each) => total + each, 0) ?? 0;
      return [strategy.name, { counts: flags.map((flag) => count(signals[flag])), confidence: Number(confidence.toFixed(6)) }];
    }),
  );
  expect(found).toEqual(golden);
});

test('every strategy but AlwaysFlat enters on the fixed series', () => {
  for (const strategy of builtInStrategies) {
    const signals = strategy.compute(candles, defaultParameters(strategy));
    expect([strategy.name, count(signals.enterLong) > 0]).toEqual([strategy.name, strategy.name !== 'AlwaysFlat']);
    const entersShort = count(signals.enterShort) > 0;
    expect([strategy.name, entersShort]).toEqual([strategy.name, strategy.canShort]);
  }
});

test('the squeeze switch makes Bollinger reversion a breakout strategy', () => {
  const strategy = findStrategy('BollingerReversion')!;
  const signals = strategy.compute(candles, { ...defaultParameters(strategy), squeeze: 1 });
  expect(signals.tags).toContain('squeeze-breakout');
  expect(count(signals.enterLong)).toBeGreaterThan(0);
});

test('strategies are found by their exact name only', () => {
  expect(new Set(builtInStrategies.map(({ name }) => name)).size).toBe(11);
  for (const strategy of builtInStrategies) expect(findStrategy(strategy.name)).toBe(strategy);
  for (const name of ['', 'emacross', 'constructor', '__proto__', 'toString']) expect(findStrategy(name)).toBeUndefined();
});
