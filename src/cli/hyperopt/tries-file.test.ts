import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { noTries } from '#engine/lab/judgement/judgement.ts';
import { noteTries, triesOn } from './tries-file.ts';

const data = { strategy: 'Mine', timeframe: '5m', pairs: ['ETH/USDT'], from: 1, to: 9 };
const tries = (count: number) => ({ ...noTries, count });

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-tries-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('tries over several pairs count for one of them, and those over other pairs do not', () => {
  const folder = emptyFolder();
  noteTries(folder, { ...data, pairs: ['BTC/USDT', 'ETH/USDT'] }, tries(20), 'both.json');
  noteTries(folder, { ...data, pairs: ['SOL/USDT'] }, tries(30), 'other.json');
  expect(triesOn(folder, data).count).toBe(20);
  expect(triesOn(folder, { ...data, pairs: ['ETH/USDT', 'SOL/USDT'] }).count).toBe(50);
});

test('a line that was cut off by a crash does not take the next one with it', () => {
  const folder = emptyFolder();
  noteTries(folder, data, tries(20), 'first.json');
  appendFileSync(join(folder, 'tries.jsonl'), '{"strategy":"Mine","timeframe":"5m","pai');
  noteTries(folder, data, tries(30), 'second.json');
  noteTries(folder, data, tries(40), 'third.json');
  expect(triesOn(folder, data).count).toBe(90);
});

test('a line of which only its end was cut off counts, and so does the next', () => {
  const folder = emptyFolder();
  const file = join(folder, 'tries.jsonl');
  noteTries(folder, data, tries(20), 'first.json');
  writeFileSync(file, readFileSync(file, 'utf8').trimEnd());
  noteTries(folder, data, tries(30), 'second.json');
  expect(triesOn(folder, data).count).toBe(50);
  expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(3); // and no empty line between
});
