import { groups } from './groups.ts';

const name = process.env.MUTATE ?? 'engine';

/** Stryker's settings for the group that MUTATE names; `npm run mutate` sets it. */
export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'test/mutation/vitest.config.ts' },
  mutate: process.env.MUTATE_FILES?.split(' ') ?? [
    ...groups[name].files,
    '!src/**/*.test.ts',
    '!src/**/*.contract.ts',
    '!src/**/testing/**',
  ],
  // Texts are read by people, not by tests; what is calculated once when a file is loaded would need every test again.
  mutator: { excludedMutations: ['StringLiteral'] },
  ignoreStatic: true,
  tsconfigFile: 'none', // Node runs the sources as they are, and this TypeScript has no interface for Stryker
  ignorePatterns: ['.build'], // sandboxes of interrupted runs among it
  tempDirName: `.build/mutants-${name}`,
  concurrency: Number(process.env.MUTATE_WORKERS ?? 2),
  timeoutMS: 20_000,
  reporters: ['progress-append-only', 'clear-text', 'json'],
  jsonReporter: { fileName: `.build/mutation/${name}.last.json` },
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false, reportScoreTable: true },
  allowConsoleColors: false,
};
