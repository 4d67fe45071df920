#!/usr/bin/env node
// The command line: npm run -s flotilla -- COMMAND ...
import { join } from 'node:path';
import { runProduct } from './run-product.mjs';
import { ensureBuilt, ensureInstalled, root, runNode } from './set-up.mjs';

ensureInstalled();
// npm runs scripts in the clone; names of files mean those of the folder the person stands in.
const folder = process.env.INIT_CWD ?? process.cwd();
if (process.argv[2] === 'serve') {
  ensureBuilt();
  runProduct(process.argv.slice(2), folder);
} else if (process.argv[2] === 'hyperopt') {
  runProduct(process.argv.slice(2), folder); // Ctrl-C ends a search cleanly, and this process waits for it
} else runNode([join(root, 'src', 'main.ts'), ...process.argv.slice(2)], {}, folder);
