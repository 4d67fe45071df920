import type { Server, Socket } from 'node:net';
import { createServer } from 'node:net';
import type { Connection, Listener } from '../connection.ts';
import { makeModest } from '../connection.ts';
import { StrategyError } from '../strategy-error.ts';
import type { HowEnded, MadeCopy } from './started-process.ts';

/** A copy that is waited for: it is made with its folder, where its pipes are, and connects with them. */
export interface WaitedCopy {
  folder: string; // goes with the copy
  made: Promise<MadeCopy>; // fails with a StrategyError when there will be none
  ended: Promise<HowEnded>;
  kill: () => void;
}

/** So long is waited for what the parent of a copy says of its end, in ms: it may hang meanwhile. */
export const longestEndMs = 3_000;

/** One copy, from when it was asked for until it has ended. */
export abstract class Copy {
  pid: number | undefined;
  readonly #onEnd: () => void;
  readonly #askedAt = performance.now();
  #isOver = false;
  #givenUp: NodeJS.Timeout | undefined;

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  /** How long ago it was asked for. */
  get ageMs(): number {
    return performance.now() - this.#askedAt;
  }

  /** It has been made. */
  begin(pid: number): void {
    this.pid = pid;
    makeModest(pid);
  }

  /** One that has not been made yet is ended when it is; whoever waits for it waits no more. */
  kill(): void {
    if (this.#isOver) return; // its number may be another's by now
    const fault = new StrategyError('The strategy’s process was ended.');
    if (this.pid === undefined) return this.end(fault);
    kill(this.pid);
    this.endSoon(fault);
  }

  /** It has ended, or there will be none. What is said of it later does not count. */
  end(fault: StrategyError, how: HowEnded = { code: null, signal: null }): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#givenUp);
    this.hasEnded(fault, how);
    this.#onEnd();
  }

  /** It counts as ended after a while, if its parent does not say so before. */
  protected endSoon(fault: StrategyError): void {
    this.#givenUp ??= setTimeout(() => {
      if (this.pid !== undefined) kill(this.pid);
      this.end(fault);
    }, longestEndMs);
  }

  protected abstract hasEnded(fault: StrategyError, how: HowEnded): void;
}

/** One that a thread waits for. */
export class PipedCopy extends Copy implements WaitedCopy {
  readonly folder: string;
  readonly #made = Promise.withResolvers<MadeCopy>();
  readonly #ended = Promise.withResolvers<HowEnded>();

  constructor(folder: string, onEnd: () => void) {
    super(onEnd);
    this.folder = folder;
    this.#made.promise.catch(() => undefined); // whoever waits for it receives it
  }

  get made(): Promise<MadeCopy> {
    return this.#made.promise;
  }

  get ended(): Promise<HowEnded> {
    return this.#ended.promise;
  }

  override begin(pid: number): void {
    super.begin(pid);
    this.#made.resolve({ pid, folder: this.folder });
  }

  protected override hasEnded(fault: StrategyError, how: HowEnded): void {
    this.#made.reject(fault);
    this.#ended.resolve(how);
  }
}

/** So long is waited for what a copy has said before it ended, in ms. */
const lastWordsMs = 1_000;

/** One that is asked through a socket. */
export class SocketCopy extends Copy implements Connection {
  readonly path: string; // of the socket
  readonly #listener: Listener;
  readonly #server: Server;
  #socket: Socket | null = null;
  #waiting: Uint8Array[] = []; // to be sent when it is there
  #onClosed = (): void => this.endSoon(new StrategyError('The strategy’s process has ended by itself.')); // it answers no more

  constructor(path: string, listener: Listener, onEnd: () => void) {
    super(onEnd);
    this.path = path;
    this.#listener = listener;
    this.#server = createServer((socket) => this.#connected(socket));
  }

  /** Waits for it to connect. */
  listen(onListening: () => void): void {
    this.#server.on('error', (error) => this.end(new StrategyError(`The strategy’s process could not be started: ${error.message}.`)));
    this.#server.listen(this.path, onListening);
  }

  send(bytes: Uint8Array): void {
    if (this.#socket === null) this.#waiting.push(bytes);
    else this.#socket.write(bytes);
  }

  /** Whether all that it had to say was received. */
  get isClosed(): boolean {
    return this.#socket?.closed === true;
  }

  /** Its parent says that it has ended, which comes another way than its answers: what it has said before may still have to be received. */
  protected override hasEnded(fault: StrategyError, { code }: HowEnded): void {
    const over = (): void => {
      clearTimeout(timer);
      this.#onClosed = () => undefined;
      this.#listener.ended(fault);
      this.#socket?.destroy();
      this.#server.close();
    };
    const timer = setTimeout(over, lastWordsMs); // it has never connected, or what it has started keeps its way open
    if (code === null || this.isClosed) over();
    else this.#onClosed = over;
  }

  #connected(socket: Socket): void {
    this.#server.close(); // there is one
    this.#socket = socket;
    socket.on('error', () => undefined); // its end says what happened
    socket.on('data', (piece) => this.#listener.data(piece));
    socket.on('close', () => this.#onClosed());
    for (const bytes of this.#waiting.splice(0)) socket.write(bytes);
  }
}

/** Ends a copy, with what it has started. */
export function kill(pid: number): void {
  for (const target of [-pid, pid])
    // it leads a group as soon as it runs
    try {
      process.kill(target, 'SIGKILL');
    } catch {
      // it has ended already, or leads no group yet
    }
}
