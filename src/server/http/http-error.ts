/** A failure that is explained to the caller: its status and the sentence for the person. Everything else is a general 500. */
export class HttpError extends Error {
  readonly status: number;
  readonly retryAfterSeconds: number | null;

  constructor(status: number, detail: string, options: { cause?: unknown; retryAfterSeconds?: number } = {}) {
    super(detail, options.cause === undefined ? {} : { cause: options.cause });
    this.name = 'HttpError';
    this.status = status;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
  }
}
