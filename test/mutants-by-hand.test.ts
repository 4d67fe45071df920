import { existsSync, readFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { expect, test } from 'vitest';
import config from '../vitest.config.ts';
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

test('the tests that must notice a mutant belong to the project that it names', () => {
  // Vitest finds none of them elsewhere, and the whole list ends there.
  for (const { name, project, tests } of mutants) {
    const { include, exclude = [] } = projectOf(project);
    for (const path of tests) {
      const isThere = include.some((glob) => matchesGlob(path, glob)) && !exclude.some((glob) => matchesGlob(path, glob));
      expect(isThere, `${name}: whether ${path} is of ${project}`).toBe(true);
    }
  }
});

function projectOf(name: string): { include: string[]; exclude?: string[] | undefined } {
  const projects = config.test?.projects ?? [];
  for (const project of projects) {
    if (typeof project === 'string' || !('test' in project) || project.test?.name !== name) continue;
    const { include = [], exclude } = project.test;
    return { include, exclude };
  }
  throw new Error(`There is no project "${name}"`);
}
