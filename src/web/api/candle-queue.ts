let last: Promise<unknown> = Promise.resolve();

/**
 * Runs `fetch` when those that were asked for before have ended: the server answers one call for candles of a person at a
 * time, and refuses the sixth that waits. Rejects, without a call, when `signal` has aborted meanwhile. One whose `signal` aborts holds up
 * nobody any more, also when it ends late or never.
 */
export function inTurn<T>(signal: AbortSignal, fetch: () => Promise<T>): Promise<T> {
  const turn = last.then(() => {
    signal.throwIfAborted();
    return fetch();
  });
  const isLeft = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  last = Promise.race([turn, isLeft]).catch(() => undefined);
  return turn;
}
