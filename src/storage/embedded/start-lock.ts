import { createHash } from 'node:crypto';
import type { Server } from 'node:net';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Does the work while no other program of this machine does the same work for the same folder.
 *
 * The lock is a name in Linux's abstract socket space: nothing of it lies on the disk, and it ends with the process
 * however that ends. Elsewhere there is no such lock, and PostgreSQL's own lock file decides alone.
 *
 * Fails: with one sentence when another start lasts longer than two minutes
 */
export async function oneStarter<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const name = `\0flotilla-start-${createHash('sha256').update(folder).digest('hex').slice(0, 32)}`;
  let lock: Server | null = null;
  for (const start = Date.now(); lock === null && process.platform === 'linux'; await sleep(50)) {
    const taken = await take(name);
    if (taken === 'impossible') break;
    if (taken !== 'busy') lock = taken;
    else if (Date.now() - start > 120_000) throw new Error(`Another start of the embedded database in ${folder} does not end.`);
  }
  try {
    return await work();
  } finally {
    lock?.close();
  }
}

async function take(name: string): Promise<Server | 'busy' | 'impossible'> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'EADDRINUSE' ? 'busy' : 'impossible'));
    server.listen(name, () => resolve(server));
  });
}
