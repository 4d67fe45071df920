import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Which walls this system can put around a strategy process besides those that Node itself has. */
export interface Walls {
  network: boolean; // no network at all
  memory: boolean; // no more memory than it may have, whatever it asks for
}

/** How much memory a strategy process may have, in MB: of the JavaScript heap, and in all. */
const heapMb = 256;
const allMb = 1_000;

const programFolder = join(import.meta.dirname, '../..');

/** What a strategy process may read of the program: what strategies are made of, and its own part. */
const readable = ['package.json', 'src/engine/', 'src/strategy-process/', 'strategies/'].map((path) => join(programFolder, path));

/** A program with its arguments, and all of the environment that it has. */
export interface Command {
  file: string;
  args: string[];
  environment: Readonly<Record<string, string>>;
}

/** No secret, no address of a database: a strategy has nothing of the product's environment. */
const environment = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', TZ: 'UTC' };

/** The command that starts a strategy process which may read one folder of strategies, or none. */
export function childCommand(node: string, walls: Walls, folder: string | null): Command {
  const wanted = [...readable, ...(folder === null ? [] : [join(folder, '/')])];
  const args = [
    '--permission',
    ...wanted.map((path) => `--allow-fs-read=${path}`),
    `--max-old-space-size=${heapMb}`,
    '--disable-warning=ExperimentalWarning',
    join(import.meta.dirname, 'child', 'main.ts'),
  ];
  const limited: Command = walls.memory
    ? { file: '/bin/sh', args: ['-c', `ulimit -d ${allMb * 1_024}; exec "$0" "$@"`, node, ...args], environment }
    : { file: node, args, environment };
  return walls.network ? withoutNetwork(limited) : limited;
}

/** The same command in a network of its own, which reaches nothing. */
export function withoutNetwork({ file, args, environment: own }: Command): Command {
  return { file: 'unshare', args: ['--map-root-user', '--net', file, ...args], environment: own };
}

let found: Walls | null = null;

/** The walls of this system; tried once. */
export function wallsOfSystem(): Walls {
  found ??= {
    network: works('unshare', ['--map-root-user', '--net', 'true']),
    memory: works('/bin/sh', ['-c', `ulimit -d ${allMb * 1_024}`]),
  };
  return found;
}

function works(file: string, args: string[]): boolean {
  return process.platform === 'linux' && spawnSync(file, args, { stdio: 'ignore', timeout: 5_000 }).status === 0;
}
