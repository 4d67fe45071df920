import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { Command } from '../child-command.ts';
import type { Connect, Connection, Listener } from '../connection.ts';
import { endSentence, makeModest } from '../connection.ts';
import { StrategyError } from '../strategy-error.ts';
import { processFolder } from './process-folder.ts';
import { encodeFrame, FrameReader } from '../wire/frames.ts';
import type { SourceFiles } from '../wire/questions.ts';
import { importedBy } from './imported-by.ts';

/** How much memory a copy may have, in MB: what it shares with its parent counts too. */
const memoryMb = 2_000;

/** A parent that has loaded for longer than this is stuck, in ms. */
const longestImportsMs = 30_000;

/** A copy to be made: the folder with its texts, and how to connect with it. */
export interface PythonCopy {
  folder: string; // goes with the copy
  connect: Connect;
}

/** What a parent says. */
type Message = { id: number; pid: number } | { ended: number; code: number | null; signal: string | null };

/**
 * A Python that has loaded what strategies import, and makes a process for each by copying itself: a copy is there in a fraction of the
 * time that the imports take, and shares their memory. The parent runs no text of a strategy. When it ends, its copies end too.
 */
export class WarmParent {
  readonly #child: ChildProcess;
  readonly #copies = new Set<Copy>();
  readonly #unwanted = new Set<number>(); // copies that were given up before they were made
  readonly #idleMs: number;
  #idle: NodeJS.Timeout | null = null;
  #lastId = 0;
  #isStuck = false;
  #fault: StrategyError | null = null; // why it has ended

  /** Starts it; it ends when it has had no copy for `idleMs`. */
  constructor({ file, args, environment }: Command, idleMs = 600_000) {
    this.#idleMs = idleMs;
    this.#child = spawn(file, args, { env: environment, stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
    if (this.#child.pid !== undefined) makeModest(this.#child.pid);
    const [, , , input, output] = this.#child.stdio as [null, null, null, Writable, Readable];
    const reader = new FrameReader({ json: 2 ** 16, body: 0 });
    input.on('error', () => undefined); // its end says what happened
    output.on('data', (piece: Uint8Array) => {
      try {
        for (const { json } of reader.take(piece)) this.#take(json as Message);
      } catch (error) {
        // Something that it has loaded writes where it speaks: nobody knows any more which copies there are.
        this.#fault ??= new StrategyError('The Python of the strategies sent what nobody can read.', { cause: error });
        this.end();
      }
    });
    this.#child.on('error', (error) => this.#end(`could not be started: ${error.message}`));
    this.#child.on('close', () => this.#end('has ended by itself'));
  }

  /** Whether it can make no copies any more: it has ended, or is stuck in what it loads. */
  get isOver(): boolean {
    return this.#fault !== null || this.#isStuck;
  }

  /** How many of its copies have not ended. */
  get size(): number {
    return this.#copies.size;
  }

  /** A copy for a strategy's texts, made when it is connected with; the parent loads first what these import. */
  copy(files: SourceFiles, imports = importedBy(files)): PythonCopy {
    const folder = processFolder();
    for (const [path, text] of Object.entries(files)) {
      const file = join(folder, 'strategy', path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    const connect = (listener: Listener): Connection => {
      const id = ++this.#lastId;
      if (this.#idle !== null) clearTimeout(this.#idle);
      const copy = new Copy(id, folder, listener, (over) => {
        this.#copies.delete(over);
        rmSync(folder, { recursive: true, force: true });
        if (over.pid === undefined) this.#giveUp(over);
        if (this.#copies.size === 0) this.#endWhenIdle();
      });
      this.#copies.add(copy);
      if (this.#fault !== null) copy.end(this.#fault);
      else {
        const wanted = { id, socket: copy.path, folder, imports, memoryMb };
        // It may connect as soon as it is asked.
        copy.listen(() => (this.#child.stdio[3] as Writable).write(encodeFrame(wanted)));
      }
      return copy;
    };
    return { folder: join(folder, 'strategy'), connect };
  }

  /** Ends it with all its copies. */
  end(): void {
    this.#fault ??= new StrategyError('The Python of the strategies was ended.'); // whoever wants a copy now takes another parent
    this.#child.kill('SIGKILL');
  }

  #giveUp(copy: Copy): void {
    this.#unwanted.add(copy.id);
    // Its children go on; the next copies are another parent's.
    if (copy.ageMs > longestImportsMs) this.#isStuck = true;
  }

  #endWhenIdle(): void {
    if (this.#isStuck) return this.end();
    this.#idle = setTimeout(() => this.end(), this.#idleMs);
    this.#idle.unref();
  }

  #take(message: Message): void {
    if ('id' in message && this.#unwanted.delete(message.id)) kill(message.pid);
    for (const copy of this.#copies) {
      if ('id' in message && copy.id === message.id) copy.begin(message.pid);
      if ('ended' in message && copy.pid === message.ended) copy.end(new StrategyError(endSentence(message.code, message.signal, '')));
    }
  }

  #end(how: string): void {
    this.#fault ??= new StrategyError(`The Python of the strategies ${how}.`);
    for (const copy of this.#copies) copy.end(this.#fault);
  }
}

/** One copy, from when it was asked for until it has ended. */
class Copy implements Connection {
  readonly id: number;
  readonly path: string; // of the socket
  pid: number | undefined;
  readonly #listener: Listener;
  readonly #onEnd: (copy: Copy) => void;
  readonly #server: Server;
  #socket: Socket | null = null;
  #waiting: Uint8Array[] = []; // to be sent when it is there
  readonly #askedAt = performance.now();
  #isOver = false;

  constructor(id: number, folder: string, listener: Listener, onEnd: (copy: Copy) => void) {
    this.id = id;
    this.path = join(folder, 'socket');
    this.#listener = listener;
    this.#onEnd = onEnd;
    this.#server = createServer((socket) => this.#connected(socket));
  }

  listen(onListening: () => void): void {
    this.#server.on('error', (error) => this.end(new StrategyError(`The strategy’s process could not be started: ${error.message}.`)));
    this.#server.listen(this.path, onListening);
  }

  /** It has been made. */
  begin(pid: number): void {
    this.pid = pid;
    makeModest(pid);
  }

  send(bytes: Uint8Array): void {
    if (this.#socket === null) this.#waiting.push(bytes);
    else this.#socket.write(bytes);
  }

  /** How long ago it was asked for. */
  get ageMs(): number {
    return performance.now() - this.#askedAt;
  }

  /** One that has not been made yet is ended when it is; whoever waits for it waits no more. */
  kill(): void {
    if (this.pid !== undefined) kill(this.pid);
    else this.end(new StrategyError('The strategy’s process was ended.'));
  }

  end(fault: StrategyError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#listener.ended(fault);
    this.#socket?.destroy();
    this.#server.close();
    this.#onEnd(this);
  }

  #connected(socket: Socket): void {
    this.#server.close(); // there is one
    this.#socket = socket;
    socket.on('error', () => undefined); // its end says what happened
    socket.on('data', (piece) => this.#listener.data(piece));
    for (const bytes of this.#waiting.splice(0)) socket.write(bytes);
  }
}

function kill(pid: number): void {
  for (const target of [-pid, pid])
    // it leads a group as soon as it runs
    try {
      process.kill(target, 'SIGKILL');
    } catch {
      // it has ended already, or leads no group yet
    }
}
