import { ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { ChildOptions } from './child-process.ts';
import { runToEnd, supervise } from './child-process.ts';

const never = new Promise<void>(() => {});
const lives = 'setInterval(() => {}, 1_000);';
const ignoresSigterm = `process.on('SIGTERM', () => {}); ${lives}`;
const module = JSON.stringify(join(import.meta.dirname, 'child-process.ts'));
const options = { name: 'market', environment: {}, readyFrom: 'message', say: () => {}, isStopping: () => false } as const;
const start = (program: string, more: Partial<ChildOptions> = {}) => supervise({ ...options, args: ['-e', program], ...more });
const importing = (program: string) => ['--input-type=module', '-e', `const { beChild } = await import(${module}); ${program}`];

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-child-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('a process that is run to its end is ended when a stop is requested', async () => {
  await expect(runToEnd(['-e', lives], {}, Promise.resolve())).rejects.toThrow('The preparation ended early (SIGTERM)');
});

test('a process that is run to its end and ignores the request is killed after a while', async () => {
  const listening = join(emptyFolder(), 'listening');
  const program = `${ignoresSigterm} require('node:fs').writeFileSync(${JSON.stringify(listening)}, '')`;
  const stopRequested = Promise.withResolvers<void>();
  const running = runToEnd(['-e', program], {}, stopRequested.promise, { patience: 100 });
  running.catch(() => {});
  await expect.poll(() => existsSync(listening)).toBe(true);
  stopRequested.resolve();
  await expect(running).rejects.toThrow('The preparation ended early (SIGKILL)');
});

test('a process that takes too long to its end is ended, and what it was doing is not a mystery', async () => {
  await expect(runToEnd(['-e', ignoresSigterm], {}, never, { name: 'backup', patience: 100, mostMs: 500 })).rejects.toThrow(
    'The backup was ended: it took longer than it may.',
  );
});

test('a process that cannot be killed, as behind a disk that does not answer, is waited for no longer', async () => {
  const said = join(emptyFolder(), 'pid');
  const program = `require('node:fs').writeFileSync(${JSON.stringify(said)}, String(process.pid)); ${lives}`;
  const kill = vi.spyOn(ChildProcess.prototype, 'kill').mockReturnValue(true);
  onTestFinished(() => kill.mockRestore());
  await expect(runToEnd(['-e', program], {}, never, { name: 'backup', patience: 100, killPatience: 100, mostMs: 1_000 })).rejects.toThrow(
    'The backup cannot be ended, not even by a kill.',
  );
  expect(kill.mock.calls).toEqual([['SIGTERM'], ['SIGKILL']]);
  await expect.poll(() => existsSync(said)).toBe(true);
  process.kill(Number(readFileSync(said, 'utf8')), 'SIGKILL');
});

test('a process that does not end is killed once the patience is over', async () => {
  const market = start(`${ignoresSigterm} process.send(process.pid)`, { patienceMs: 100 });
  const pid = Number(await market.ready);
  await market.stop();
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});

test('a process that takes a while to end cleanly is given the time', async () => {
  const file = join(emptyFolder(), 'clean');
  const close = `setTimeout(() => { require('node:fs').writeFileSync(${JSON.stringify(file)}, ''); process.exit(0); }, 300)`;
  const market = start(`process.on('SIGTERM', () => ${close}); ${lives} process.send('ready')`, { patienceMs: 60_000 });
  await market.ready;
  await market.stop();
  expect(existsSync(file)).toBe(true);
});

test('waiting for a process that ends while the product is being stopped fails', async () => {
  await expect(start('', { isStopping: () => true }).ready).rejects.toThrow('The market was stopped before it was ready.');
});

test('a process that ends before it was ever ready is not started again: it would fail each time', async () => {
  const said: string[] = [];
  await expect(start('process.exit(3)', { say: (line) => said.push(line) }).ready).rejects.toThrow(
    'The market ended before it was ready (code 3).',
  );
  expect(said).toEqual([]);
});

test('a message is the process’s own, also below node --watch', async () => {
  vi.stubEnv('WATCH_REPORT_DEPENDENCIES', '1');
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const program = "await import('node:fs'); process.send('mine');";
  expect(await runToEnd(['--input-type=module', '-e', program], {}, never)).toBe('mine');
  const market = start('', { args: ['--input-type=module', '-e', `${program} ${lives}`] });
  expect(await market.ready).toBe('mine');
  await market.stop();
});

test('a process that cannot be started for a while is started when it can be', async () => {
  const said: string[] = [];
  const node = process.execPath;
  const market = start('process.send("ready")', {
    say: (line) => {
      said.push(line);
      process.execPath = said.length === 1 ? '/nowhere/node' : node;
    },
  });
  try {
    await market.ready;
    await expect.poll(() => said.length).toBeGreaterThanOrEqual(3);
    expect(said[1]).toBe('The market ended (spawn /nowhere/node ENOENT); it is started again.');
    expect(said[2]).toBe('The market ended (code 0); it is started again.');
  } finally {
    process.execPath = node;
    await market.stop();
  }
});

test('a process that is stopped during the pause before its restart stays stopped', async () => {
  const starts = join(emptyFolder(), 'starts');
  const said: string[] = [];
  const crashed = Promise.withResolvers<void>();
  const market = start(
    `require('node:fs').appendFileSync(${JSON.stringify(starts)}, 'started '); process.send('ready'); setTimeout(() => process.exit(1), 10)`,
    {
      say(line) {
        said.push(line);
        crashed.resolve();
      },
    },
  );
  await market.ready;
  await crashed.promise;
  await market.stop();
  await new Promise((resolve) => setTimeout(resolve, 1_000)); // the pause is 0.2 s
  expect(said).toHaveLength(1);
  expect(readFileSync(starts, 'utf8')).toBe('started ');
});

test('a process that crashes just before the product is stopped stays ended, though the product waits for something else first', async () => {
  const starts = join(emptyFolder(), 'starts');
  let isStopping = false;
  const asked: boolean[] = [];
  const market = start(
    `require('node:fs').appendFileSync(${JSON.stringify(starts)}, 'started '); process.send('ready'); setTimeout(() => process.exit(1), 10)`,
    {
      say: () => (isStopping = true), // in the pause before the restart
      isStopping() {
        asked.push(isStopping);
        return isStopping;
      },
    },
  );
  await market.ready;
  await expect.poll(() => asked).toEqual([false, true]);
  expect(readFileSync(starts, 'utf8')).toBe('started ');
  await market.stop();
});

test('a process that cannot be closed cleanly ends all the same when the product is gone', async () => {
  const program = importing(`${lives} beChild(() => new Promise(() => {}), 100).ready('ready')`);
  const child = spawn(process.execPath, program, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  await once(child, 'message');
  child.disconnect();
  expect(await once(child, 'exit')).toEqual([1, null]);
});

test('a process whose supervisor has ended while it started ends as soon as it has started, cleanly', async () => {
  const file = join(emptyFolder(), 'closed');
  const started = `await new Promise((done) => process.once('disconnect', done)); ${lives}`;
  const close = `async () => { await new Promise((done) => setTimeout(done, 300)); (await import('node:fs')).writeFileSync(${JSON.stringify(file)}, ''); }`;
  const program = importing(`${started} beChild(${close}).ready('ready')`);
  const child = spawn(process.execPath, program, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.disconnect();
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(existsSync(file)).toBe(true);
});

test('two signals close a process once; it ends with 0 when that succeeds', async () => {
  const program = importing(
    `let closings = 0; beChild(async () => { closings += 1; await new Promise((done) => setTimeout(done, 300)); console.log(closings); }).ready('ready')`,
  );
  const child = spawn(process.execPath, program, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text));
  await once(child, 'message');
  child.kill('SIGTERM');
  child.kill('SIGINT');
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(output).toBe('1\n');
});

test('a process that is frozen is killed and started again; one that never sends heartbeats is left alone', async () => {
  const said: string[] = [];
  const common = { say: (line: string) => said.push(line), mostSilences: 3 };
  // Its heartbeats keep it alive for longer than those it may miss; then it is frozen.
  const program = `const child = beChild(async () => {}); setTimeout(() => child.ready(process.pid), 6_500); ${lives}`;
  const silent = start(`process.send("ready"); ${lives}`, { ...common, name: 'silent market' });
  const market = start('', { ...common, args: importing(program) });
  try {
    await silent.ready;
    const pid = Number(await market.ready);
    expect(said).toEqual([]);
    process.kill(pid, 'SIGSTOP');
    await expect
      .poll(() => said)
      .toEqual(['The market does not answer; it is stopped.', 'The market ended (SIGKILL); it is started again.']);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  } finally {
    await Promise.all([market.stop(), silent.stop()]);
  }
});
