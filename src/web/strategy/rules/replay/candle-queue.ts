let last: Promise<unknown> = Promise.resolve();

/**
 * Runs `fetch` when those that were asked for before have ended: the server answers one call for candles of a person at a
 * time, and refuses the sixth that waits. Rejects at once, without a call, when `signal` has aborted meanwhile.
 */
export function inTurn<T>(signal: AbortSignal, fetch: () => Promise<T>): Promise<T> {
  const turn = last.then(() => {
    signal.throwIfAborted();
    return fetch();
  });
  last = turn.catch(() => undefined);
  return turn;
}
