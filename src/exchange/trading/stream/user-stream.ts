import { setTimeout as sleep } from 'node:timers/promises';
import { minuteMs, secondMs } from '#engine/market/durations.ts';
import { errorText } from '#engine/ports/error-text.ts';
import type { AccountReport } from '#engine/ports/trading.ts';
import { Backoff } from '../../backoff.ts';
import { SocketGuard } from '../../socket-guard.ts';
import type { AccountCcxt } from '../account-ccxt.ts';
import type { Row } from '../rows/answer-row.ts';

/** What a message says: reports for the listeners, or that the stream has ended although its socket is open. */
export type StreamNews = { reports: readonly AccountReport[] } | 'ended';

/** A stream that is open and subscribed. */
export interface OpenStream {
  /** Ends what keeps it alive, e.g. the renewal of a key. */
  end(): void;
}

/** What a user stream is made of. */
export interface UserStreamSource {
  client: AccountCcxt;
  /** Opens a socket and subscribes. `lost` is called when the exchange ends the subscription otherwise than by the socket. */
  open(lost: (reason: string) => void): Promise<OpenStream>;
  /** Reads a message. Fails: Error when it makes no sense */
  read(event: Row): StreamNews;
  log(message: string): void; // without secrets
}

type Listener = (report: AccountReport) => void;

/** How long the opening may take, and how long `start` waits for it. */
const openMs = 10 * secondMs;
const startMs = 5 * secondMs;

/** Binance allows 300 connections in five minutes; the first pause is never below half a second. */
const pauses = { firstMs: 600, mostMs: minuteMs / 2 };

/** A stream that has lived so long counts as well: after its end the pauses begin with the shortest again. */
const steadyMs = 10 * secondMs;

/**
 * The user stream of an account, kept open until it is closed. Each message is reported as it was received, once to every listener;
 * after each interruption, and for a message that cannot be read, `gap` is reported.
 */
export class UserStream {
  readonly #source: UserStreamSource;
  readonly #guard: SocketGuard;
  readonly #listeners = new Set<Listener>();
  readonly #backoff = new Backoff(pauses.firstMs, pauses.mostMs);
  readonly #closing = new AbortController();
  #lost: (reason: string) => void = () => {};
  #hasBeenWatched = false;

  constructor(source: UserStreamSource) {
    this.#source = source;
    this.#receiveMessages();
    const never = { leastMs: Infinity, mostMs: Infinity }; // an account may be quiet for days; ccxt's pings notice a dead socket
    this.#guard = new SocketGuard(source.client, { onFrame: () => {}, onLost: () => this.#lost('the socket was lost') }, never);
  }

  /** Begins; resolves when the stream is open for the first time, or was not within some seconds. */
  start(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, startMs);
      void this.#run(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** Adds a listener; the returned function removes it. */
  watch(listener: Listener): () => void {
    const own: Listener = (report) => listener(report); // the same function may listen twice
    this.#listeners.add(own);
    this.#hasBeenWatched = true;
    return () => void this.#listeners.delete(own);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#listeners.clear();
    this.#lost('it was closed');
    this.#dropSockets();
    this.#guard.end();
    await Promise.race([this.#source.client.close(), sleep(secondMs, null, { ref: false })]);
  }

  async #run(opened: () => void): Promise<void> {
    for (let isFirst = true; !this.#closing.signal.aborted; isFirst = false) {
      const { promise: lost, resolve: end } = Promise.withResolvers<string>();
      this.#lost = end;
      try {
        const stream = await this.#open(lost, end);
        const since = performance.now();
        if (!isFirst || this.#hasBeenWatched) this.report({ kind: 'gap' });
        opened();
        const reason = await lost;
        stream.end();
        if (performance.now() - since > steadyMs) this.#backoff.reset();
        if (!this.#closing.signal.aborted) this.#source.log(`The user stream has ended: ${reason}.`);
      } catch (error) {
        if (!this.#closing.signal.aborted) this.#source.log(`The user stream cannot be opened: ${errorText(error)}`);
      }
      this.#dropSockets();
      await sleep(this.#backoff.next(), null, { signal: this.#closing.signal }).catch(() => {});
    }
  }

  /** ccxt's promise of a connection stays open when the socket is refused; that the socket is lost says it. */
  async #open(lost: Promise<string>, end: (reason: string) => void): Promise<OpenStream> {
    const timer = new AbortController();
    const late = sleep(openMs, 'no answer came', { signal: timer.signal });
    const failed = Promise.race([lost, late]).then((reason) => Promise.reject(new Error(reason)));
    failed.catch(() => {});
    const opening = this.#source.open(end);
    try {
      return await Promise.race([opening, failed]);
    } catch (error) {
      void opening.then(
        (stream) => stream.end(), // it came after nobody waited any more
        () => {},
      );
      throw error;
    } finally {
      timer.abort();
    }
  }

  /** Events of the account come here and nowhere else: ccxt would gather them in caches that lose what each of them said. */
  #receiveMessages(): void {
    const { client } = this.#source;
    const handle = client.handleMessage.bind(client);
    client.handleMessage = (socket, message) => {
      const event = eventIn(message);
      if (event === null) handle(socket, message);
      else this.#receive(event);
    };
  }

  /** Reports to all listeners; each gets a copy, and one that throws does not keep it from the others. */
  report(report: AccountReport): void {
    for (const listener of this.#listeners) {
      try {
        listener(structuredClone(report));
      } catch (error) {
        this.#source.log(`A listener failed: ${errorText(error)}`);
      }
    }
  }

  #receive(event: Row): void {
    let news: StreamNews;
    try {
      news = this.#source.read(event);
    } catch (error) {
      this.#source.log(`A message of the user stream makes no sense: ${errorText(error)}`);
      news = { reports: [{ kind: 'gap' }] };
    }
    if (news === 'ended') this.#lost('the exchange has ended it');
    else for (const report of news.reports) this.report(report);
  }

  #dropSockets(): void {
    this.#guard.dropAll('the stream begins again');
  }
}

/** The event in a message: the websocket API wraps it, the futures stream does not. Null for answers to our own messages. */
function eventIn(message: unknown): Row | null {
  if (typeof message !== 'object' || message === null) return null;
  const { event, e } = message as { event?: unknown; e?: unknown };
  if (typeof event === 'object' && event !== null) return event as Row;
  return typeof e === 'string' ? (message as Row) : null;
}
