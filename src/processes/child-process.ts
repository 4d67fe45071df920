import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorText } from '#engine/ports/error-text.ts';

/** A part of the product in a process of its own, started again whenever it ends by itself. */
export interface ChildPart {
  /** Settles when the part has said for the first time that it is ready; fails when it ends before. */
  ready: Promise<unknown>;
  /** Ends it in order, within the patience, else at once. */
  stop(): Promise<void>;
}

/** How a part is run. */
export interface ChildOptions {
  name: string;
  args: readonly string[];
  environment: Readonly<Record<string, string>>;
  readyFrom: 'message' | 'first line'; // a message over the channel, or one line of JSON on its standard output
  say: (line: string) => void;
  isStopping: () => boolean; // the whole product is being stopped: a part that ends now is not started again
  mostSilences?: number; // how many heartbeats in a row a part may miss before it is taken for frozen
}

/** What a part sends every second from its event loop; one that is frozen sends nothing. */
const heartbeat = 'alive';
const heartbeatMs = 1_000;
const mostSilences = 30;

const patienceMs = 8_000;
const longestPauseMs = 30_000;

/** A part that has lived for so long was well: the next one is started without a pause worth the name. */
const steadyMs = 10_000;

/** Starts a part and keeps it running: one that crashes is started again, after 0.2 s, then ever longer pauses. */
export function startPart(options: ChildOptions): ChildPart {
  let child: ChildProcess | null = null;
  let isStopping = false;
  let readyMessage: unknown = null;
  let tellReady: (message: unknown) => void = () => {};
  let tellFailed: (error: Error) => void = () => {};
  const ready = new Promise<unknown>((resolve, reject) => {
    tellReady = resolve;
    tellFailed = reject;
  });
  ready.catch(() => {}); // it may fail before anybody waits for it; who waits hears of it

  const run = async (): Promise<void> => {
    for (let crashes = 0; ;) {
      const startedAt = Date.now();
      child = spawn(process.execPath, [...options.args], {
        detached: true, // Ctrl-C reaches the supervisor only, which stops its parts in order
        stdio: ['pipe', options.readyFrom === 'message' ? 'inherit' : 'pipe', 'inherit', 'ipc'],
        env: partEnvironment(options.environment),
      });
      const watch = watchHeartbeat(child, options.mostSilences ?? mostSilences, () =>
        options.say(`The ${options.name} does not answer; it is stopped.`),
      );
      child.on('message', (message) => {
        if (message === heartbeat) return;
        readyMessage = message;
        tellReady(message);
      });
      child.stdin?.on('error', () => {}); // it has ended; its exit says so
      child.stdout?.setEncoding('utf8').once('data', (line: string) => {
        readyMessage = JSON.parse(line);
        tellReady(readyMessage);
      });
      const end = await endOf(child);
      clearInterval(watch);
      if (isStopping || options.isStopping()) {
        tellFailed(new Error(`The ${options.name} was stopped before it was ready.`));
        return;
      }
      if (readyMessage === null) {
        tellFailed(new Error(`The ${options.name} ended before it was ready (${end}).`));
        return;
      }
      crashes = Date.now() - startedAt > steadyMs ? 1 : crashes + 1;
      options.say(`The ${options.name} ended (${end}); it is started again.`);
      await sleep(Math.min(200 * 2 ** (crashes - 1), longestPauseMs));
      if (isStopping) return;
    }
  };
  void run();

  return {
    ready,
    async stop() {
      isStopping = true;
      if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      const timer = setTimeout(() => child?.kill('SIGKILL'), patienceMs);
      await ended;
      clearTimeout(timer);
    },
  };
}

/**
 * Kills a process that has sent heartbeats and then misses too many in a row. They are counted, not timed: a machine that
 * was asleep has missed none, as the counting slept too.
 */
function watchHeartbeat(child: ChildProcess, most: number, onFrozen: () => void): NodeJS.Timeout {
  let missed: number | null = null; // null: none has come yet, and it may be a program that sends none
  child.on('message', (message) => {
    if (message === heartbeat) missed = 0;
  });
  return setInterval(() => {
    if (missed === null) return;
    missed += 1;
    if (missed !== most + 1) return;
    onFrozen();
    child.kill('SIGKILL'); // a frozen process hears nothing milder
  }, heartbeatMs);
}

/** Inside a process: sends heartbeats to the one that has started it, as long as both live. */
function sendHeartbeats(): void {
  setInterval(() => {
    if (process.connected) process.send?.(heartbeat, undefined, undefined, () => {}); // who is gone is told of by 'disconnect'
  }, heartbeatMs).unref();
}

/** How a process ended, or why it could not begin: the machine may have no room for it just now. */
async function endOf(child: ChildProcess): Promise<string> {
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    return signal ?? `code ${code}`;
  } catch (error) {
    return errorText(error);
  }
}

/** Runs something to its end in a process of its own, or until it is `told` to stop; gives the message it has sent. */
export async function runPart(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  told: Promise<void>,
): Promise<unknown> {
  const child = spawn(process.execPath, [...args], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: partEnvironment(environment),
  });
  let message: unknown = null;
  child.on('message', (sent) => (message = sent));
  const end = (): void => {
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGKILL'), patienceMs).unref();
  };
  void told.then(end);
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  if (code !== 0) throw new Error(`The preparation ended early (${signal ?? `code ${code}`}); nothing of it is left behind.`);
  return message;
}

/** Without what `node --watch` tells its child: the parts would send the names of their files over the channel, too. */
function partEnvironment(environment: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const inherited = { ...process.env };
  delete inherited['WATCH_REPORT_DEPENDENCIES'];
  return { ...inherited, ...environment };
}

/** Inside a part: says that it is ready, and ends it when told to or when the product is gone. */
export function beChild(close: () => Promise<void>): { ready(message: unknown): void } {
  let isClosing = false;
  const end = (): void => {
    if (isClosing) return;
    isClosing = true;
    // Nobody may be left to end it: what it waits for must not keep it, and its port, for ever.
    setTimeout(() => process.exit(1), patienceMs).unref();
    close().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`It could not be ended in order: ${String(error)}\n`);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
  process.on('disconnect', end);
  sendHeartbeats();
  return { ready: (message) => void process.send?.(message) };
}
