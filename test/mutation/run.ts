import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { groups } from './groups.ts';

/**
 * Runs Stryker over groups of files, all of them without a name, and prints the share of changes that a test noticed:
 *
 *   npm run mutate [GROUP...]
 *   MUTATE_FILES="src/engine/risk/stake.ts" npm run mutate engine     only these files of the group
 *   MUTATE_TESTS="src/engine/risk/*.test.ts" npm run mutate engine    only these tests of it: faster, and a lower share
 */
const names = process.argv.slice(2);
const unknown = names.find((name) => !Object.hasOwn(groups, name));
if (unknown !== undefined) {
  console.error(`There is no group "${unknown}". The groups: ${Object.keys(groups).join(', ')}.`);
  process.exit(2);
}

const scores: string[] = [];
for (const name of names.length === 0 ? Object.keys(groups) : names) {
  const { status } = spawnSync(
    process.execPath,
    ['node_modules/@stryker-mutator/core/bin/stryker.js', 'run', 'test/mutation/stryker.config.mjs'],
    { stdio: 'inherit', env: { ...process.env, MUTATE: name } },
  );
  if (status !== 0) process.exit(status ?? 1);
  const { files } = JSON.parse(readFileSync(`.build/mutation/${name}.json`, 'utf8')) as {
    files: Record<string, { mutants: { status: string }[] }>;
  };
  const mutants = Object.values(files).flatMap((file) => file.mutants);
  const count = (...states: string[]): number => mutants.filter(({ status: state }) => states.includes(state)).length;
  const noticed = count('Killed', 'Timeout');
  const all = noticed + count('Survived', 'NoCoverage');
  scores.push(`${name.padEnd(12)} ${((100 * noticed) / all).toFixed(1).padStart(5)} % of ${all}`);
}
console.log(`\nChanges that a test noticed:\n${scores.join('\n')}`);
