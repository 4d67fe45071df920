import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, read, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Command } from '../child-command.ts';
import { StrategyError } from '../strategy-error.ts';
import { processFolder } from './process-folder.ts';

/** How a process has ended. */
export interface HowEnded {
  code: number | null;
  signal: string | null;
}

/** A process that leads a group of its own and can be waited for: what is read and written here waits, without an event loop. */
export interface StartedProcess {
  pid: number;
  questions: number; // the descriptor that they are written to
  answers: number;
  ended: Promise<HowEnded>;
  tidy: () => void; // closes the descriptors, and removes what it had; once it is gone
}

/** The named pipes of a folder: what is asked goes through one, what is answered through the other. */
interface Pipes {
  asks: string;
  says: string;
}

/** Makes the two named pipes of a process, for nobody else. Fails: StrategyError */
export function makePipes(folder: string): Pipes {
  const [asks, says] = ['asks', 'says'].map((name) => join(folder, name)) as [string, string];
  if (spawnSync('mkfifo', ['-m', '600', asks, says]).status !== 0)
    throw new StrategyError('Strategies in Python need named pipes (mkfifo), which this system does not have.');
  return { asks, says };
}

/** Our ends of two pipes, and both ends of each for the meantime: a pipe opened for one way waits for its other end, one opened for both does not. */
function openPipes({ asks, says }: Pipes): { questions: number; answers: number; both: [number, number] } {
  const both = [asks, says].map((path) => openSync(path, constants.O_RDWR)) as [number, number];
  return { both, questions: openSync(asks, constants.O_WRONLY), answers: openSync(says, constants.O_RDONLY) };
}

/** Starts a program of its own. Fails: StrategyError when that is not possible */
export function startWaited({ file, args, environment }: Command): StartedProcess {
  const folder = processFolder(); // its own, empty but for the pipes; it goes with the process
  const removed = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const pipes = makePipes(folder);
    const { both, questions, answers } = openPipes(pipes);
    const theirs = [openSync(pipes.asks, constants.O_RDONLY), openSync(pipes.says, constants.O_WRONLY)] as const;
    const child: ChildProcess = spawn(file, args, {
      env: { ...environment, HOME: folder },
      cwd: folder,
      stdio: ['ignore', 'ignore', 'ignore', ...theirs],
      detached: true, // it leads a group, which is ended as one
    });
    // From here on the only other ends are the child's: when it is gone, reading ends and writing fails.
    for (const descriptor of [...both, ...theirs]) closeSync(descriptor);
    for (const path of Object.values(pipes)) rmSync(path);
    const { promise: ended, resolve } = Promise.withResolvers<HowEnded>();
    child.on('error', () => resolve({ code: null, signal: null }));
    child.on('exit', (code, signal) => resolve({ code, signal }));
    const tidy = (): void => {
      for (const descriptor of [questions, answers]) closeSync(descriptor);
      removed();
    };
    if (child.pid === undefined) {
      tidy();
      throw new StrategyError(`${file} cannot be started.`);
    }
    return { pid: child.pid, questions, answers, ended, tidy };
  } catch (error) {
    removed();
    throw error;
  }
}

/** A copy of a warm parent: it has been made, and connects with the pipes of its folder. */
export interface MadeCopy {
  pid: number;
  folder: string;
}

/**
 * Connects with a copy of a warm parent, whose folder is somebody else's to remove.
 *
 * Fails: StrategyError when it has ended before it was there
 */
export async function connectCopy({ pid, folder }: MadeCopy, ended: Promise<HowEnded>): Promise<StartedProcess> {
  const pipes = { asks: join(folder, 'asks'), says: join(folder, 'says') };
  const { both, questions, answers } = openPipes(pipes);
  const tidy = (): void => [questions, answers].forEach((descriptor) => closeSync(descriptor));
  // It says with one byte that it has opened its ends. If it ends before, the byte is ours: nobody waits for ever.
  let state: 'awaited' | 'there' | 'gone' = 'awaited';
  const answerInItsPlace = async (): Promise<void> => {
    await ended;
    if (state !== 'awaited') return;
    state = 'gone';
    writeSync(both[1], Buffer.alloc(1));
  };
  void answerInItsPlace();
  await promisify(read)(answers, Buffer.alloc(1), 0, 1, null);
  const isThere = state === 'awaited';
  state = isThere ? 'there' : 'gone';
  for (const descriptor of both) closeSync(descriptor);
  if (isThere) return { pid, questions, answers, ended, tidy };
  tidy();
  throw new StrategyError('The strategy’s process has ended before it began.');
}
