import type { WireRequest } from '#contract/client.ts';
import { ApiError } from './api-error.ts';
import { isOutage } from './outage.ts';

/**
 * The idempotency keys of a question that a person may ask again: a call that got no answer keeps its key, so that the server does it once
 * however often it is sent. With another body it is another call; once it was answered the next one is a new one, which is done again.
 */
export class UnansweredKeys {
  readonly #keys = new Map<string, string>();

  /** Makes a call with its key. */
  async keyed<T>({ route, path, body }: WireRequest, call: (key: string) => Promise<T>): Promise<T> {
    const asked = `${route.method} ${path} ${JSON.stringify(body)}`;
    const key = this.#keys.get(asked) ?? crypto.randomUUID();
    this.#keys.set(asked, key);
    try {
      const answer = await call(key);
      this.#keys.delete(asked);
      return answer;
    } catch (error) {
      if (isAnswer(error)) this.#keys.delete(asked);
      throw error;
    }
  }
}

/**
 * Whether a failure says what became of the call. A server error may come from a proxy before the server, 429 while an earlier try is
 * still under way, and 401 is said before anybody looks at the key: none of them says whether an earlier try was done.
 */
function isAnswer(error: unknown): boolean {
  return error instanceof ApiError && !isOutage(error) && error.status !== 401;
}
