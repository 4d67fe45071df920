import { Buffer } from 'node:buffer';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { rulesDocument } from '#contract/rules.ts';
import { findLookAhead } from '../backtest/look-ahead.ts';
import { randomWalk } from '../indicators/testing/random-walk.ts';
import { sliceColumns } from '../market/candle.ts';
import { knownBy } from '../strategy/series.ts';
import { defaultParameters, type Strategy } from '../strategy/strategy.ts';
import { compileRules } from './compile-rules.ts';
import type { RulesDocument } from './document.ts';
import { faultsOf } from './faults.ts';
import { randomDocument } from './testing/random-document.ts';
import { toTypeScript } from './to-typescript.ts';
import { wordsOf } from './words.ts';

const candles = randomWalk({ length: 700, seed: 3, stepMs: 300_000 });
const other = randomWalk({ length: 700, seed: 4, stepMs: 300_000 });
const gap = { ...other, openTime: other.openTime.map((time, i) => (i < 300 ? time : time + 3_600_000)) }; // an hour is missing
const others = { 'BTC/USDT': gap };
const flags = ['enterLong', 'exitLong', 'enterShort', 'exitShort'] as const;

const sound = randomDocument.filter((document) => faultsOf(document).length === 0);

/** The strategy with the other pairs known by its last candle. */
function withOthers(strategy: Strategy): Pick<Strategy, 'compute'> {
  return {
    compute: (own, parameters) =>
      strategy.compute(own, parameters, own.openTime.length === 0 ? {} : knownBy(own.openTime[own.openTime.length - 1], others)),
  };
}

test('a document by chance has faults in sentences, or columns of the right length with flags of 0 and 1', () => {
  let compiled = 0;
  let entered = 0;
  fc.assert(
    fc.property(randomDocument, (document) => {
      const faults = faultsOf(document);
      for (const { sentence } of faults) expect(sentence).toMatch(/^[A-Z0-9a-z].+\.$/u);
      if (faults.length > 0) {
        expect(() => compileRules(document)).toThrow(RangeError);
        return;
      }
      const strategy = compileRules(document);
      compiled++;
      for (const length of [0, 1, 2, 700]) {
        const signals = strategy.compute(sliceColumns(candles, 0, length), defaultParameters(strategy), others);
        for (const name of flags) {
          expect(signals[name]).toHaveLength(length);
          expect(signals[name].every((flag) => flag === 0 || flag === 1)).toBe(true);
          if (name.startsWith('enter') && signals[name].includes(1)) entered++;
        }
        for (const column of Object.values(signals.indicators)) expect(column).toHaveLength(length);
        for (const tag of [...signals.enterTag!, ...signals.exitTag!]) expect(tag).toBeLessThanOrEqual(signals.tags.length);
        for (const column of Object.values(signals.indicators)) {
          const row = Object.fromEntries(Object.entries(signals.indicators).map(([name, values]) => [name, values.at(-1) ?? NaN]));
          for (const { distance } of strategy.nearness!({ ...row, close: 100 }, defaultParameters(strategy)))
            expect(distance).toBeGreaterThanOrEqual(0);
          expect(column).toBeInstanceOf(Float64Array);
        }
      }
    }),
    { numRuns: 300, seed: 1 },
  );
  expect(compiled).toBeGreaterThan(100);
  expect(entered).toBeGreaterThan(50);
});

test('no row of any document depends on a later candle, of longer timeframes and other pairs too', () => {
  fc.assert(
    fc.property(sound, (document) => {
      const strategy = compileRules(document);
      expect(
        findLookAhead(withOthers(strategy), defaultParameters(strategy), sliceColumns(candles, 0, 130), { maxPrefixes: 130 }),
      ).toBeNull();
      expect(
        findLookAhead(withOthers(strategy), defaultParameters(strategy), sliceColumns(candles, 290, 420), { maxPrefixes: 130 }),
      ).toBeNull();
    }),
    { numRuns: 40, seed: 2 },
  );
});

test('every document says in words what it does, without a word that is none', () => {
  fc.assert(
    fc.property(sound, (document) => {
      const sentences = wordsOf(document);
      expect(sentences.length).toBeGreaterThan(0);
      for (const sentence of sentences) {
        expect(sentence).toMatch(/^[A-Z].+\.$/u);
        expect(sentence).not.toMatch(/undefined|NaN|null|\[object|\(\)|  /u);
      }
    }),
    { numRuns: 300, seed: 3 },
  );
});

test('every document passes its form unchanged, also as text', () => {
  fc.assert(
    fc.property(randomDocument, (document) => {
      const text = JSON.stringify(document);
      expect(JSON.stringify(rulesDocument.parse(JSON.parse(text)))).toHaveLength(text.length);
      expect(rulesDocument.parse(JSON.parse(text))).toEqual(JSON.parse(text));
    }),
    { numRuns: 200, seed: 4 },
  );
});

const folder = join(import.meta.dirname, '../../../.build/rules-as-files');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The strategy of the file that is written of a document. */
async function asFile(document: RulesDocument, name: string): Promise<Strategy> {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.ts`);
  writeFileSync(file, toTypeScript(document));
  return ((await import(pathToFileURL(file).href)) as { default: Strategy }).default;
}

test('the file of every document gives the same columns', async () => {
  for (const [i, document] of fc.sample(sound, { numRuns: 60, seed: 5 }).entries()) {
    const [compiled, written] = [compileRules(document), await asFile(document, `by-chance-${i}`)];
    expect(written.startupCandles).toBe(compiled.startupCandles);
    for (const values of [defaultParameters(compiled), { count: 7, level: 55 }]) {
      const [expected, found] = [compiled.compute(candles, values, others), written.compute(candles, values, others)];
      for (const name of flags) expect(Buffer.compare(expected[name], found[name]), name).toBe(0);
      for (const name of ['enterTag', 'exitTag'] as const) {
        const textsOf = ({ [name]: column, tags }: typeof found) => [...column!].map((tag) => tags[tag - 1]);
        expect(textsOf(found)).toEqual(textsOf(expected));
      }
    }
  }
});
