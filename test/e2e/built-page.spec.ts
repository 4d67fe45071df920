import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'dist/web');
const files = globSync('**/*', { cwd: folder, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name));

test('the built page holds what it needs and nothing of how it was made', () => {
  expect(files.filter((file) => file.endsWith('.js')).length).toBeGreaterThan(3);
  const kinds = new Set(files.map((file) => /\.([a-z0-9]+)(?:\.(?:br|gz))?$/u.exec(file)?.[1] ?? file));
  expect([...kinds].filter((kind) => !['html', 'js', 'css', 'svg', 'woff2', 'sources'].includes(kind))).toEqual([]);
  expect(files.filter((file) => /\.map(\.|$)|\.(test|spec)\.|testing/u.test(file.slice(folder.length)))).toEqual([]);
  for (const file of files.filter((each) => /\.(js|css|html)$/u.test(each))) {
    const text = readFileSync(file, 'utf8');
    for (const word of ['sourceMappingURL', 'sourceURL=', root, 'vitest', '/@vite/', 'import.meta.hot', 'jsxDEV', 'react-dom.development'])
      expect(text.includes(word), `${file} holds ${word}`).toBe(false);
  }
});

test('no map, source or file beside the page is served', async ({ request }) => {
  const script = files.find((file) => file.endsWith('.js'))?.slice(folder.length) ?? '';
  for (const path of [
    `${script}.map`,
    '/.sources',
    '/assets/.sources',
    '/src/web/main.tsx',
    '/package.json',
    '/.git/config',
    '/assets/',
    '/assets/../index.html.map',
  ])
    expect((await request.get(path)).status(), path).toBe(404);
  expect((await request.get(script)).status()).toBe(200);
});
