import { assert, constantFrom, integer, property, string, tuple } from 'fast-check';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Route } from './route.ts';
import { routes } from './routes.ts';

const inputs = (Object.entries(routes) as [string, Route][]).flatMap(([name, { params, query, body }]) =>
  Object.entries({ params, query, body }).flatMap(([place, schema]) =>
    schema === undefined ? [] : [{ name: `${name} ${place}`, schema }],
  ),
);

/** How often a pattern may repeat something without an end: each such place may multiply the time by the length. */
function endlessRepetitions(pattern: string): number {
  const bare = pattern.replaceAll(/\\./gu, 'x').replaceAll(/\[[^\]]*\]/gu, 'x');
  return [...bare.matchAll(/[*+]|\{\d+,\}/gu)].length;
}

/** Its time grows no faster than the text: nothing endless, or one endless repetition that begins at the start. */
function isLinear({ source }: RegExp): boolean {
  const endless = endlessRepetitions(source);
  return endless === 0 || (endless === 1 && source.startsWith('^'));
}

interface TextSchema {
  path: string;
  patterns: RegExp[];
  abortsAt: number | null; // the length above which nothing else is checked
}

// oxlint-disable no-underscore-dangle -- zod keeps the definition of a schema there

/** Every text inside a schema, with its patterns and its limit of length. */
function textsOf(schema: z.core.$ZodType, path: string): TextSchema[] {
  const { def } = schema._zod as unknown as { def: Record<string, unknown> & { type: string } };
  if (def.type === 'string') {
    const checks = ((def['checks'] ?? []) as { _zod: { def: Record<string, unknown> } }[]).map((check) => check._zod.def);
    const limit = checks.find((check) => check['check'] === 'max_length' && check['abort'] === true);
    const own = [def['pattern'], ...checks.map((check) => check['pattern'])].filter((pattern) => pattern instanceof RegExp);
    return [{ path, patterns: own, abortsAt: limit === undefined ? null : Number(limit['maximum']) }];
  }
  const below: [string, unknown][] = [
    ...Object.entries(def['shape'] ?? {}),
    ...['innerType', 'element', 'in', 'out', 'keyType', 'valueType', 'catchall'].map((key): [string, unknown] => [key, def[key]]),
    ...((def['options'] ?? []) as unknown[]).map((option, i): [string, unknown] => [String(i), option]),
  ];
  return below.flatMap(([key, inner]) =>
    typeof inner === 'object' && inner !== null && '_zod' in inner ? textsOf(inner as z.core.$ZodType, `${path}.${key}`) : [],
  );
}

// oxlint-enable no-underscore-dangle

const everyText = inputs.flatMap(({ name, schema }) => textsOf(schema, name));

describe('what a caller sends is checked in a time that grows with its length and no faster', () => {
  test('the rule for patterns refuses the known bad ones', () => {
    expect([/^[^\s@]+@[^\s@]+\.[^\s@]+$/u, /(a+)+$/u, /\d+x/u].map(isLinear)).toEqual([false, false, false]);
    expect([/\S/u, /^\d{1,7}$/u, /^\d+$/u, /^[*+]{3}$/u].map(isLinear)).toEqual([true, true, true, true]);
  });

  test('every pattern of every input is linear', () => {
    expect(everyText.length).toBeGreaterThan(40);
    const patterns = everyText.flatMap(({ path, patterns: own }) => own.map((pattern) => ({ path, pattern })));
    expect(patterns.length).toBeGreaterThan(30);
    expect(patterns.filter(({ pattern }) => !isLinear(pattern)).map(({ path, pattern }) => `${path}: ${String(pattern)}`)).toEqual([]);
  });

  test('every text of every input has a limit of length, beyond which nothing else is checked; ids and days are of fixed length', () => {
    const fixed = (text: TextSchema): boolean =>
      text.patterns.some((pattern) => endlessRepetitions(pattern.source) === 0 && /^\^.*\$$/u.test(pattern.source));
    expect(everyText.filter((text) => text.abortsAt === null && !fixed(text)).map(({ path }) => path)).toEqual([]);
  });

  test('patterns outside the shapes, in the contract and the code that reads requests, are linear too', () => {
    const root = join(import.meta.dirname, '..');
    const files = ['contract', 'server', 'server/auth', 'sandbox/wire']
      .flatMap((folder) => readdirSync(join(root, folder)).map((file) => join(folder, file)))
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
    const found = files.flatMap((file) =>
      [
        ...readFileSync(join(root, file), 'utf8').matchAll(
          /(?<=[(,=&|?:]\s?)\/((?:[^/\\\n*]|\\.)(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])*)\/[a-z]*(?=[,.)\s])/gu,
        ),
      ].map(([, source = '']) => ({ file, pattern: new RegExp(source, 'u') })),
    );
    expect(found.length).toBeGreaterThan(8);
    expect(found.filter(({ pattern }) => !isLinear(pattern)).map(({ file, pattern }) => `${file}: ${String(pattern)}`)).toEqual([]);
  });

  test('long hostile texts in every place of every input are refused, each with one sentence', () => {
    const unit = constantFrom('.', '@', 'a', ' ', '\t', '0', '-', '/', 'https://', ':', '\u0301', '{');
    const hostile = tuple(string({ maxLength: 3 }), unit, integer({ min: 6_000, max: 16_000 }), string({ maxLength: 3 }));
    for (const { name, schema } of inputs) {
      const keys = Object.keys((schema as unknown as { shape?: object }).shape ?? {});
      assert(
        property(hostile, ([start, middle, times, end]) => {
          const text = start + middle.repeat(times) + end;
          for (const key of keys) {
            const result = schema.safeParse({ ...Object.fromEntries(keys.map((other) => [other, 'x'])), [key]: text });
            expect(result.success, `${name} ${key}`).toBe(false);
          }
        }),
        { numRuns: 5 },
      );
    }
  });
});
