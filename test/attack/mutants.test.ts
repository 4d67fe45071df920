import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { mutants } from './mutants.ts';

// The mutants themselves are tried by `npm run torture mutants`; this keeps their list from growing old.

test('every mutant has a name of its own, tests that are there, and a text that is once in its file', () => {
  expect(mutants.length).toBeGreaterThanOrEqual(25);
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
  for (const { name, file, find, replace, tests } of mutants) {
    expect(readFileSync(file, 'utf8').split(find), name).toHaveLength(2);
    expect(replace, name).not.toBe(find);
    expect(
      tests.filter((path) => !existsSync(path)),
      name,
    ).toEqual([]);
    expect(tests.length, name).toBeGreaterThan(0);
  }
});
