import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { isServerOf } from './lock-file.ts';

/** A program with the command line of a server of that folder; it runs when its number is given. */
async function serverOf(folder: string, program = '/opt/My Bots/node_modules/native/bin/postgres'): Promise<number> {
  const child = spawn('sh', ['-c', 'echo here; read x', program, '-D', folder, '-c', 'listen_addresses='], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill());
  await once(child.stdout, 'data');
  return child.pid ?? 0;
}

// As on macOS, where `ps` gives the words of a command line with blanks between them.
test.each(['linux', 'darwin'])('on %s a server is known by its program and folder, also with blanks in them', async (platform) => {
  const actual = Object.getOwnPropertyDescriptor(process, 'platform') ?? {};
  const pid = await serverOf('/srv/My Bots/.flotilla/postgres/data');
  const ofAnotherProgram = await serverOf('/srv/My Bots/.flotilla/postgres/data', 'sleep');
  onTestFinished(() => void Object.defineProperty(process, 'platform', actual));
  Object.defineProperty(process, 'platform', { ...actual, value: platform });
  expect(isServerOf(pid, '/srv/My Bots/.flotilla/postgres/data')).toBe(true);
  for (const other of [
    '/srv/My Bots/.flotilla/postgres/data2',
    '/srv/My',
    '/srv/My Bots/.flotilla/postgres',
    'Bots/.flotilla/postgres/data',
  ])
    expect(isServerOf(pid, other), other).toBe(false);
  expect(isServerOf(ofAnotherProgram, '/srv/My Bots/.flotilla/postgres/data')).toBe(false);
});
