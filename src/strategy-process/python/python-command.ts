import { join } from 'node:path';
import type { Walls } from '../child-command.ts';
import type { WaitingCommand } from './waiting-process.ts';

/** How much memory a strategy in Python may have, in MB: pandas and a year of minutes of some pairs fit. */
const memoryMb = 6_000;

/** The command that starts a Python process for strategies. It has nothing of the environment: no secret, no address of a database. */
export function pythonCommand(python: string, walls: Walls): WaitingCommand {
  const program = join(import.meta.dirname, 'shim', 'main.py');
  const environment = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    PYTHONHASHSEED: '0', // sets have the same sequence in each run
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONNOUSERSITE: '1',
    OMP_NUM_THREADS: '1',
    OPENBLAS_NUM_THREADS: '1',
    MPLBACKEND: 'Agg',
    MEMORY_MB: String(memoryMb),
  };
  return walls.network
    ? { file: 'unshare', args: ['--map-root-user', '--net', python, program], environment }
    : { file: python, args: [program], environment };
}
