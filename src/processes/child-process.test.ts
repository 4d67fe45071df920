import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runPart, startPart } from './child-process.ts';

const lives = ['-e', 'setInterval(() => {}, 1_000)'];

test('a process that is run to its end is ended when the product is told to stop', async () => {
  await expect(runPart(lives, {}, Promise.resolve())).rejects.toThrow('The preparation ended early (SIGTERM)');
});

test('a process that does not heed that is ended at once, after a while', { timeout: 30_000 }, async () => {
  const deaf = ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1_000)'];
  const told = new Promise<void>((resolve) => setTimeout(resolve, 500));
  await expect(runPart(deaf, {}, told)).rejects.toThrow('The preparation ended early (SIGKILL)');
});

test('who waits for a part that ends while the product is being stopped is told', async () => {
  const part = startPart({
    name: 'part',
    args: ['-e', ''],
    environment: {},
    readyFrom: 'message',
    say: () => {},
    isStopping: () => true,
  });
  await expect(part.ready).rejects.toThrow('The part was stopped before it was ready.');
});

test('a message is the part’s own, also below node --watch', async () => {
  vi.stubEnv('WATCH_REPORT_DEPENDENCIES', '1');
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const says = ['--input-type=module', '-e', "await import('node:fs'); process.send('mine');"];
  expect(await runPart(says, {}, new Promise(() => {}))).toBe('mine');
  const part = startPart({
    name: 'part',
    args: [...says.slice(0, 2), `${says[2]} setInterval(() => {}, 1_000);`],
    environment: {},
    readyFrom: 'message',
    say: () => {},
    isStopping: () => false,
  });
  expect(await part.ready).toBe('mine');
  await part.stop();
});

test('a part that cannot be started for a while is started when it can be', async () => {
  const told: string[] = [];
  const node = process.execPath;
  const part = startPart({
    name: 'part',
    args: ['-e', 'process.send("ready")'],
    environment: {},
    readyFrom: 'message',
    say: (line) => {
      told.push(line);
      process.execPath = told.length === 1 ? '/nowhere/node' : node;
    },
    isStopping: () => false,
  });
  try {
    await part.ready;
    await expect.poll(() => told.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(3);
    expect(told[1]).toBe('The part ended (spawn /nowhere/node ENOENT); it is started again.');
    expect(told[2]).toBe('The part ended (code 0); it is started again.');
  } finally {
    process.execPath = node;
    await part.stop();
  }
});

test('a part that cannot be closed in order ends all the same when the product is gone', { timeout: 30_000 }, async () => {
  const module = JSON.stringify(join(import.meta.dirname, 'child-process.ts'));
  const program = `const { beChild } = await import(${module}); setInterval(() => {}, 1_000); beChild(() => new Promise(() => {})).ready('ready')`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  await once(child, 'message');
  child.disconnect();
  expect(await once(child, 'exit')).toEqual([1, null]);
});

test('a part that is frozen is killed and started again; one that never sends heartbeats is left alone', { timeout: 60_000 }, async () => {
  const module = JSON.stringify(join(import.meta.dirname, 'child-process.ts'));
  const program = `const { beChild } = await import(${module}); beChild(async () => {}).ready(process.pid); setInterval(() => {}, 1_000)`;
  const said: string[] = [];
  const pids: number[] = [];
  const options = {
    environment: {},
    readyFrom: 'message',
    say: (line: string) => said.push(line),
    isStopping: () => false,
    mostSilences: 3,
  } as const;
  const silent = startPart({ ...options, name: 'silent part', args: ['-e', 'process.send("ready"); setInterval(() => {}, 1_000)'] });
  const part = startPart({ ...options, name: 'part', args: ['--input-type=module', '-e', program] });
  try {
    await silent.ready;
    pids.push(Number(await part.ready));
    await new Promise((resolve) => setTimeout(resolve, 2_500)); // the first heartbeats
    expect(said).toEqual([]);
    process.kill(pids[0] ?? 0, 'SIGSTOP');
    await expect
      .poll(() => said, { timeout: 30_000 })
      .toEqual(['The part does not answer; it is stopped.', 'The part ended (SIGKILL); it is started again.']);
    expect(() => process.kill(pids[0] ?? 0, 0)).toThrow('ESRCH');
  } finally {
    await Promise.all([part.stop(), silent.stop()]);
  }
});
