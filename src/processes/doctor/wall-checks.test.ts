import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { checkWalls } from './wall-checks.ts';

const home = mkdtempSync(join(tmpdir(), 'flotilla-walls-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

test('walls that are all there are said; one that is not is a warning as soon as a file could miss it', () => {
  const folder = join(home, 'strategies');
  expect(checkWalls(folder, { network: true, memory: true })).toMatchObject({
    state: 'ok',
    found: expect.stringContaining('without a network'),
  });
  expect(checkWalls(folder, { network: false, memory: true })).toMatchObject({
    state: 'ok',
    found: expect.stringContaining('There are none.'),
  });
  mkdirSync(folder);
  writeFileSync(join(folder, 'mine.test.ts'), '');
  expect(checkWalls(folder, { network: false, memory: true }).state).toBe('ok');
  writeFileSync(join(folder, 'mine.ts'), '');
  expect(checkWalls(folder, { network: false, memory: true })).toMatchObject({
    state: 'warning',
    found: expect.stringContaining('can reach the network'),
    toDo: expect.stringContaining('unshare'),
  });
  expect(checkWalls(folder, { network: true, memory: false })).toMatchObject({ state: 'warning', toDo: 'Run files you trust only.' });
  expect(checkWalls(folder, { network: false, memory: false }).found).toContain('can reach the network, and with no limit of memory');
  expect(checkWalls(folder, { network: true, memory: true }).state).toBe('ok');
});
