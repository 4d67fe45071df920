import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { constants, getPriority, setPriority } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import type { Command } from './child-command.ts';
import { lowerAsOurs } from './session-niceness.ts';
import { StrategyError } from './strategy-error.ts';

/** One end of the way to a strategy process. */
export interface Connection {
  readonly pid: number | undefined; // its number in the system; undefined when it could not be started, or is not there yet
  send(bytes: Uint8Array): void;
  kill(): void;
}

/** Who receives what comes from a strategy process. */
export interface Listener {
  data: (piece: Uint8Array) => void;
  ended: (fault: StrategyError) => void; // once, at last: it is gone
}

/** Starts a strategy process, and connects a listener with it. */
export type Connect = (listener: Listener) => Connection;

/** The end of what a process has said before it ended: why it had no memory any more, as a rule. */
const lastWords = 4_000;

/** A process of its own for a command. */
export function spawned({ file, args, environment }: Command): Connect {
  return ({ data, ended }) => {
    const child: ChildProcess = spawn(file, args, { env: environment, stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'] });
    const [, , errors, input, output] = child.stdio as [null, null, Readable, Writable, Readable];
    if (child.pid !== undefined) makeModest(child.pid);
    let said = '';
    errors.setEncoding('utf8').on('data', (text: string) => (said = `${said}${text}`.slice(-lastWords)));
    input.on('error', () => undefined); // its end says what happened
    output.on('data', data);
    child.on('error', (error) => ended(new StrategyError(`The strategy’s process could not be started: ${error.message}.`)));
    child.on('close', (code, signal) => ended(new StrategyError(endSentence(code, signal, said))));
    return { pid: child.pid, send: (bytes) => void input.write(bytes), kill: () => void child.kill('SIGKILL') };
  };
}

const modest = constants.priority.PRIORITY_BELOW_NORMAL;

/** Bots, pages and the database come first. */
export function makeModest(pid: number): void {
  try {
    // One that a worker has started is more modest still.
    if (getPriority(pid) < modest) setPriority(pid, modest);
    lowerAsOurs(pid);
  } catch {
    // it has ended already, which is reported elsewhere
  }
}

/** How a process has ended, in a sentence. */
export function endSentence(code: number | null, signal: string | null, said: string): string {
  if (/out of memory|allocation failed/iu.test(said)) return 'The strategy used more memory than it may; its process has ended.';
  const how = signal === null ? `with code ${code ?? 'none'}` : `by ${signal}`;
  return `The strategy’s process has ended by itself (${how}).`;
}
