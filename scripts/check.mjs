// npm run check: everything that needs no browser: types, lint, format, dead code, and the tests in Node.
import { ensureBuilt, ensureInstalled, runRows } from './set-up.mjs';

const projects = ['unit', 'wire', 'storage', 'fresh'].flatMap((name) => ['--project', name]);

ensureInstalled();
ensureBuilt(); // web processes of the tests serve the page
await runRows([
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
]);
// Not beside the checks: tests of races and leases need the processors for themselves.
await runRows([[['tests in Node', ['node_modules/vitest/vitest.mjs', 'run', ...projects], { isShown: true }]]]);
