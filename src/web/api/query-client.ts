import { QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: { what?: string }; // names the data in the log, e.g. 'bots'
  }
}

/** Writes a failure to the log of the browser, for those that the screen does not show. The end of the session is none: the sign-in says it. */
export function logFailure(what: string, error: unknown): void {
  if (error instanceof ApiError && error.status === 401) return;
  console.error(`Failed to load ${what}:`, error);
}

/** The store of server data. Repetition of failed calls is the business of `send`, so there is none here. */
export function createQueryClient(): QueryClient {
  const failing = new Set<string>(); // a poll that keeps failing is logged once
  return new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        if (!failing.has(query.queryHash)) logFailure(query.meta?.what ?? 'data', error);
        failing.add(query.queryHash);
      },
      onSuccess: (_, query) => failing.delete(query.queryHash),
    }),
    defaultOptions: {
      queries: { retry: false, refetchOnWindowFocus: false, refetchOnReconnect: false, networkMode: 'always' },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}
