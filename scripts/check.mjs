// npm run check: everything that needs no browser: types, lint, format, dead code, and the tests in Node.
import { inNode, readings } from './checks.mjs';
import { ensureBuilt, ensureInstalled, folderInMemory, runRows } from './set-up.mjs';

ensureInstalled();
ensureBuilt(); // web processes of the tests serve the page
await runRows(readings);
await runRows([inNode(folderInMemory())]);
