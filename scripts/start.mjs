// npm start: set up what is missing, then run the product until it is stopped.
import { spawn } from 'node:child_process';
import { ensureBuilt, ensureInstalled, productEnvironment, productNode, root } from './set-up.mjs';

ensureInstalled();
ensureBuilt();

// The product notices by the channel when this process is gone, however it ended.
const child = spawn(productNode(), ['src/main.ts', 'serve', ...process.argv.slice(2)], {
  cwd: root,
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  env: productEnvironment(),
});
// Ctrl-C reaches the product by itself; it stops cleanly, and this process waits for it.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => child.kill('SIGTERM'));
process.on('SIGHUP', () => child.kill('SIGTERM'));
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)));
