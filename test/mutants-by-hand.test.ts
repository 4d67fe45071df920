import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { mutants } from './mutation/by-hand/mutants.ts';

// The mutants themselves are tried by `npm run torture mutants`; this keeps their list from growing old.

test('every mutant has a name of its own and a text that is once in its file', () => {
  expect(mutants.length).toBeGreaterThanOrEqual(225);
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
  for (const { name, harm, file, find, replace } of mutants) {
    expect(readFileSync(file, 'utf8').split(find), `${name}: how often its text is in ${file}`).toHaveLength(2);
    expect(replace, name).not.toBe(find);
    expect(harm, name).toMatch(/^\S.{15,}\.$/u);
  }
});

test('the tests that must notice a mutant are there, with the names it gives', () => {
  for (const { name, tests, only } of mutants) {
    expect(tests.length, name).toBeGreaterThan(0);
    for (const path of tests) {
      expect(existsSync(path), `${name}: ${path}`).toBe(true);
      if (only !== undefined) expect(readFileSync(path, 'utf8').includes(only), `${name}: "${only}" in ${path}`).toBe(true);
    }
  }
});
