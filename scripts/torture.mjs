// npm run torture [HOW MANY] [FIRST SEED]: backtests of random settings and callbacks, and the promises none may break.
import { ensureInstalled, runNode } from './set-up.mjs';

const [size = '2000', seed = '1'] = process.argv.slice(2);
ensureInstalled();
process.env.TORTURE_SIZE = size;
process.env.TORTURE_SEED = seed;
runNode(['node_modules/vitest/vitest.mjs', 'run', '--project', 'torture']);
