import type { UseQueryResult } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';
import { isServerError } from './connection.ts';

/** Whether a call failed because the server could not be reached or was broken itself, rather than because it refused. */
function isOutage(error: unknown): boolean {
  return error instanceof ApiError && (error.status === null || isServerError(error.status));
}

/**
 * What a query holds. During an outage that is what was loaded before, so that a screen keeps its figures; after a refusal
 * nothing, because what was there is no longer true (docs/decisions/0013-outages-keep-what-was-loaded.md).
 */
export function heldData<T>(query: Pick<UseQueryResult<T>, 'data' | 'error'>): T | undefined {
  return query.error === null || isOutage(query.error) ? query.data : undefined;
}
