import type { UseQueryResult } from '@tanstack/react-query';
import { ApiError } from '../api/api-error.ts';

/**
 * What a query holds. After a refusal nothing: the server says that this is not to be seen. While the server cannot be
 * reached what was there remains; whoever shows it says how old it is.
 */
export function loaded<T>(query: Pick<UseQueryResult<T, unknown>, 'isError' | 'error' | 'data'>): T | undefined {
  return query.isError && !isOutage(query.error) ? undefined : query.data;
}

/** Whether a call failed because nobody answered, or because the server could not; not because it refused. */
export function isOutage(error: unknown): boolean {
  return error instanceof ApiError && (error.status === null || error.status >= 500 || error.status === 429);
}
