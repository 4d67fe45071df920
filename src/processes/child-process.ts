import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { secondMs } from '#engine/market/durations.ts';
import { errorText } from '#engine/ports/error-text.ts';
import { MissCount } from './miss-count.ts';
import { RestartPauses } from './restart-pauses.ts';

/** A process of the product, started again whenever it ends by itself. */
export interface SupervisedProcess {
  /** Settles when the process has said for the first time that it is ready; fails when it ends before. */
  ready: Promise<unknown>;
  /** Ends it cleanly, within the patience, else at once. */
  stop(): Promise<void>;
}

/** How a process is run. */
export interface ChildOptions {
  name: string;
  args: readonly string[];
  environment: Readonly<Record<string, string>>;
  readyFrom: 'message' | 'first line'; // a message over the channel, or one line of JSON on its standard output
  say: (line: string) => void;
  isStopping: () => boolean; // the whole product is being stopped: a process that ends now is not started again
  mostSilences?: number; // how many heartbeats in a row it may miss before it counts as frozen
  patienceMs?: number; // how long it may take to end cleanly
}

/** What a process sends every second from its event loop; one that is frozen sends nothing. */
const heartbeat = 'alive';
const heartbeatMs = secondMs;
const mostSilences = 30;

const patienceMs = 8 * secondMs;

/** Starts a process and keeps it running: one that crashes is started again, after ever longer pauses. */
export function supervise(options: ChildOptions): SupervisedProcess {
  let child: ChildProcess | null = null;
  let isStopping = false;
  let isReady = false;
  const { promise: ready, resolve, reject } = Promise.withResolvers<unknown>();
  ready.catch(() => {}); // it may fail before anybody awaits it
  const becomeReady = (message: unknown): void => {
    isReady = true;
    resolve(message);
  };

  const run = async (): Promise<void> => {
    for (const pauses = new RestartPauses(); ;) {
      const startedAt = Date.now();
      child = spawn(process.execPath, [...options.args], {
        detached: true, // Ctrl-C reaches the supervisor only, which stops its processes cleanly
        stdio: ['pipe', options.readyFrom === 'message' ? 'inherit' : 'pipe', 'inherit', 'ipc'],
        env: childEnvironment(options.environment),
      });
      const watch = watchHeartbeat(child, options.mostSilences ?? mostSilences, () =>
        options.say(`The ${options.name} does not answer; it is stopped.`),
      );
      child.on('message', (message) => {
        if (message !== heartbeat) becomeReady(message);
      });
      child.stdin?.on('error', () => {}); // it has ended; its exit says so
      child.stdout?.setEncoding('utf8').once('data', (line: string) => becomeReady(JSON.parse(line)));
      const end = await endOf(child);
      clearInterval(watch);
      if (isStopping || options.isStopping()) {
        reject(new Error(`The ${options.name} was stopped before it was ready.`));
        return;
      }
      if (!isReady) {
        reject(new Error(`The ${options.name} ended before it was ready (${end}).`));
        return;
      }
      options.say(`The ${options.name} ended (${end}); it is started again.`);
      await sleep(pauses.next(Date.now() - startedAt));
      if (isStopping || options.isStopping()) return;
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
      const timer = setTimeout(() => child?.kill('SIGKILL'), options.patienceMs ?? patienceMs);
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
  let misses: MissCount | null = null; // null: no heartbeat yet, and it may be a program that sends none
  child.on('message', (message) => {
    if (message !== heartbeat) return;
    misses ??= new MissCount(most);
    misses.reset();
  });
  return setInterval(() => {
    if (misses?.miss() !== true) return;
    misses = null; // once is enough
    onFrozen();
    child.kill('SIGKILL'); // a frozen process handles no other signal
  }, heartbeatMs);
}

/** Inside a process: sends heartbeats to the one that has started it, as long as both live. */
function sendHeartbeats(): void {
  setInterval(() => {
    if (process.connected) process.send?.(heartbeat, undefined, undefined, () => {}); // 'disconnect' reports a parent that is gone
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

/**
 * Runs something to its end in a process of its own, or until a stop is requested or it has taken longer than `mostMs`; returns the
 * message it has sent.
 *
 * Fails: when it ends early. One that not even a kill ends, because it waits for a disk that does not answer, is left behind
 */
export async function runToEnd(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  stopRequested: Promise<void>,
  { name = 'preparation', patience = patienceMs, killPatience = patienceMs, mostMs = null as number | null } = {},
): Promise<unknown> {
  const child = spawn(process.execPath, [...args], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: childEnvironment(environment),
  });
  let message: unknown = null;
  child.on('message', (sent) => (message = sent));
  const timers: NodeJS.Timeout[] = [];
  const after = (ms: number, work: () => void): void => void timers.push(setTimeout(work, ms).unref());
  const { promise: leftBehind, reject } = Promise.withResolvers<never>();
  const end = (): void => {
    child.kill('SIGTERM');
    after(patience, () => {
      child.kill('SIGKILL');
      after(killPatience, () => reject(new Error(`The ${name} cannot be ended, not even by a kill.`)));
    });
  };
  let tookTooLong = false;
  if (mostMs !== null)
    after(mostMs, () => {
      tookTooLong = true;
      end();
    });
  void stopRequested.then(end);
  try {
    const [code, signal] = (await Promise.race([once(child, 'exit'), leftBehind])) as [number | null, string | null];
    if (code === 0) return message;
    if (tookTooLong) throw new Error(`The ${name} was ended: it took longer than it may.`);
    throw new Error(`The ${name} ended early (${signal ?? `code ${code}`}); nothing of it is left behind.`);
  } finally {
    for (const timer of timers) clearTimeout(timer);
    if (child.connected) child.disconnect(); // one that is left behind keeps nobody alive
    child.unref();
  }
}

/** Without the variable of `node --watch`: with it the processes would send the names of their files over the channel, too. */
function childEnvironment(environment: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const inherited = { ...process.env };
  delete inherited['WATCH_REPORT_DEPENDENCIES'];
  return { ...inherited, ...environment };
}

/** Inside a supervised process: reports that it is ready, and ends it when a signal asks for it or the supervisor is gone. */
export function beChild(close: () => Promise<void>, patience = patienceMs): { ready(message: unknown): void } {
  let isClosing = false;
  const end = (): void => {
    if (isClosing) return;
    isClosing = true;
    // Nobody may be left to end it: a close that never settles must not keep it, and its port, for ever.
    setTimeout(() => process.exit(1), patience).unref();
    close().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`It could not be ended cleanly: ${String(error)}\n`);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
  process.on('disconnect', end);
  if (process.send !== undefined && !process.connected) end(); // it has ended while this one started: nobody reports it any more
  sendHeartbeats();
  // With a callback, so that a channel that has closed fails nobody who is ending cleanly.
  return { ready: (message) => void process.send?.(message, undefined, undefined, () => {}) };
}
