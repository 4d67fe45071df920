import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { patienceMs } from '../../test/support/patience.ts';
import { sessionNiceness } from './session-niceness.ts';

const here = sessionNiceness('self');
const isGrouped = here !== null;

/**
 * What a process finds that lowers its session, and starts another one with a session of its own: once both are lowered, or after
 * `longestMs` (the system may be busy).
 */
const words = (longestMs: number): string[] => [
  '--disable-warning=ExperimentalWarning',
  '--input-type=module',
  '--eval',
  `
  import { spawn } from 'node:child_process';
  import { lowerAsOurs, lowerSession, sessionNiceness } from ${JSON.stringify(join(import.meta.dirname, 'session-niceness.ts'))};
  lowerSession(7);
  const other = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
  lowerAsOurs(other.pid);
  const found = () => JSON.stringify([sessionNiceness('self'), sessionNiceness(other.pid)]);
  for (const until = performance.now() + ${longestMs}; found() !== '[7,7]' && performance.now() < until; )
    await new Promise((resolve) => setTimeout(resolve, 20));
  console.log(found());
  other.kill('SIGKILL');
`,
];

test.runIf(isGrouped)('a process that leads a session lowers it, and the sessions of what it starts', async () => {
  const child = spawn(process.execPath, words(patienceMs), { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
  await once(child, 'close');
  expect(JSON.parse(text)).toEqual([7, 7]);
});

test.runIf(isGrouped)('a process in the session of somebody else leaves it as it is', () => {
  const { stdout } = spawnSync(process.execPath, words(400), { encoding: 'utf8' });
  expect(JSON.parse(stdout)).toEqual([here, 0]);
  expect(sessionNiceness('self')).toBe(here);
});

test('what is not there has no niceness', () => {
  expect(sessionNiceness(2 ** 22 + 1)).toBeNull();
});
