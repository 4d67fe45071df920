import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { validCalls } from '../../test/attack/valid-calls.ts';
import { missingThings } from '../../test/attack/known-values.ts';
import type { Route } from './route.ts';
import { routes, type RouteName } from './routes.ts';

// Every field of every body with a value of every type that is not its own.

// oxlint-disable no-underscore-dangle -- zod keeps the definition of a schema there

type Schema = z.core.$ZodType;
type Definition = Record<string, unknown> & { type: string };
const definitionOf = (schema: Schema): Definition => schema._zod.def as unknown as Definition;

const samples = { text: 'text', number: 5, flag: true, list: ['text'], table: { a: 1 } } as const;
const ownTypes: Record<string, (keyof typeof samples)[]> = {
  string: ['text'],
  enum: ['text'],
  number: ['number'],
  int: ['number'],
  boolean: ['flag'],
  array: ['list'],
  record: ['table'],
  object: ['table'],
  custom: ['table'],
};

/** The schema below what makes it optional, checked or joined. */
function core(schema: Schema): Schema {
  const definition = definitionOf(schema);
  const inner = (definition['innerType'] ?? definition['in']) as Schema | undefined;
  return inner === undefined ? schema : core(inner);
}

interface Case {
  field: string;
  value: unknown;
}

/** A field with each value of another type; in lists and tables each element too. */
function wrongValues(field: string, given: Schema, wrap: (value: unknown) => unknown): Case[] {
  const schema = core(given);
  const { type, element, valueType, shape, entries } = definitionOf(schema) as Definition & {
    element?: Schema;
    valueType?: Schema;
    shape?: Record<string, Schema>;
    entries?: object;
  };
  const [literal] = (definitionOf(schema)['values'] as unknown[] | undefined) ?? [];
  // Of what may be several, those that none of them is; what lies deeper is another matter for each.
  const several = (definitionOf(schema)['options'] as Schema[] | undefined)?.flatMap(
    (option) => ownTypes[definitionOf(core(option)).type] ?? [],
  );
  const own = several ?? (type === 'literal' ? [typeof literal === 'number' ? ('number' as const) : ('text' as const)] : ownTypes[type]);
  if (own === undefined) throw new Error(`${field} is of the type ${type}, which this test does not know`);
  const others = Object.entries(samples).filter(([name]) => !own.includes(name as keyof typeof samples));
  const here = others.map(([name, value]) => ({ field: `${field} as ${name}`, value: wrap(value) }));
  if (entries !== undefined || several !== undefined) return here;
  if (element !== undefined) return [...here, ...wrongValues(`${field}[0]`, element, (value) => wrap([value]))];
  if (type === 'record') {
    const key = firstKey((definitionOf(schema) as Definition & { keyType: Schema }).keyType);
    return [...here, ...(valueType === undefined ? [] : wrongValues(`${field}.${key}`, valueType, (value) => wrap({ [key]: value })))];
  }
  return [
    ...here,
    ...Object.entries(shape ?? {}).flatMap(([name, inner]) => wrongValues(`${field}.${name}`, inner, (value) => wrap({ [name]: value }))),
  ];
}

function firstKey(schema: Schema): string {
  const { entries } = definitionOf(core(schema)) as Definition & { entries?: Record<string, string> };
  return Object.keys(entries ?? {})[0] ?? '0';
}

/** What the call table says of these is that they must be true or false. */
const namesItsType: Partial<Record<RouteName, string>> = { verifyUser: 'verified and email_verified must be true or false' };

const about = { ...missingThings, email: 'somebody@example.com', strategy: missingThings.user };
const bodies = (Object.entries(routes) as [RouteName, Route][]).flatMap(([name, { id, body }]) =>
  // One without fields has none of another type.
  body === undefined || name === 'removeRules' ? [] : [{ name, id, body }],
);

// As the server does for what a schema does not name.
beforeAll(() => z.config({ customError: () => 'Invalid request' }));
afterAll(() => z.config({ customError: undefined }));

describe.each(bodies)('$id $name', ({ name, body }) => {
  const valid = (validCalls[name](about) as { body: Record<string, unknown> }).body;
  const fields = (definitionOf(core(body)) as Definition & { shape: Record<string, Schema> }).shape;

  test('API-33, API-34, API-39, API-49 a field of another type gives the general text, whichever it is', () => {
    expect(body.safeParse(valid).success || name === 'register' || name === 'changeLimits', 'the body of before').toBe(true);
    let tried = 0;
    for (const [field, schema] of Object.entries(fields)) {
      for (const { field: what, value } of wrongValues(field, schema, (same) => same)) {
        tried += 1;
        const { [field]: _own, ...others } = valid;
        const issues = body.safeParse({ ...others, [field]: value }).error?.issues ?? [];
        const ofField = issues.filter(({ path }) => path[0] === field);
        // A field that lies deeper has missing neighbours, with texts of their own.
        const place = (what.split(' as ')[0] ?? '').replaceAll('[0]', '.0');
        const itself = ofField.find(({ path }) => path.join('.') === place) ?? ofField[0];
        expect(itself?.message, what).toBe(namesItsType[name] ?? 'Invalid request');
      }
    }
    expect(tried).toBeGreaterThan(Object.keys(fields).length);
  });
});

describe('a value that a field does not take gives a text that its call lists', () => {
  const odd = [
    '\uD800',
    '',
    ' ',
    'no such',
    '-1',
    '0',
    '1.5',
    '999999999999',
    'x'.repeat(3000),
    5,
    -1,
    0,
    1.5,
    1e12,
    null,
    [],
    ['no such'],
    {},
  ];
  const parts = (Object.entries(routes) as [RouteName, Route][]).flatMap(([name, { id, query, body, errors }]) =>
    Object.entries({ query, body }).flatMap(([part, schema]) => (schema === undefined ? [] : [{ name, id, part, schema, errors }])),
  );

  test.each(parts)('$id the $part of $name', ({ name, part, schema, errors }) => {
    const { query, body } = validCalls[name](about) as { query?: object; body?: object };
    const valid = (part === 'query' ? query : body) ?? {};
    const listed: readonly string[] = errors[400] ?? [];
    const fields = (definitionOf(core(schema)) as Definition & { shape?: Record<string, Schema> }).shape ?? {};
    for (const field of Object.keys(fields))
      for (const value of odd) {
        const message = schema.safeParse({ ...valid, [field]: value }).error?.issues[0]?.message;
        if (message !== undefined) expect(listed, `${field}: ${JSON.stringify(value)}`).toContain(message);
      }
  });
});
