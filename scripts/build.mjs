// npm run build: the page, bundled, with compressed copies of its files beside them.
import { ensureInstalled, runNode } from './set-up.mjs';

ensureInstalled();
runNode(['node_modules/vite/bin/vite.js', 'build', '--logLevel', 'warn']);
