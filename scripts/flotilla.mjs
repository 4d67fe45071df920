#!/usr/bin/env node
// The command line: npm run -s flotilla -- COMMAND ...
import { ensureBuilt, ensureInstalled, runNode } from './set-up.mjs';

ensureInstalled();
if (process.argv[2] === 'serve') ensureBuilt();
runNode(['src/main.ts', ...process.argv.slice(2)]);
