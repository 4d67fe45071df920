/** What a promise comes to, or null as soon as the signal is aborted. Fails: as the promise, before that */
export async function unlessAborted<Result>(signal: AbortSignal, promise: Promise<Result>): Promise<Result | null> {
  promise.catch(() => {}); // of what is over nobody wants to know how it failed
  if (signal.aborted) return null;
  let end: () => void = () => {};
  const aborted = new Promise<null>((resolve) => (end = () => resolve(null)));
  signal.addEventListener('abort', end, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}
