import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openLogFile } from './log-file.ts';

function emptyHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'flotilla-log-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

test('a message is a line of JSON that nobody else may read', () => {
  const home = emptyHome();
  openLogFile(home, 'runner').log('a bot was released', { bot: 'b' });
  const path = join(home, 'logs', 'runner.log');
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ message: 'a bot was released', bot: 'b' });
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a log never grows beyond its bound, also across starts; the newest lines are kept', () => {
  const home = emptyHome();
  for (let start = 0; start < 5; start++) {
    const { write } = openLogFile(home, 'web', { mostBytes: 100 });
    for (let line = 0; line < 10; line++) write(`start ${start} line ${line} ${'x'.repeat(10)}\n`);
  }
  const folder = join(home, 'logs');
  expect(readdirSync(folder).sort()).toEqual(['web.log', 'web.log.1']);
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).size).toBeLessThanOrEqual(100);
  expect(readFileSync(join(folder, 'web.log'), 'utf8')).toContain('start 4 line 9');
});

test('of two processes that write one log, the second puts nothing aside right after the first has', () => {
  const home = emptyHome();
  const [first, second] = [1, 2].map(() => openLogFile(home, 'web', { mostBytes: 1_000 }));
  const lines = Array.from({ length: 11 }, (_, at) => `line ${at} ${'x'.repeat(160)}\n`);
  for (const [at, line] of lines.entries()) (at % 2 === 0 ? first : second)?.write(line); // 160 bytes and a few each
  const folder = join(home, 'logs');
  const kept = ['web.log.1', 'web.log'].map((name) => readFileSync(join(folder, name), 'utf8')).join('');
  expect(kept).toBe(lines.join(''));
});

test('a log that cannot be written is reported once and ends nothing, and continues when it can be', () => {
  const home = emptyHome();
  const folder = join(home, 'logs');
  writeFileSync(folder, 'not a folder');
  const reported = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const { log } = openLogFile(home, 'runner');
  log('one', {});
  log('two', {});
  rmSync(folder);
  log('three', {});
  rmSync(folder, { recursive: true });
  log('lost', {});
  log('five', {});
  expect(reported).toHaveBeenCalledTimes(1);
  reported.mockRestore();
  expect(readFileSync(join(folder, 'runner.log'), 'utf8')).toContain('five');
});
