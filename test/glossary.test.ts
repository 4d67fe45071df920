import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const terms = [...readFileSync(join(root, 'docs/glossary.md'), 'utf8').matchAll(/^\| ([a-z-]+) \|/gmu)]
  .map(([, term = '']) => term)
  .filter((term) => term !== 'term');

/** Product sources without comments, tests and builders for tests. */
const code = globSync('src/**/*.{ts,tsx}', { cwd: root })
  .filter((file) => !/\.(test|contract)\.tsx?$|\/testing\//u.test(file))
  .map((file) => readFileSync(join(root, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gmu, ''));

test('the glossary has the field’s words and those of the product, each once', () => {
  expect(terms.length).toBeGreaterThan(40);
  expect(new Set(terms).size).toBe(terms.length);
  for (const own of ['gate', 'decision', 'claim', 'lease', 'epoch', 'fence', 'draft', 'snapshot', 'window', 'quirk'])
    expect(terms).toContain(own);
});

test.each(terms)('the code uses the term %s', (term) => {
  // In names and texts alike: lookAhead, look-ahead; FillRow, fills.
  const word = new RegExp(
    `(?<![a-z])${term.replace('-', '[- ]?')}|${term[0]?.toUpperCase()}${term.slice(1).replace(/-(.)/u, (_, letter: string) => letter.toUpperCase())}`,
    'u',
  );
  expect(code.filter((text) => word.test(text)).length).toBeGreaterThan(0);
});
