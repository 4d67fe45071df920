import { ApiError } from './api-error.ts';

/** How often a failed call is repeated, at most. */
export const retriesMax = 3;

/** The pause before a repetition, in ms. */
export const retryDelayMs = 1000;

/**
 * Whether a failed call may be repeated: after a network error any call, after 5xx or 429 only a GET. Other methods
 * change something, and an answer says that the server has seen them.
 */
export function isRetryable(error: unknown, method: string): boolean {
  if (!(error instanceof ApiError)) return false;
  if (error.status === null) return true;
  return method === 'GET' && (error.status >= 500 || error.status === 429);
}

/** Runs `attempt`, and again after a pause while its failure may be repeated. Once `signal` aborts nothing is attempted any more. */
export async function withRetries<T>(attempt: () => Promise<T>, method: string, signal?: AbortSignal): Promise<T> {
  for (let retries = 0; ; retries += 1) {
    signal?.throwIfAborted(); // it may have been while a session was renewed or a password asked for
    try {
      return await attempt();
    } catch (error) {
      if (retries === retriesMax || !isRetryable(error, method)) throw error;
      await pause(retryDelayMs, signal);
    }
  }
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted === true) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
