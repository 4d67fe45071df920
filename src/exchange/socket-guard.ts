import { NetworkError } from 'ccxt';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorText } from '#engine/ports/error-text.ts';
import type { CcxtClient, CcxtSocket } from './ccxt-client.ts';

/** What the guard reports to its owner. */
export interface SocketNews {
  /** ccxt has processed a frame; `first` when it is the first one of its socket. */
  onFrame(first: boolean): void;
  /** A socket is lost: dropped, refused, closed or silent. Reported once per socket. */
  onLost(reason: string): void;
}

interface SocketState {
  since: number; // machine time of the last frame, or of its creation
  usualGap: number; // ms between frames, smoothed
  hasSentFrame: boolean;
  sendTurn: Promise<unknown>;
}

/** Time between two messages to one socket, in ms. Binance closes a socket that receives more than five in a second, and they may bunch on the way. */
const sendGapMs = 350;

/** How often the sockets are checked for silence, in ms. */
const checkMs = 250;

/** No frame for three times the usual gap means silence, but not before and not after these times. */
export interface SilenceLimits {
  leastMs: number;
  mostMs: number;
}

/**
 * Supervises the sockets of a client: a silent one is noticed, a promise that nobody awaits does not end the process, and
 * no socket is sent more messages than the exchange accepts.
 */
export class SocketGuard {
  readonly #client: CcxtClient;
  readonly #news: SocketNews;
  readonly #limits: SilenceLimits;
  readonly #states = new Map<CcxtSocket, SocketState>();
  readonly #lost = new WeakSet<CcxtSocket>();
  readonly #timer: NodeJS.Timeout;

  constructor(client: CcxtClient, news: SocketNews, limits: SilenceLimits) {
    this.#client = client;
    this.#news = news;
    this.#limits = limits;
    client.calculateWsBackoffDelay = () => 0; // the owner waits between attempts
    this.#wrapSockets();
    this.#listen();
    this.#timer = setInterval(() => this.#checkSilence(), checkMs).unref();
  }

  /** Closes all sockets, e.g. because what they send turns out to be incomplete. */
  dropAll(reason: string): void {
    for (const socket of this.#states.keys()) this.#drop(socket, reason);
  }

  end(): void {
    clearInterval(this.#timer);
    this.#states.clear();
  }

  #wrapSockets(): void {
    const make = this.#client.client.bind(this.#client);
    this.#client.client = (url) => {
      const known = this.#client.clients[url];
      const socket = make(url);
      if (socket === known) return socket;
      const state: SocketState = { since: performance.now(), usualGap: 0, hasSentFrame: false, sendTurn: Promise.resolve() };
      this.#states.set(socket, state);
      socket.connected.catch(() => {});
      // A promise of ccxt that fails while nobody waits for it would end the process.
      const future = socket.future.bind(socket);
      socket.future = (hash) => {
        const promise = future(hash);
        promise.catch(() => {});
        return promise;
      };
      const send = socket.send.bind(socket);
      socket.send = (message) => {
        const turn = state.sendTurn.then(() => send(message));
        state.sendTurn = turn.then(
          () => sleep(sendGapMs),
          () => {},
        );
        return turn;
      };
      return socket;
    };
  }

  #listen(): void {
    const handleMessage = this.#client.handleMessage.bind(this.#client);
    const onError = this.#client.onError.bind(this.#client);
    const onClose = this.#client.onClose.bind(this.#client);
    this.#client.handleMessage = (socket, message) => {
      const first = this.#frameReceived(socket);
      handleMessage(socket, message);
      this.#news.onFrame(first);
    };
    this.#client.onError = (socket, error) => {
      onError(socket, error);
      this.#reportLost(socket, errorText(error));
    };
    this.#client.onClose = (socket, error) => {
      onClose(socket, error);
      this.#reportLost(socket, 'the socket was closed');
    };
  }

  #frameReceived(socket: CcxtSocket): boolean {
    const state = this.#states.get(socket);
    if (state === undefined) return false;
    const now = performance.now();
    const first = !state.hasSentFrame;
    state.hasSentFrame = true;
    state.usualGap = state.usualGap * 0.9 + (now - state.since) * 0.1;
    state.since = now;
    return first;
  }

  #checkSilence(): void {
    const now = performance.now();
    for (const [socket, { since, usualGap }] of this.#states) {
      const patience = Math.min(this.#limits.mostMs, Math.max(this.#limits.leastMs, 3 * usualGap));
      if (now - since <= patience) continue;
      if (Object.keys(socket.subscriptions).length === 0) this.#retire(socket);
      else this.#drop(socket, `no frame was received for ${Math.round(now - since)} ms`);
    }
  }

  /** A socket without subscriptions is expected to be silent. */
  #retire(socket: CcxtSocket): void {
    this.#states.delete(socket);
    socket.onError(new NetworkError('not needed any more'));
    socket.connection?.terminate?.();
  }

  #drop(socket: CcxtSocket, reason: string): void {
    socket.onError(new NetworkError(`${this.#client.id}: ${reason}`));
    socket.connection?.terminate?.();
    this.#reportLost(socket, reason);
  }

  #reportLost(socket: CcxtSocket, reason: string): void {
    if (this.#lost.has(socket)) return;
    this.#lost.add(socket);
    if (!this.#states.delete(socket)) return;
    this.#news.onLost(reason);
  }
}
