/** What a person reads who cancels something while it is sent; a request may have arrived before, so more has to be said. */
export const cancelledText = 'Cancelled: nothing more is sent.';

/** What a call answers; fails as soon as `signal` aborts, whatever the call waits for then. */
export function untilAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  return Promise.race([answer, aborted]);
}

/** Whether something failed because it was cancelled. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}
