import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ApiError, detailOf, messageOf, toApiError } from './api-error.ts';
import { retriesMax, retryDelayMs, withRetries } from './retry.ts';

const network = () => new ApiError({ status: null, detail: null });
const answered = (status: number) => new ApiError({ status, detail: null });

/** Runs a call that always fails and returns when it was tried, in ms after the first try. */
async function triesOf(error: Error, method: string): Promise<number[]> {
  const start = Date.now();
  const tries: number[] = [];
  const call = withRetries(() => {
    tries.push(Date.now() - start);
    return Promise.reject(error);
  }, method);
  const failure = expect(call).rejects.toBe(error);
  await vi.runAllTimersAsync();
  await failure;
  return tries;
}

describe('retries', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('API-54 after a network error any call is retried 3 times, 1 second apart', async () => {
    expect([retriesMax, retryDelayMs]).toEqual([3, 1000]);
    for (const method of ['GET', 'POST', 'PATCH']) expect(await triesOf(network(), method)).toEqual([0, 1000, 2000, 3000]);
  });

  test('API-55, OP-82 an idempotent call answered 5xx or 429 is retried the same way', async () => {
    for (const status of [500, 502, 503, 429]) expect(await triesOf(answered(status), 'GET')).toEqual([0, 1000, 2000, 3000]);
  });

  test('API-55 other calls answered 5xx or 429 are not retried', async () => {
    for (const status of [500, 503, 429]) {
      expect(await triesOf(answered(status), 'POST')).toEqual([0]);
      expect(await triesOf(answered(status), 'PATCH')).toEqual([0]);
    }
  });

  test('API-55 other answers and other errors are not retried', async () => {
    for (const status of [400, 401, 403, 404, 409]) expect(await triesOf(answered(status), 'GET')).toEqual([0]);
    expect(await triesOf(new Error('a fault of our own'), 'GET')).toEqual([0]);
  });

  test('API-54 a success ends the retries', async () => {
    let tries = 0;
    const call = withRetries(() => (++tries < 3 ? Promise.reject(network()) : Promise.resolve('done')), 'POST');
    await vi.runAllTimersAsync();
    expect(await call).toBe('done');
    expect(tries).toBe(3);
  });

  test('an aborted call stops waiting for its retry', async () => {
    const abort = new AbortController();
    let tries = 0;
    const call = withRetries(() => (++tries, Promise.reject(network())), 'GET', abort.signal);
    const failure = expect(call).rejects.toThrow('no longer wanted');
    await vi.advanceTimersByTimeAsync(500);
    abort.abort(new Error('no longer wanted'));
    await vi.runAllTimersAsync();
    await failure;
    expect(tries).toBe(1);
  });

  test('a call that is aborted before it begins is not tried at all', async () => {
    let tries = 0;
    const aborted = AbortSignal.abort(new Error('no longer wanted'));
    await expect(withRetries(() => Promise.resolve(++tries), 'POST', aborted)).rejects.toThrow('no longer wanted');
    expect(tries).toBe(0);
  });
});

describe('failures', () => {
  test('API-59 a failure carries the detail text of the server', async () => {
    const error = await toApiError(new Response('{"detail":"Bot has open trades"}', { status: 409 }));
    expect([error.status, error.detail, error.message, error.isNetworkError]).toEqual([
      409,
      'Bot has open trades',
      'Bot has open trades',
      false,
    ]);
    expect([messageOf(error), detailOf(error)]).toEqual(['Bot has open trades', 'Bot has open trades']);
  });

  test('API-60 a failure without a detail text carries the general one', async () => {
    for (const body of ['', '<html>', '{}', 'null', '{"detail":""}', '{"detail":7}']) {
      const error = await toApiError(new Response(body, { status: 500 }));
      expect([error.detail, error.message]).toEqual([null, 'Something went wrong. Please try again.']);
    }
    expect(messageOf(network())).toBe('Something went wrong. Please try again.');
    expect(messageOf(new Error('a fault of our own'))).toBe('Something went wrong. Please try again.');
  });
});
