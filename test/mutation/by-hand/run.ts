// npm run torture mutants [MUTANT...]: makes each change of the list in a copy of the sources, and says which of them no test notices.
import { spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { testPython } from '#strategy-process/python/testing/test-python.ts';
import type { Mutant } from './mutant.ts';
import { mutants } from './mutants.ts';

const root = join(import.meta.dirname, '../../..');
const names = process.argv.slice(2);
const unknown = names.find((name) => !mutants.some((mutant) => mutant.name === name));
if (unknown !== undefined) throw new Error(`There is no mutant "${unknown}"`);
const wanted = mutants.filter(({ name }) => names.length === 0 || names.includes(name));
const chosen = wanted.filter(({ needsPython }) => testPython !== null || needsPython === undefined);
if (chosen.length < wanted.length)
  process.stdout.write(`left out: ${wanted.length - chosen.length} that need a Python with pandas; FLOTILLA_PYTHON can name one\n`);

/** Tests of one mutant that take longer than this hang, and have noticed something. */
const longestOfMutantMs = 5 * 60_000;

const running = new Set<() => void>();
process.on('exit', () => running.forEach((end) => end()));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

// A run that is killed leaves its changes in its copies.
const folder = mkdtempSync(join(tmpdir(), 'flotilla-mutants-'));
chmodSync(folder, 0o755); // some tests run its programs as another user
const survivors: string[] = [];
try {
  // One test file after the other keeps one core busy.
  const copies = Array.from({ length: Math.min(availableParallelism(), chosen.length) }, (_, number) => copied(String(number)));
  const [first] = copies;
  if (first === undefined) throw new Error('There is nothing to try.');
  const unsound = await failingUnchanged(first);
  const waiting = chosen.values();
  await Promise.all(
    copies.map(async (copy) => {
      for (const mutant of waiting) await report(copy, mutant, unsound); // each copy takes the next that none has taken
    }),
  );
  process.stdout.write(`mutants: ${chosen.length - survivors.length} of ${chosen.length} caught, in ${seconds(0)} s\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (survivors.length > 0) process.exitCode = 1;

/** A copy of the sources and tests; gives where it is. */
function copied(name: string): string {
  const copy = join(folder, name);
  for (const each of ['src', 'strategies', 'scripts', 'test', 'package.json', 'vitest.config.ts', 'tsconfig.base.json'])
    cpSync(join(root, each), join(copy, each), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** The test files that fail on the sources as they are, twice. */
async function failingUnchanged(copy: string): Promise<Set<string>> {
  const failing = new Set<string>();
  for (const project of new Set(chosen.map((mutant) => mutant.project))) {
    const watched = chosen.filter((mutant) => mutant.project === project);
    const files = [...new Set(watched.flatMap((mutant) => mutant.tests))];
    const { isGood, printed } = await tests(copy, { project, tests: files });
    if (isGood) continue;
    // Those that it names; all of them where it names none.
    const named = files.filter((file) => printed.includes(`FAIL  |${project}| ${file} `));
    for (const file of named.length === 0 ? files : named) if (!(await passes(copy, { project, tests: [file] }))) failing.add(file);
  }
  process.stdout.write(`the tests without any mutant: ${seconds(0)} s\n`);
  return failing;
}

/** Tries a mutant and says what became of it. */
async function report(copy: string, mutant: Mutant, unsound: Set<string>): Promise<void> {
  const since = performance.now();
  // A test that fails without a mutant would seem to catch every one.
  const isTried = !mutant.tests.some((file) => unsound.has(file));
  const result = !isTried ? 'UNTRIED ' : (await catches(copy, mutant)) ? 'caught  ' : 'SURVIVED';
  process.stdout.write(`${result} ${mutant.name} (${seconds(since)} s)${result === 'caught  ' ? '' : `: ${mutant.harm}`}\n`);
  if (result !== 'caught  ') survivors.push(mutant.name);
}

/** Whether the tests of a mutant fail with it. */
async function catches(copy: string, { name, file, find, replace, ...watch }: Mutant): Promise<boolean> {
  const path = join(copy, file);
  const source = readFileSync(path, 'utf8');
  if (source.split(find).length !== 2) throw new Error(`${name}: its text is not once in ${file}`);
  writeFileSync(
    path,
    source.replace(find, () => replace),
  );
  try {
    return !(await passes(copy, { ...watch, mostFailures: 1 }));
  } finally {
    writeFileSync(path, source);
  }
}

type Watched = Pick<Mutant, 'project' | 'tests' | 'only'> & { mostFailures?: number };

async function passes(copy: string, watched: Watched): Promise<boolean> {
  return (await tests(copy, watched)).isGood;
}

/** Runs the tests that watch; gives whether they pass, and what was printed. */
async function tests(copy: string, { project, tests: files, only, mostFailures }: Watched): Promise<Run> {
  const { TORTURE_SIZE: _size, TORTURE_SEED: _seed, FORCE_COLOR: _color, ...given } = process.env;
  const environment = { ...given, TEST_PATIENCE_MS: '15000', NO_COLOR: '1' };
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--project', project];
  if (only !== undefined) args.push('--testNamePattern', only);
  if (mostFailures !== undefined) args.push('--bail', String(mostFailures));
  // Tried twice, so that chance on a busy machine catches no mutant.
  const { isGood, printed } = await run([...args, '--retry', '1', ...files], {
    cwd: copy,
    env: environment,
    longestMs: mostFailures === undefined ? 12 * longestOfMutantMs : longestOfMutantMs,
  });
  // Nothing to run is not a pass, and a file that cannot be read at all proves nothing of its tests.
  if (/No test files found|Transform failed/u.test(printed)) throw new Error(printed);
  return { isGood, printed };
}

interface Run {
  isGood: boolean; // it ended well
  printed: string;
}

/** Runs Node, for so long at most. */
function run(args: readonly string[], { longestMs, ...where }: { cwd: string; env: NodeJS.ProcessEnv; longestMs: number }): Promise<Run> {
  return new Promise((done) => {
    // A group of its own: a worker in a loop without an end outlives who started it.
    const child = spawn(process.execPath, args, { ...where, detached: true });
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (printed += text));
    const end = (): void => void (child.pid === undefined ? child.kill() : process.kill(-child.pid, 'SIGKILL'));
    running.add(end);
    const timer = setTimeout(end, longestMs);
    child.on('close', (code) => {
      clearTimeout(timer);
      running.delete(end);
      done({ isGood: code === 0, printed });
    });
  });
}

/** How many seconds have passed since a time of this process. */
function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(0);
}
