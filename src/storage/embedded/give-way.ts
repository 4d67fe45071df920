import { constants, setPriority } from 'node:os';
import type { Client } from 'pg';

/**
 * Lets the server process behind a connection give way to all others, where it runs on this machine: who trades must not wait for
 * who makes backups. A server whose processes are not ours keeps its own priorities.
 */
export async function giveWay(client: Client): Promise<void> {
  await client.query('set max_parallel_workers_per_gather = 0; set max_parallel_maintenance_workers = 0'); // those would not give way
  if (!client.host.startsWith('/')) return; // not a socket of this machine: the pid means nothing here
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  try {
    setPriority(rows[0]?.pid ?? 0, constants.priority.PRIORITY_LOW);
  } catch {
    // Another user's process, and not ours to slow down: the work is done at its priority.
  }
}
