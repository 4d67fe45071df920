import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { StrategyError } from '../strategy-error.ts';
import { SocketCopy } from './copies.ts';
import type { HowEnded } from './started-process.ts';

const fault = new StrategyError('It has ended by itself (with code 0).');
const byItself: HowEnded = { code: 0, signal: null };

/** A copy that listens, and what its listener receives. */
async function aCopy() {
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-copy-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const received: string[] = [];
  const listener = {
    data: (piece: Uint8Array) => void received.push(Buffer.from(piece).toString()),
    ended: () => void received.push('ended'),
  };
  const copy = new SocketCopy(join(folder, 'socket'), listener, () => undefined);
  await new Promise<void>((resolve) => copy.listen(resolve));
  return { copy, received };
}

test('what a copy has said before it ended is received first, though its parent says at once that it has', async () => {
  const { copy, received } = await aCopy();
  const process = connect(copy.path);
  await once(process, 'connect');
  process.end('the answer');
  copy.end(fault, byItself); // nobody here has seen yet that it has connected
  expect(received).toEqual([]);
  await expect.poll(() => received).toEqual(['the answer', 'ended']);
});

test('the same when it had connected long before, and when it was received before it is said to have ended', async () => {
  const { copy, received } = await aCopy();
  const process = connect(copy.path);
  process.write('one');
  await expect.poll(() => received).toEqual(['one']);
  process.end(' other');
  copy.end(fault, byItself);
  await expect.poll(() => received).toEqual(['one', ' other', 'ended']);

  const second = await aCopy();
  connect(second.copy.path).end('all');
  await expect.poll(() => second.received).toEqual(['all']);
  await expect.poll(() => second.copy.isClosed).toBe(true);
  second.copy.end(fault, byItself);
  expect(second.received).toEqual(['all', 'ended']);
});

test('one that never connects, or whose children keep its way open, has ended after a moment; one that was killed at once', async () => {
  const never = await aCopy();
  never.copy.end(fault, byItself);
  await expect.poll(() => never.received).toEqual(['ended']);

  const open = await aCopy();
  const child = connect(open.copy.path);
  onTestFinished(() => void child.destroy());
  child.write('still here');
  open.copy.end(fault, byItself);
  await expect.poll(() => open.received).toEqual(['still here', 'ended']);

  const killed = await aCopy();
  killed.copy.end(fault, { code: null, signal: 'SIGKILL' });
  expect(killed.received).toEqual(['ended']);
});

test('one of which its parent says nothing has ended a while after it was killed or has closed its way, once', async () => {
  const [killed, closed] = [await aCopy(), await aCopy()];
  const processes = [killed, closed].map(({ copy }) => {
    const process = spawn('sleep', ['600'], { detached: true });
    onTestFinished(() => void process.kill('SIGKILL'));
    copy.begin(process.pid ?? 0);
    return once(process, 'exit');
  });
  killed.copy.kill();
  killed.copy.kill();
  connect(closed.copy.path).end('all');
  await expect.poll(() => [killed.received, closed.received]).toEqual([['ended'], ['all', 'ended']]);
  // What has closed its way and runs all the same is asked nothing any more.
  expect(await Promise.all(processes)).toEqual([1, 2].map(() => [null, 'SIGKILL']));
  for (const { copy } of [killed, closed]) copy.end(fault, byItself); // its parent says so after all
  expect([killed.received, closed.received]).toEqual([['ended'], ['all', 'ended']]);
});
