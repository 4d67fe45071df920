import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hourMs, minuteMs } from '#engine/market/durations.ts';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runBackups } from './backup-rounds.ts';

test('a backup that hangs is ended after five hours, the next one is made, and that does not hold up a stop', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-rounds-'));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  onTestFinished(() => {
    vi.useRealTimers();
    rmSync(folder, { recursive: true });
  });
  const begun = join(folder, 'begun');
  const hangs = `require('node:fs').writeFileSync(${JSON.stringify(begun)}, ''); process.on('disconnect', () => process.exit());`; // else for as long as this test runs
  const said: string[] = [];
  const stopRequested = Promise.withResolvers<void>();
  const stop = runBackups(['-e', hangs], {}, stopRequested.promise, (line) => said.push(line));
  await vi.advanceTimersByTimeAsync(10 * minuteMs);
  await expect.poll(() => existsSync(begun)).toBe(true);
  await vi.advanceTimersByTimeAsync(5 * hourMs - minuteMs);
  expect(said).toEqual([]);
  rmSync(begun);
  await vi.advanceTimersByTimeAsync(minuteMs);
  await expect.poll(() => said.length).toBe(1);
  expect(said[0]).toContain('The backup was ended: it took longer than it may.');
  await expect.poll(() => existsSync(begun)).toBe(true); // those of the hours since wait behind it
  stopRequested.resolve();
  await stop();
  expect(said[1]).toContain('The backup ended early (SIGTERM)');
  expect(said).toHaveLength(2);
});
