import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { groups } from './groups.ts';
import { type MutationReport, readReport, scoresByFolder, survivors, withLater } from './report.ts';

/**
 * Runs Stryker over groups of files, all of them without a name, and prints the share of changes that a test noticed:
 *
 *   npm run mutate [GROUP...]
 *   npm run mutate -- --survivors [GROUP...]    again, only what no test noticed the last time: after new tests
 *   MUTATE_FILES="src/engine/risk/stake.ts" npm run mutate engine     only these files of the group
 *   MUTATE_TESTS="src/engine/risk/*.test.ts" npm run mutate engine    only these tests of it: faster, and a lower share
 *
 * What a group knows is kept in `.build/mutation/GROUP.json`.
 */
const isSurvivorsOnly = process.argv.includes('--survivors');
const names = process.argv.slice(2).filter((argument) => argument !== '--survivors');
const unknown = names.find((name) => !Object.hasOwn(groups, name));
if (unknown !== undefined) {
  console.error(`There is no group "${unknown}". The groups: ${Object.keys(groups).join(', ')}.`);
  process.exit(2);
}

const kept = (name: string): string => `.build/mutation/${name}.json`;

/** Runs Stryker over files or places of a group. `undefined` means what the group says. */
function mutate(name: string, files: string | undefined, tests: string | undefined): MutationReport {
  const { status } = spawnSync(
    process.execPath,
    ['node_modules/@stryker-mutator/core/bin/stryker.js', 'run', 'test/mutation/stryker.config.mjs'],
    {
      stdio: 'inherit',
      env: { ...process.env, MUTATE: name, ...(files && { MUTATE_FILES: files }), ...(tests && { MUTATE_TESTS: tests }) },
    },
  );
  if (status !== 0) process.exit(status ?? 1);
  return readReport(`.build/mutation/${name}.last.json`);
}

/** What is known of a group, if anything is. */
function known(name: string): MutationReport {
  try {
    return readReport(kept(name));
  } catch {
    return { files: {} };
  }
}

function keep(name: string, report: MutationReport): MutationReport {
  writeFileSync(kept(name), JSON.stringify(report));
  return report;
}

const scores: string[] = [];
for (const name of names.length === 0 ? Object.keys(groups) : names) {
  const { MUTATE_FILES: files, MUTATE_TESTS: tests } = process.env;
  const first = groups[name]?.firstTests?.join(' ');
  let report = known(name);
  if (!isSurvivorsOnly) report = keep(name, withLater(files ? report : { files: {} }, mutate(name, files, tests ?? first), true));
  // The tests beside the code notice most of it in a fraction of the time; all tests are tried against the rest.
  if (isSurvivorsOnly || (first && !tests)) {
    const mutated = files?.split(' ');
    const places = survivors(report).filter((place) => !mutated || mutated.some((file) => place.startsWith(`${file}:`)));
    if (places.length > 0) report = keep(name, withLater(report, mutate(name, places.join(' '), tests), false));
  }
  scores.push(...scoresByFolder(report));
}
console.log(`\nChanges that a test noticed:\n${scores.join('\n')}`);
