// npm run torture mutants [MUTANT...]: makes each change of the list in a copy of the sources, and says which of them no test notices.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Mutant } from './mutant.ts';
import { mutants } from './mutants.ts';

const root = join(import.meta.dirname, '../../..');
const names = process.argv.slice(2);
const unknown = names.find((name) => !mutants.some((mutant) => mutant.name === name));
if (unknown !== undefined) throw new Error(`There is no mutant "${unknown}"`);
const chosen = mutants.filter(({ name }) => names.length === 0 || names.includes(name));

/** What takes longer than this hangs, and has noticed something. */
const longestMs = 15 * 60_000;

// A run that is killed leaves its changes in the copy.
const copy = mkdtempSync(join(tmpdir(), 'flotilla-mutants-'));
const survivors: string[] = [];
try {
  for (const name of ['src', 'strategies', 'test', 'package.json', 'vitest.config.ts', 'tsconfig.base.json'])
    cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  const unsound = failingUnchanged();
  for (const mutant of chosen) {
    const since = performance.now();
    // A test that fails without a mutant would seem to catch every one.
    const result = mutant.tests.some((file) => unsound.has(file)) ? 'UNTRIED ' : catches(mutant) ? 'caught  ' : 'SURVIVED';
    process.stdout.write(`${result} ${mutant.name} (${seconds(since)} s)${result === 'caught  ' ? '' : `: ${mutant.harm}`}\n`);
    if (result !== 'caught  ') survivors.push(mutant.name);
  }
  process.stdout.write(`mutants: ${chosen.length - survivors.length} of ${chosen.length} caught, in ${seconds(0)} s\n`);
} finally {
  rmSync(copy, { recursive: true, force: true });
}
if (survivors.length > 0) process.exitCode = 1;

/** The test files that fail on the sources as they are, twice. */
function failingUnchanged(): Set<string> {
  const failing = new Set<string>();
  for (const [project, watched] of Map.groupBy(chosen, (mutant) => mutant.project)) {
    const files = [...new Set(watched.flatMap(({ tests }) => tests))];
    if (passes({ project, tests: files })) continue;
    for (const file of files) if (!passes({ project, tests: [file] })) failing.add(file);
  }
  process.stdout.write(`the tests without any mutant: ${seconds(0)} s\n`);
  return failing;
}

/** Whether the tests of a mutant fail with it. */
function catches({ name, file, find, replace, ...watch }: Mutant): boolean {
  const path = join(copy, file);
  const source = readFileSync(path, 'utf8');
  if (source.split(find).length !== 2) throw new Error(`${name}: its text is not once in ${file}`);
  writeFileSync(
    path,
    source.replace(find, () => replace),
  );
  try {
    return !passes({ ...watch, mostFailures: 1 });
  } finally {
    writeFileSync(path, source);
  }
}

function passes({ project, tests, only, mostFailures }: Pick<Mutant, 'project' | 'tests' | 'only'> & { mostFailures?: number }): boolean {
  const { TORTURE_SIZE: _size, TORTURE_SEED: _seed, ...given } = process.env;
  const environment = { ...given, TEST_PATIENCE_MS: '15000' };
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--project', project];
  if (only !== undefined) args.push('--testNamePattern', only);
  if (mostFailures !== undefined) args.push('--bail', String(mostFailures));
  // Tried twice, so that chance on a busy machine catches no mutant.
  const { status, stdout } = spawnSync(process.execPath, [...args, '--retry', '1', ...tests], {
    cwd: copy,
    env: environment,
    encoding: 'utf8',
    timeout: longestMs,
    killSignal: 'SIGKILL',
  });
  // Nothing to run is not a pass, and a file that cannot be read at all proves nothing of its tests.
  if (/No test files found|Transform failed|SyntaxError/u.test(stdout)) throw new Error(stdout);
  return status === 0;
}

/** How many seconds have passed since a time of this process. */
function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(0);
}
