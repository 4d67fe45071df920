import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findResults } from './results-file.ts';

test('the newest results are those of the newest study, whatever its strategy is called', () => {
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-results-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = (name: string, time: string): string => `strategy_${name}_2026-03-0${time}.jsonl`;
  for (const name of [file('Zeta', '1_10-00-00'), file('Alpha', '2_09-00-00'), file('Mine', '1_23-59-59')])
    writeFileSync(join(folder, name), '');
  expect(findResults(folder, undefined)).toBe(join(folder, file('Alpha', '2_09-00-00')));
});
