import { texts } from '#contract/errors.ts';

/** What is known about a failed call. */
export interface Failure {
  status: number | null; // HTTP status; null when no answer came
  detail: string | null; // the server's sentence for the person
  isUnrenewed?: boolean; // a 401 although the session may continue: the server could not renew it now
  cause?: unknown;
}

/**
 * A call that failed. The message is the server's detail text, else the general one.
 *
 * `status` is null for a network error, that is when no answer came at all.
 */
export class ApiError extends Error {
  readonly status: number | null;
  readonly detail: string | null;
  readonly isUnrenewed: boolean;

  constructor(failure: Failure) {
    super(failure.detail ?? texts.general, { cause: failure.cause });
    this.name = 'ApiError';
    this.status = failure.status;
    this.detail = failure.detail;
    this.isUnrenewed = failure.isUnrenewed === true;
  }

  get isNetworkError(): boolean {
    return this.status === null;
  }
}

/** The sentence to show for any failure: the server's detail text, else the general one. */
export function messageOf(error: unknown): string {
  return error instanceof ApiError ? error.message : texts.general;
}

/** The server's detail text of a failure, or null. */
export function detailOf(error: unknown): string | null {
  return error instanceof ApiError ? error.detail : null;
}

/** The failure that a server's answer describes. */
export async function toApiError(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => null);
  const detail = typeof body === 'object' && body !== null && 'detail' in body ? body.detail : null;
  return new ApiError({ status: response.status, detail: typeof detail === 'string' && detail !== '' ? detail : null });
}
