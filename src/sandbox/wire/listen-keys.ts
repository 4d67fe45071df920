import { randomBytes } from 'node:crypto';
import { minuteMs } from '#engine/market/durations.ts';

/** How long a listen key lives without being renewed. */
export const listenKeyMs = 60 * minuteMs;

/** The listen keys of USD-M: one for each account, by which a socket listens to it. They do not outlive the sandbox. */
export class ListenKeys {
  readonly #keys = new Map<string, { listenKey: string; until: number }>(); // by API key

  /** The listen key of an account, which lives for an hour from now. */
  create(apiKey: string, now: number): string {
    const current = this.#live(apiKey, now);
    const listenKey = current?.listenKey ?? randomBytes(32).toString('hex');
    this.#keys.set(apiKey, { listenKey, until: now + listenKeyMs });
    return listenKey;
  }

  /** Lets it live for another hour; null when it has ended. */
  renew(apiKey: string, now: number): string | null {
    return this.#live(apiKey, now) === undefined ? null : this.create(apiKey, now);
  }

  end(apiKey: string): void {
    this.#keys.delete(apiKey);
  }

  /** Ends all at once, as on demand. */
  endAll(): void {
    this.#keys.clear();
  }

  /** The API key a listen key belongs to; null when there is none, or no more. */
  ownerOf(listenKey: string, now: number): string | null {
    const found = [...this.#keys].find(([, entry]) => entry.listenKey === listenKey && entry.until > now);
    return found?.[0] ?? null;
  }

  #live(apiKey: string, now: number): { listenKey: string; until: number } | undefined {
    const entry = this.#keys.get(apiKey);
    return entry !== undefined && entry.until > now ? entry : undefined;
  }
}
