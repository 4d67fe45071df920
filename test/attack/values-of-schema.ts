import * as fc from 'fast-check';
import type { JsonSchema } from './json-schema.ts';
import { oddJson, oddTexts, unstorableTexts } from './odd-values.ts';

/** Values that mean something to this server, by the name of the field they are for. */
export type KnownValues = Readonly<Record<string, readonly unknown[]>>;

/** Any value that JSON can carry, and some that it hardly can; often text that PostgreSQL cannot keep. */
export const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom<unknown>(...unstorableTexts) },
  fc.constantFrom<unknown>(...oddTexts),
  fc.constantFrom<unknown>(...oddJson),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.double(),
  fc.jsonValue({ maxDepth: 2 }),
);

/** Values that fit a schema; where the name of the field is known, mostly those that mean something. */
export function valueOf(schema: JsonSchema, known: KnownValues, name = ''): fc.Arbitrary<unknown> {
  const meant = known[name];
  const fitting = fittingValue(schema, known);
  return meant === undefined || meant.length === 0
    ? fitting
    : fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...meant) }, { weight: 1, arbitrary: fitting });
}

function fittingValue(schema: JsonSchema, known: KnownValues): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.allOf;
  if (choices !== undefined) return fc.oneof(...choices.map((choice) => valueOf(choice, known)));
  if (schema.type === 'object') return objectOf(schema, known);
  if (schema.type === 'array') {
    const items = valueOf(schema.items ?? {}, known);
    return fc.array(items, { minLength: schema.minItems ?? 0, maxLength: Math.min(schema.maxItems ?? 5, 5) });
  }
  if (schema.type === 'integer') return fc.integer({ min: least(schema, -1_000), max: most(schema, 1_000_000) });
  if (schema.type === 'number') return fc.double({ min: least(schema, -1e15), max: most(schema, 1e15), noNaN: true });
  if (schema.type === 'boolean') return fc.boolean();
  if (schema.type === 'string') return textOf(schema);
  return oddValue;
}

const least = ({ minimum, exclusiveMinimum }: JsonSchema, otherwise: number): number =>
  Math.max(minimum ?? exclusiveMinimum ?? otherwise, -2_147_483_648);
const most = ({ maximum, exclusiveMaximum }: JsonSchema, otherwise: number): number =>
  Math.min(maximum ?? exclusiveMaximum ?? otherwise, 1e15);

function textOf({ format, minLength, maxLength }: JsonSchema): fc.Arbitrary<string> {
  if (format === 'uuid') return fc.uuid();
  if (format === 'date')
    return fc
      .date({ noInvalidDate: true, min: new Date('2020-01-01'), max: new Date('2030-01-01') })
      .map((day) => day.toISOString().slice(0, 10));
  if (format === 'date-time')
    return fc.date({ noInvalidDate: true, min: new Date('2020-01-01'), max: new Date('2030-01-01') }).map((moment) => moment.toISOString());
  return fc.string({ unit: 'grapheme', minLength: minLength ?? 0, maxLength: Math.min(maxLength ?? 60, 60) });
}

function objectOf({ properties = {}, required = [], additionalProperties }: JsonSchema, known: KnownValues): fc.Arbitrary<unknown> {
  const fields = Object.entries(properties);
  if (fields.length === 0 && typeof additionalProperties === 'object')
    return fc.dictionary(
      fc.oneof(fc.constantFrom('0', '30', 'entry', 'exit'), fc.string({ maxLength: 7 })),
      valueOf(additionalProperties, known),
      { maxKeys: 4 },
    );
  const model = Object.fromEntries(fields.map(([name, schema]) => [name, valueOf(schema, known, name)]));
  return fc.record(model, { requiredKeys: fields.map(([name]) => name).filter((name) => required.includes(name)), noNullPrototype: true });
}
