// What `npm run check` and `npm test` run, as rows of programs: those of a row run one after the other, rows beside each other.
const tests = (name, options) => [name, ['node_modules/vitest/vitest.mjs', 'run', ...options]];
const projects = ['unit', 'wire', 'storage', 'fresh'].flatMap((name) => ['--project', name]);

/** Types, lint, format and dead code. */
export const readings = [
  // The types of tests need those of the sources.
  [
    ['types', ['node_modules/typescript/bin/tsc', '-b']],
    ['types of tests', ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.test.json']],
  ],
  [
    ['format', ['node_modules/oxfmt/bin/oxfmt', '--check']],
    ['dead code', ['node_modules/knip/bin/knip.js']],
    ['code that only tests call', ['node_modules/knip/bin/knip.js', '--production']],
    ['lint', ['node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings']],
  ],
];

/** The tests that need no browser, with a folder for their temporary files. What users start is tested with its files on the disk. */
export const inNode = (folder) => [[...tests('tests in Node', projects), { isShown: true, folder }]];

/** The tests that do. Their output comes when they have ended, because they run beside those in Node. */
export const inBrowser = [
  ['the product, as its users see it', ['node_modules/@playwright/test/cli.js', 'test']],
  tests('tests in the browser', ['--project', 'browser']),
];
