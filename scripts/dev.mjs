// npm run dev: the product with pages that reload as they are edited. The product answers at its own address, the
// pages at Vite's, which hands calls on.
import { spawn } from 'node:child_process';
import { ensureBuilt, ensureInstalled, productEnvironment, productNode, root } from './set-up.mjs';

ensureInstalled();
ensureBuilt();
const options = { cwd: root, env: productEnvironment() };
const product = spawn(productNode(), ['--watch-path=src/server', '--watch-path=src/runner', 'src/main.ts', 'serve'], {
  ...options,
  stdio: 'inherit',
});
const pages = spawn(productNode(), ['node_modules/vite/bin/vite.js'], { ...options, stdio: 'inherit' });
const end = () => {
  product.kill('SIGTERM');
  pages.kill('SIGTERM');
};
process.on('SIGINT', end);
process.on('SIGTERM', end);
