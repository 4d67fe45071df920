import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sessionNiceness } from './session-niceness.ts';

const here = sessionNiceness('self');
const isGrouped = here !== null;

/** What a process finds that lowers its session, and starts another one with a session of its own. */
const program = `
  import { spawn } from 'node:child_process';
  import { lowerAsOurs, lowerSession, sessionNiceness } from ${JSON.stringify(join(import.meta.dirname, 'session-niceness.ts'))};
  lowerSession(7);
  const other = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
  lowerAsOurs(other.pid);
  await new Promise((resolve) => setTimeout(resolve, 400)); // the system may have been busy
  console.log(JSON.stringify([sessionNiceness('self'), sessionNiceness(other.pid)]));
  other.kill('SIGKILL');
`;
const words = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', program];

test.runIf(isGrouped)('a process that leads a session lowers it, and the sessions of what it starts', async () => {
  const child = spawn(process.execPath, words, { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
  await once(child, 'close');
  expect(JSON.parse(text)).toEqual([7, 7]);
});

test.runIf(isGrouped)('a process in the session of somebody else leaves it as it is', () => {
  const { stdout } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  expect(JSON.parse(stdout)).toEqual([here, 0]);
  expect(sessionNiceness('self')).toBe(here);
});

test('what is not there has no niceness', () => {
  expect(sessionNiceness(2 ** 22 + 1)).toBeNull();
});
