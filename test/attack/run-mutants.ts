// npm run torture mutants [MUTANT...]: takes each protection of accounts away, in a copy of the sources, and says which
// of these changes no test notices.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Mutant } from './mutants.ts';
import { mutants } from './mutants.ts';

const root = join(import.meta.dirname, '../..');
const names = process.argv.slice(2);
const unknown = names.find((name) => !mutants.some((mutant) => mutant.name === name));
if (unknown !== undefined) throw new Error(`There is no mutant "${unknown}"`);

const copy = mkdtempSync(join(tmpdir(), 'flotilla-mutants-'));
const survivors: string[] = [];
const sound = new Map<string, boolean>();
try {
  for (const name of ['src', 'strategies', 'test', 'package.json', 'vitest.config.ts', 'tsconfig.base.json'])
    cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  const chosen = mutants.filter(({ name }) => names.length === 0 || names.includes(name));
  for (const mutant of chosen) {
    // A test that fails without a mutant would seem to catch every one.
    const result = !isSound(mutant.tests) ? 'UNTRIED ' : catches(mutant) ? 'caught  ' : 'SURVIVED';
    process.stdout.write(`${result} ${mutant.name}\n`);
    if (result !== 'caught  ') survivors.push(mutant.name);
  }
  process.stdout.write(`mutants: ${chosen.length - survivors.length} of ${chosen.length} caught\n`);
} finally {
  rmSync(copy, { recursive: true, force: true });
}
if (survivors.length > 0) process.exitCode = 1;

/** Whether tests pass on the sources as they are. */
function isSound(tests: readonly string[]): boolean {
  const key = tests.join(' ');
  const known = sound.get(key) ?? (passes(tests) || passes(tests));
  sound.set(key, known);
  return known;
}

/** Whether the tests of a mutant fail with it. */
function catches({ name, file, find, replace, tests }: Mutant): boolean {
  const path = join(copy, file);
  const source = readFileSync(path, 'utf8');
  if (source.split(find).length !== 2) throw new Error(`${name}: its text is not once in ${file}`);
  writeFileSync(
    path,
    source.replace(find, () => replace),
  );
  try {
    return !passes(tests);
  } finally {
    writeFileSync(path, source);
  }
}

function passes(tests: readonly string[]): boolean {
  const { TORTURE_SIZE: _size, TORTURE_SEED: _seed, ...environment } = process.env;
  // Tried twice, so that chance on a busy machine catches no mutant.
  const args = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--project',
    'storage',
    '--project',
    'fresh',
    '--bail',
    '1',
    '--retry',
    '1',
    ...tests,
  ];
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: copy, env: environment, encoding: 'utf8' });
  // Nothing to run is not a pass, and a file that cannot be read at all proves nothing of its tests.
  if (/No test files found|Transform failed|SyntaxError/u.test(stdout)) throw new Error(stdout);
  return status === 0;
}
