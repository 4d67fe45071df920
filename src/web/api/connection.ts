import { createStore, useStore } from 'zustand';

/** Whether the server answers, as the calls of this page find out. Times in ms. */
export interface Connection {
  answeredAt: number | null; // when it last answered as it should; null before the first answer
  failingSince: number | null; // when calls began to fail; null while they do not
  failure: 'no-answer' | 'server-error' | null; // how the last one failed
}

/** See `Connection`. */
export const connectionStore = createStore<Connection>(() => ({ answeredAt: null, failingSince: null, failure: null }));

/** Notes that the server answered; what it answered does not matter, unless it says that it is broken itself. */
export function noteAnswer(now: number): void {
  connectionStore.setState({ answeredAt: now, failingSince: null, failure: null });
}

/** Notes that a call failed: without an answer, or with one that says the server is broken. */
export function noteFailure(failure: 'no-answer' | 'server-error', now: number): void {
  connectionStore.setState(({ failingSince }) => ({ failingSince: failingSince ?? now, failure }));
}

/** Whether a status says that the server itself is broken. 501 and 502 speak of something behind it. */
export function isServerError(status: number): boolean {
  return status === 500 || status === 503 || status === 504;
}

/** The state of the connection, followed. */
export function useConnection(): Connection {
  return useStore(connectionStore);
}

/** An outage lasts at least so long, and is followed by another reload no sooner than this, in ms. */
const outageMinMs = 1000;
const reloadPauseMs = 5000;

/**
 * Calls back when the server answers again after an outage. Returns how to stop.
 *
 * Where one call fails while others are answered, failures and answers take turns: that is not an outage, and must not make
 * the page load everything again and again.
 */
export function onReconnect(callback: () => void): () => void {
  let calledAt = -Infinity;
  return connectionStore.subscribe((now, before) => {
    if (before.failingSince === null || now.failingSince !== null || now.answeredAt === null) return;
    if (now.answeredAt - before.failingSince < outageMinMs || now.answeredAt - calledAt < reloadPauseMs) return;
    calledAt = now.answeredAt;
    callback();
  });
}
