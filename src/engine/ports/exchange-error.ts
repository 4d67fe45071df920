/**
 * What a failure of an exchange means for us.
 *
 * - `temporary`: nothing was done; the same may be tried again
 * - `rejected`: the exchange said no; trying again is useless
 * - `unauthorised`: the key is wrong or lacks a right
 * - `unknown`: we cannot know whether it happened
 */
export type ExchangeErrorKind = 'temporary' | 'rejected' | 'unauthorised' | 'unknown';

/** A failure outside, at an exchange. Its message says what was asked of which exchange and what came back. */
export class ExchangeError extends Error {
  readonly kind: ExchangeErrorKind;
  readonly retryAfterMs: number | null; // what the exchange asked for, if it did

  constructor(kind: ExchangeErrorKind, message: string, options: { cause?: unknown; retryAfterMs?: number | null } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = 'ExchangeError';
    this.kind = kind;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

/** The exchange was asked just now, and does not have the instrument. */
export class NotListed extends ExchangeError {
  constructor(message: string) {
    super('rejected', message);
  }
}
