import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { PythonVersions } from '#strategy-process/python/python-questions.ts';
import { pythonVersions } from '#strategy-process/python/python-versions.ts';
import { CommandError, complainToStandardError, exitCodeOf, type Say } from '../command-error.ts';
import { type CommandDescription, type CommandOption, readOptions } from '../options.ts';
import { findPython, ownPythonFolder, type PythonEnvironment } from '#strategy-process/python/find-python.ts';

const python = {
  values: 'one',
  placeholder: 'PROGRAM',
  help: 'the Python that is meant; else FLOTILLA_PYTHON, or the one of set-up',
} as const;

const check = {
  name: 'python check',
  summary: 'Says which Python runs strategies in Python, what it has, and what to install where something lacks.',
  options: { python },
} as const satisfies CommandDescription<Record<string, CommandOption>>;

const setUp = {
  name: 'python set-up',
  summary: 'Makes a Python for strategies in the instance folder, with freqtrade and what comes with it. It needs the network.',
  options: { python: { ...python, help: 'the Python it is made of; else FLOTILLA_PYTHON, or python3' } },
} as const satisfies CommandDescription<Record<string, CommandOption>>;

/** The version of freqtrade whose trades ours were compared with. */
const comparedWith = '2026.9';

/** What is installed by `set-up`. */
const packages = ['freqtrade', 'pandas', 'TA-Lib'];

/**
 * Says what a Python has, or makes one for strategies. The environment is the person's own: what is installed comes from where they have it from.
 *
 * Returns the exit code: 0 when strategies can run, 1 when not or when nothing could be installed, 2 when it was called wrongly
 */
export async function pythonCommand(
  words: readonly string[],
  environment: PythonEnvironment & { all: Readonly<Record<string, string | undefined>> },
  say: Say,
  complain: Say = complainToStandardError,
): Promise<number> {
  return await exitCodeOf(say, complain, async () => {
    const [action, ...rest] = words;
    if (action === 'check') return await sayVersions(findPython({ ...environment, given: readOptions(rest, check).python ?? null }), say);
    if (action === 'set-up') return await setUpPython(readOptions(rest, setUp).python ?? null, environment, say);
    return refuseAction(words);
  });
}

function refuseAction(words: readonly string[]): never {
  const given = readOptions(words.slice(0, 1), {
    name: 'python',
    summary: 'Says what the Python for strategies has, or makes one.',
    argument: { name: 'ACTION', help: 'check, set-up' },
    options: {},
    examples: [check, setUp].map(({ name, summary }) => `flotilla ${name}: ${summary}`),
  });
  throw new CommandError(`"${given.argument}" is nothing that can be done with Python. Give one of check, set-up.`);
}

async function sayVersions(program: string, say: Say): Promise<0 | 1> {
  const found = await pythonVersions(program);
  if (found === null) throw new CommandError(`${program} is not a Python that runs.`);
  say(`Python     ${found.python}, ${program}`);
  for (const [title, version, install] of [
    ['pandas', found.pandas, 'pandas'],
    ['TA-Lib', found.talib, 'TA-Lib'],
    ['freqtrade', found.freqtrade, 'freqtrade'],
  ] as const)
    say(`${title.padEnd(10)} ${version ?? `missing: ${program} -m pip install ${install}`}`);
  for (const line of remarks(found)) say(line);
  return canRun(found) ? 0 : 1;
}

function remarks(found: PythonVersions): string[] {
  if (!isNewEnough(found.python)) return ['Strategies in Python need Python 3.10 or later.'];
  if (found.pandas === null)
    return ['Without pandas no strategy in Python runs. `flotilla python set-up` makes a Python that has all of it.'];
  if (found.freqtrade === null)
    return [
      'Strategies that import freqtrade do not run here; those that need pandas only do. `flotilla python set-up` makes a Python for both.',
    ];
  const differs =
    found.freqtrade === comparedWith
      ? ''
      : ` Trades were compared with freqtrade ${comparedWith}; with ${found.freqtrade} they may differ.`;
  const talib = found.talib === null ? ' Those that import talib do not.' : '';
  return [`Strategies in Python run here.${talib}${differs}`];
}

function canRun({ python: version, pandas }: PythonVersions): boolean {
  return isNewEnough(version) && pandas !== null;
}

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 3 || (major === 3 && minor >= 10);
}

async function setUpPython(
  given: string | null,
  environment: PythonEnvironment & { all: Readonly<Record<string, string | undefined>> },
  say: Say,
): Promise<number> {
  const { home } = environment;
  if (home === null) throw new CommandError('There is no instance folder: set FLOTILLA_HOME.');
  const folder = ownPythonFolder(home);
  if (existsSync(folder))
    throw new CommandError(`${folder} is there already; remove it to make another, or see what it has: flotilla python check.`);
  const base = findPython({ ...environment, home: null, given });
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const own = join(folder, 'bin', 'python');
  const steps: [string, string, string[]][] = [
    [`Making ${folder} of ${base} ...`, base, ['-m', 'venv', folder]],
    [`Installing ${packages.join(', ')} ...`, own, ['-m', 'pip', 'install', '--disable-pip-version-check', '--quiet', ...packages]],
  ];
  for (const [line, program, args] of steps) {
    say(line);
    const { code, last } = await run(program, args, environment.all);
    if (code === 0) continue;
    rmSync(folder, { recursive: true, force: true }); // half of it would be taken for all of it
    say(`That failed, and ${folder} was removed again: ${last}`);
    return 1;
  }
  return await sayVersions(own, say);
}

/** Runs a program to its end: its exit code, and the last line it has complained with. */
async function run(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<{ code: number | null; last: string }> {
  const child = spawn(program, args, { env: { ...env }, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = `${said}${text}`.slice(-4_000)));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve).once('error', () => resolve(null)));
  return { code, last: said.trim().split('\n').at(-1) ?? '' };
}
