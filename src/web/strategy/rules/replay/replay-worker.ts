import type { DraftJob, FiguresJob, FromWorker, ToWorker } from './messages.ts';

/** How long the replay of a draft may continue, in ms, when a newer draft comes: a longer one is ended with its worker. */
const patienceMs = 400;

/** What the worker reports, and that it could not be started or has ended. */
export interface ReplayListener {
  onMessage(message: FromWorker): void;
  onBroken(): void;
}

/** The worker as the page has it: it is started with the first job, and again where an outdated replay takes too long. */
export class ReplayWorker {
  readonly #listener: ReplayListener;
  readonly #start: () => Worker;
  readonly #histories = new Map<string, ArrayBuffer>();
  #worker: Worker | null = null;
  #waiting: { job: DraftJob; since: number } | null = null; // the draft that is replayed
  #figures = new Map<number, FiguresJob>(); // not answered in full

  constructor(listener: ReplayListener, start: () => Worker) {
    this.#listener = listener;
    this.#start = start;
  }

  /** Gives it candles under a name; once is enough. */
  give(name: string, packed: ArrayBuffer): void {
    if (this.#histories.has(name)) return;
    this.#histories.set(name, packed);
    if (this.#worker !== null) this.#post({ kind: 'history', name, packed });
  }

  /** Replays a draft. What is left of an earlier one is not done any more. */
  draft(job: DraftJob): void {
    const now = performance.now();
    if (this.#waiting !== null && now - this.#waiting.since > patienceMs) this.#restart();
    this.#waiting = { job, since: now };
    this.#post(job);
  }

  /** Replays documents; each is answered by a message. */
  figures(job: FiguresJob): void {
    this.#figures.set(job.id, job);
    this.#post(job);
  }

  /** Asks for the values in a candle of the newest draft. */
  values(id: number, row: number): void {
    this.#post({ kind: 'values', id, row });
  }

  /** Ends it; nothing is reported any more. */
  close(): void {
    this.#worker?.terminate();
    this.#worker = null;
    this.#waiting = null;
    this.#figures.clear();
  }

  #restart(): void {
    this.#worker?.terminate();
    this.#worker = null;
    for (const job of this.#figures.values()) this.#post(job);
  }

  #post(message: ToWorker): void {
    this.#worker ??= this.#begin();
    this.#worker.postMessage(message);
  }

  #begin(): Worker {
    const worker = this.#start();
    worker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
      if (this.#worker === worker) this.#note(data);
    });
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      if (this.#worker !== worker) return;
      this.close();
      this.#listener.onBroken();
    });
    for (const [name, packed] of this.#histories) worker.postMessage({ kind: 'history', name, packed } satisfies ToWorker);
    return worker;
  }

  #note(message: FromWorker): void {
    if (message.id === this.#waiting?.job.id && (message.kind === 'drafted' || message.kind === 'failed')) this.#waiting = null;
    if (message.kind === 'figures') {
      const job = this.#figures.get(message.id);
      if (message.isLast || job === undefined) this.#figures.delete(message.id);
      // After a restart only what is left is replayed.
      else this.#figures.set(message.id, { ...job, documents: job.documents.slice(-(message.place - 1)) });
    }
    this.#listener.onMessage(message);
  }
}
