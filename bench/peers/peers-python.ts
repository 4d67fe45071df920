import { spawnSync } from 'node:child_process';

/** The Python that other products run in, for benchmarks beside them. */
export const peersPython = process.env['PEERS_PYTHON'] ?? 'python3';

/** Whether it has a library. */
export function canImport(library: string): boolean {
  return spawnSync(peersPython, ['-c', `import ${library}`], { stdio: 'ignore' }).status === 0;
}
