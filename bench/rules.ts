/**
 * How fast rules are: the signals of a year of 5m candles from a document with five conditions, beside a strategy written by
 * hand that wants the same. Promised: within 1.5 times.
 *
 * Usage: node bench/rules.ts
 */
import { atr } from '#engine/indicators/atr.ts';
import { bollinger } from '#engine/indicators/bollinger.ts';
import { ema } from '#engine/indicators/ema.ts';
import { randomWalk } from '#engine/indicators/testing/random-walk.ts';
import { rsi } from '#engine/indicators/rsi.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import { compileRules } from '#engine/rules/compile-rules.ts';
import type { RulesDocument } from '#engine/rules/document.ts';
import { ago, all, compare, indicator, minus, number, price } from '#engine/rules/pieces.ts';
import { emaCross } from '#engine/rules/templates/ema-cross.ts';
import { noSignals, type Signals } from '#engine/strategy/strategy.ts';

const close = price('close');
const fast = indicator('ema', { period: 20 });
const slow = indicator('ema', { period: 50 });
const strength = indicator('rsi', { period: 14 });
const lower = indicator('bollinger', { period: 20, deviations: 2 }, 'lower');
const range = indicator('atr', { period: 14 });

const document: RulesDocument = {
  ...emaCross,
  parameters: {},
  enterLong: [
    {
      tag: 'dip',
      when: all(
        compare(fast, 'above', slow),
        compare(strength, 'below', number(38)),
        compare(close, 'above', lower),
        compare(ago(close), 'below', close),
      ),
    },
  ],
  exitLong: [{ tag: 'turn', when: compare(close, 'below', minus(slow, 2, range)) }],
  enterShort: [],
  exitShort: [],
};

/** The same by hand, as the built-in strategies are written. */
function byHand(candles: CandleColumns): Signals {
  const { close: closes } = candles;
  const { length } = closes;
  const [fastLine, slowLine, rsiLine] = [ema(closes, 20), ema(closes, 50), rsi(closes, 14)];
  const bands = bollinger(closes, { period: 20, deviations: 2 });
  const ranges = atr(candles, 14);
  const tagged = { tags: ['dip', 'turn'], enterTag: new Uint8Array(length), exitTag: new Uint8Array(length) };
  const signals = { ...noSignals(length, { fastLine, slowLine, rsiLine, lower: bands.lower, ranges }), ...tagged };
  for (let i = 1; i < length; i++) {
    const isDip = fastLine[i] > slowLine[i] && rsiLine[i] < 38 && closes[i] > bands.lower[i] && closes[i - 1] < closes[i];
    if (isDip) {
      signals.enterLong[i] = 1;
      signals.enterTag[i] = 1;
    }
    if (closes[i] < slowLine[i] - 2 * ranges[i]) {
      signals.exitLong[i] = 1;
      signals.exitTag[i] = 2;
    }
  }
  return signals;
}

const candles = randomWalk({ length: 105_120, seed: 1, stepMs: 300_000 });
const strategy = compileRules(document);
const ways = { 'by hand': () => byHand(candles), 'as rules': () => strategy.compute(candles, {}) };
const times: Record<string, number[]> = { 'by hand': [], 'as rules': [] };
const [expected, found] = [byHand(candles), strategy.compute(candles, {})];
for (const name of ['enterLong', 'exitLong'] as const) {
  if (Buffer.compare(expected[name], found[name]) !== 0) throw new Error(`${name} differs`);
}
for (let round = 0; round < 40; round++) {
  for (const [name, run] of Object.entries(ways)) {
    const from = performance.now();
    run();
    times[name]?.push(performance.now() - from);
  }
}
const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
const [hand = NaN, rules = NaN] = Object.values(times).map(median);
console.log(
  `a year of 5m, five conditions: by hand ${hand.toFixed(1)} ms, as rules ${rules.toFixed(1)} ms, ${(rules / hand).toFixed(2)} times`,
);
