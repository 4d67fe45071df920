#!/usr/bin/env node
// The command line: npm run -s flotilla -- COMMAND ...
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, root, runNode } from './set-up.mjs';

ensureInstalled();
if (process.argv[2] === 'serve') ensureBuilt();
// npm runs scripts in the clone; names of files mean those of the folder the person stands in.
runNode([join(root, 'src', 'main.ts'), ...process.argv.slice(2)], {}, process.env.INIT_CWD ?? process.cwd());
