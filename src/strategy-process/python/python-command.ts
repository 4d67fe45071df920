import { join } from 'node:path';
import type { Command, Walls } from '../child-command.ts';
import { withoutNetwork } from '../child-command.ts';

/** How much memory a strategy in Python may have in a backtest, in MB: pandas and a year of minutes of some pairs fit. */
export const backtestMemoryMb = 6_000;

/** The command that starts a Python process for strategies. It has nothing of the environment: no secret, no address of a database. */
export function pythonCommand(python: string, walls: Walls): Command {
  return command(python, walls, 'main.py');
}

/** The command that starts a warm parent, which makes such processes by copying itself (`WarmParent`). */
export function parentCommand(python: string, walls: Walls): Command {
  return command(python, walls, 'parent.py');
}

function command(python: string, walls: Walls, program: string): Command {
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
    MEMORY_MB: String(backtestMemoryMb),
  };
  const plain = { file: python, args: [join(import.meta.dirname, 'shim', program)], environment };
  return walls.network ? withoutNetwork(plain) : plain;
}
