import { expect, test } from 'vitest';
import type { z } from 'zod';
import type { Route } from './route.ts';
import { routes } from './routes.ts';

// oxlint-disable no-underscore-dangle -- zod keeps the definition of a schema there

/** Every object inside a schema that lets fields through which it does not name. */
function openObjects(schema: z.core.$ZodType, path: string): string[] {
  const { def } = schema._zod as unknown as { def: Record<string, unknown> & { type: string } };
  const catchall = (def['catchall'] as z.core.$ZodType | undefined)?._zod.def.type;
  const isOpen = def.type === 'object' && catchall !== 'never';
  const below: [string, unknown][] = [
    ...Object.entries(def['shape'] ?? {}),
    ...['innerType', 'element', 'in', 'out', 'valueType', 'left', 'right'].map((key): [string, unknown] => [key, def[key]]),
    ...((def['options'] ?? []) as unknown[]).map((option, i): [string, unknown] => [String(i), option]),
  ];
  return [
    ...(isOpen || def.type === 'any' || def.type === 'unknown' ? [path] : []),
    ...below.flatMap(([key, inner]) =>
      typeof inner === 'object' && inner !== null && '_zod' in inner ? openObjects(inner as z.core.$ZodType, `${path}.${key}`) : [],
    ),
  ];
}

const bodies = (Object.entries(routes) as [string, Route][]).flatMap(([name, { body }]) => (body === undefined ? [] : [{ name, body }]));

test.each(bodies)('the body of $name takes the fields it names and no others, at every depth', ({ name, body }) => {
  expect(openObjects(body, name)).toEqual([]);
});

test('there are bodies to check', () => {
  expect(bodies.length).toBeGreaterThan(15);
});
