// npm run check: everything that needs no browser: types, lint, format, dead code, and the tests in Node.
import { ensureInstalled, runNode, say } from './set-up.mjs';

/** @type {[string, string[]][]} */
const checks = [
  ['types', ['node_modules/typescript/bin/tsc', '-b']],
  ['types of tests', ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.test.json']],
  ['lint', ['node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings']],
  ['format', ['node_modules/oxfmt/bin/oxfmt', '--check']],
  ['dead code', ['node_modules/knip/bin/knip.js']],
  ['code that only tests call', ['node_modules/knip/bin/knip.js', '--production']],
  ['tests in Node', ['node_modules/vitest/vitest.mjs', 'run', '--project', 'unit', '--project', 'wire', '--project', 'storage']],
];

ensureInstalled();
for (const [name, args] of checks) {
  say(`\n== ${name}`);
  runNode(args);
}
