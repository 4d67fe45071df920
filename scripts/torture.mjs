// npm run torture [NAME [SIZE [SEED]]], npm run torture mutants [MUTANT...]: the suites that need a night; one of them, or all. What each does is said in CONTRIBUTING.md.
import { ensureBuilt, ensureInstalled, fail, productEnvironment, productNode, root, say } from './set-up.mjs';
import { spawnSync } from 'node:child_process';

/** The suites, with their size of a night. @type {Record<string, { project?: string, file?: string, script?: string, words?: string[], size: number }>} */
const suites = {
  backtests: { project: 'torture', file: 'test/torture/backtests', size: 100_000 },
  freqtrade: { project: 'torture', file: 'test/torture/freqtrade/', size: 1 },
  files: { script: 'test/torture/freqtrade/count-files.ts', size: 1 },
  fuzz: { project: 'attack', file: 'test/attack/fuzz.', size: 1_000_000 },
  bytes: { project: 'attack', file: 'test/attack/raw-bytes.', size: 100_000 },
  access: { project: 'attack', file: 'test/attack/access', size: 1 },
  fields: { project: 'attack', file: 'test/attack/fields.', size: 1_000_000 },
  bypasses: { project: 'attack', file: 'test/attack/bypasses.', size: 20 },
  guesses: { project: 'attack', file: 'test/attack/guesses.', size: 100_000 },
  refreshes: { project: 'attack', file: 'test/attack/refreshes.', size: 500 },
  timing: { project: 'attack', file: 'test/attack/timing.', size: 500 },
  model: { project: 'attack', file: 'test/attack/model.', size: 2_000 },
  crowd: { project: 'attack', file: 'test/attack/crowd.', size: 2_000 },
  kills: { project: 'storage', file: 'src/runner/kill.test', size: 500 },
  stops: { project: 'storage', file: 'src/runner/bots/stop-all.test', size: 1_000 },
  runners: { project: 'storage', file: 'src/runner/several-runners.test', size: 50 },
  crashes: { project: 'storage', file: 'src/runner/orders/simulated-crashes', size: 5_000_000 },
  drills: { project: 'storage', file: 'src/runner/drill/run-drill', size: 1_000 },
  live: { project: 'storage', file: 'src/runner/orders/live-kills', size: 500 },
  memos: { project: 'unit', file: 'src/engine/strategy/callback-memo', size: 10_000 },
  strategies: { project: 'storage', file: 'src/runner/strategies-gone-bad', size: 200 },
  backups: { project: 'storage', file: 'src/storage/backup/lived-in', size: 50_000 },
  restores: { project: 'storage', file: 'src/server/differences/live-restore', size: 50 },
  starts: { project: 'storage', file: 'src/storage/embedded/kills', size: 200 },
  books: { project: 'wire', file: 'src/sandbox/kills', size: 300 },
  accounts: { project: 'wire', file: 'src/sandbox/account-promises', size: 2_000 },
  intents: { project: 'wire', file: 'src/exchange/trading/intents', size: 10_000 },
  screens: { script: 'node_modules/@playwright/test/cli.js', words: ['test', 'accessibility', 'csp'], size: 1 },
  flood: { script: 'test/attack/flood.ts', size: 180 },
  mutants: { script: 'test/mutation/by-hand/run.ts', size: 1 },
};

const [name, size, seed = String(Math.floor(Date.now() / 1000))] = process.argv.slice(2);
ensureInstalled();
if (name !== undefined && !Object.hasOwn(suites, name)) fail(`There is no suite "${name}". The suites: ${Object.keys(suites).join(', ')}.`);
const wanted = name === undefined ? Object.keys(suites) : [name];
if (wanted.includes('flood') || wanted.includes('screens')) ensureBuilt();
const failed = wanted.filter((suite) => !passes(suite));
if (failed.length > 0) fail(`Failed: ${failed.join(', ')}`);

/** Runs a suite to its end, and says whether it passed. */
function passes(suite) {
  const { project, file, script, words, size: ofNight } = suites[suite];
  say(script === undefined ? `\n== ${suite}, size ${size ?? ofNight}, seed ${seed}` : `\n== ${suite}`);
  const environment = { ...productEnvironment(), TORTURE_SIZE: size ?? String(ofNight), TORTURE_SEED: seed };
  const args =
    script === undefined
      ? ['node_modules/vitest/vitest.mjs', 'run', '--project', project, file]
      : [script, ...(words ?? process.argv.slice(3))];
  return spawnSync(productNode(), args, { cwd: root, stdio: 'inherit', env: environment }).status === 0;
}
