import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { PythonVersions } from './python-questions.ts';

/** What a Python has; null for a program that is not a Python, or does not answer in time. */
export async function pythonVersions(python: string, deadlineMs = 60_000): Promise<PythonVersions | null> {
  const child = spawn(python, [join(import.meta.dirname, 'shim', 'check.py')], {
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8', PYTHONDONTWRITEBYTECODE: '1', PYTHONNOUSERSITE: '1' },
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: deadlineMs,
    killSignal: 'SIGKILL',
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve).once('error', () => resolve(null)));
  if (code !== 0) return null;
  try {
    return JSON.parse(said.trim().split('\n').at(-1) ?? '') as PythonVersions;
  } catch {
    return null;
  }
}
