import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { Command } from '../child-command.ts';
import type { Connect, Connection, Listener } from '../connection.ts';
import { endSentence, makeModest } from '../connection.ts';
import { StrategyError } from '../strategy-error.ts';
import { processFolder, writeTexts } from './process-folder.ts';
import type { Copy, WaitedCopy } from './copies.ts';
import { kill, PipedCopy, SocketCopy } from './copies.ts';
import { makePipes } from './started-process.ts';
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
  readonly #copies = new Map<number, Copy>(); // by number
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
    writeTexts(join(folder, 'strategy'), files);
    const connect = (listener: Listener): Connection => {
      const copy = new SocketCopy(join(folder, 'socket'), listener, () => this.#over(copy, folder));
      const id = this.#add(copy);
      // It may connect as soon as it is asked.
      if (this.#fault === null) copy.listen(() => this.#ask({ id, socket: copy.path, folder, imports, memoryMb }));
      return copy;
    };
    return { folder: join(folder, 'strategy'), connect };
  }

  /** A copy that a thread waits for; the parent loads first what is given here. Fails: StrategyError */
  waited(imports: readonly string[], mostMemoryMb: number): WaitedCopy {
    const folder = processFolder();
    makePipes(folder);
    const copy = new PipedCopy(folder, () => this.#over(copy, folder));
    const id = this.#add(copy);
    if (this.#fault === null) this.#ask({ id, pipes: folder, folder, imports, memoryMb: mostMemoryMb });
    return copy;
  }

  /** Ends it with all its copies. */
  end(): void {
    this.#fault ??= new StrategyError('The Python of the strategies was ended.'); // whoever wants a copy now takes another parent
    this.#child.kill('SIGKILL');
  }

  #add(copy: Copy): number {
    const id = ++this.#lastId;
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#copies.set(id, copy);
    if (this.#fault !== null) copy.end(this.#fault);
    return id;
  }

  #ask(wanted: object): void {
    (this.#child.stdio[3] as Writable).write(encodeFrame(wanted));
  }

  /** A copy has ended, or was given up before it was made. */
  #over(copy: Copy, folder: string): void {
    rmSync(folder, { recursive: true, force: true });
    for (const [id, each] of this.#copies) {
      if (each !== copy) continue;
      this.#copies.delete(id);
      if (copy.pid !== undefined) continue;
      this.#unwanted.add(id);
      // Its children continue; the next copies are another parent's.
      if (copy.ageMs > longestImportsMs) this.#isStuck = true;
    }
    if (this.#copies.size === 0) this.#endWhenIdle();
  }

  #endWhenIdle(): void {
    if (this.#isStuck) return this.end();
    this.#idle = setTimeout(() => this.end(), this.#idleMs);
    this.#idle.unref();
  }

  #take(message: Message): void {
    if ('id' in message) {
      if (this.#unwanted.delete(message.id)) kill(message.pid);
      this.#copies.get(message.id)?.begin(message.pid);
      return;
    }
    const { ended, code, signal } = message;
    for (const copy of this.#copies.values())
      if (copy.pid === ended) copy.end(new StrategyError(endSentence(code, signal, '')), { code, signal });
  }

  #end(how: string): void {
    this.#fault ??= new StrategyError(`The Python of the strategies ${how}.`);
    for (const copy of this.#copies.values()) copy.end(this.#fault);
  }
}
