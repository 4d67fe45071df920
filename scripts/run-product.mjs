// Runs the product as long as this process is wanted.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { productEnvironment, productNode, root } from './set-up.mjs';

/** Who has started this process; npm, where it was a script of npm's that is run in the shell's place (`exec`). */
const parent = process.ppid;
const isOfNpm = process.env.npm_lifecycle_event !== undefined;

/**
 * Runs `flotilla` with these words to its end, and ends with its exit code.
 *
 * SIGTERM and SIGHUP end the product cleanly, also when they are sent to npm: npm ends at once and says nothing to its scripts, so
 * they see that it is gone. The product in turn sees by the channel when this process is gone, however it ended.
 */
export function runProduct(words, folder = root) {
  const isAbandoned = () => isOfNpm && process.ppid !== parent;
  if (isAbandoned()) process.exit(143); // while packages were installed
  const child = spawn(productNode(), [join(root, 'src', 'main.ts'), ...words], {
    cwd: folder,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: productEnvironment(),
  });
  const end = () => child.kill('SIGTERM');
  const watch = setInterval(() => {
    if (!isAbandoned()) return;
    clearInterval(watch);
    end();
  }, 500);
  process.on('SIGINT', () => {}); // Ctrl-C reaches the product by itself; it stops cleanly, and this process waits for it
  process.on('SIGTERM', end);
  process.on('SIGHUP', end);
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)));
}
