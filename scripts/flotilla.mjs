#!/usr/bin/env node
// The command line: npm run -s flotilla -- COMMAND ...
import { runProduct } from './run-product.mjs';
import { ensureBuilt, ensureInstalled } from './set-up.mjs';

// npm runs scripts in the clone; names of files mean those of the folder the person stands in.
const folder = process.env.INIT_CWD ?? process.cwd();
ensureInstalled(folder);
if (process.argv[2] === 'serve') ensureBuilt(folder);
runProduct(process.argv.slice(2), folder); // also what lasts a moment: after Ctrl-C it may have to tidy, and this process waits for it
