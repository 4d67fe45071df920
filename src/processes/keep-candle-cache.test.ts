import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { keepCandleCache } from './keep-candle-cache.ts';

test('a folder that grows beyond its most is trimmed again and again: what was not used for longest goes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-cache-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const add = (name: string, age: number): void => {
    writeFileSync(join(folder, name), 'x'.repeat(100));
    utimesSync(join(folder, name), new Date(Date.now() - age), new Date(Date.now() - age));
  };
  const faults: unknown[] = [];
  add('oldest', 4_000);
  add('old', 3_000);
  const keeping = keepCandleCache(folder, (error) => faults.push(error), { maxBytes: 200, everyMs: 20 });
  onTestFinished(() => keeping.stop());
  add('new', 2_000);
  await expect.poll(() => readdirSync(folder).toSorted()).toEqual(['new', 'old']);
  add('newest', 1_000);
  await expect.poll(() => readdirSync(folder).toSorted()).toEqual(['new', 'newest']);
  expect(faults).toEqual([]);
});
