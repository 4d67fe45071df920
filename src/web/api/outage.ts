import type { UseQueryResult } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';

/** Whether a call failed because nobody answered, or because the server or an exchange could not, or could not renew the session; not because it refused. */
export function isOutage(error: unknown): boolean {
  return error instanceof ApiError && (error.status === null || error.status >= 500 || error.status === 429 || error.isUnrenewed);
}

/**
 * What a query holds. During an outage that is what was loaded before, so that a screen keeps its figures; after a refusal
 * nothing, because what was there is no longer true (docs/decisions/0013-outages-keep-what-was-loaded.md).
 */
export function heldData<T>(query: Pick<UseQueryResult<T, unknown>, 'data' | 'error'>): T | undefined {
  return query.error === null || isOutage(query.error) ? query.data : undefined;
}
