// npm run mutate [GROUP...]: changes the code in small ways and says which changes no test notices. Hours for all groups.
import { ensureInstalled, runNode } from './set-up.mjs';

ensureInstalled();
runNode(['test/mutation/run.ts', ...process.argv.slice(2)]);
