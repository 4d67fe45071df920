import type { InfiniteData } from '@tanstack/react-query';
import { keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../api/api.ts';
import { isOutage } from '../api/outage.ts';
import { reasonOf } from '../session/login-flow.ts';
import type { AuditFilter, AuditQuery } from './audit-filter.ts';
import { auditQuery } from './audit-filter.ts';
import type { AuditRecord } from './record-text.ts';

/** The records that a filter lets through, as far as they are loaded. */
export interface AuditLogState {
  pages: readonly (readonly AuditRecord[])[] | undefined; // the newest first; undefined while not loaded, or when that failed
  total: number; // of all that the filter let through when the first page was loaded
  hasOlder: boolean; // than those loaded
  isLoading: boolean;
  isOfOtherFilter: boolean; // what is there is still that of the filter before
  failure: { detail: string | null; isOfOlder: boolean } | null; // of the newest load
  loadOlder: () => Promise<boolean>; // whether there are more pages now
  reload: () => Promise<void>; // the newest ones only
}

/** Loads the records that the filter lets through, a page at a time. */
export function useAuditLog(filter: AuditFilter): AuditLogState {
  const queryClient = useQueryClient();
  const queryKey = ['audit', filter];
  const list = useInfiniteQuery({
    queryKey,
    queryFn: async ({ pageParam, signal }) => {
      const query = pageParam ?? auditQuery(filter, Date.now());
      return { query, ...(await api.listAudit({ query }, { signal })) };
    },
    initialPageParam: null as AuditQuery | null,
    // The server names a next page after every full one; after the last one it would be empty.
    getNextPageParam: ({ query, next }, loaded) => {
      const count = loaded.reduce((sum, { records }) => sum + records.length, 0);
      return next === null || count >= (loaded[0]?.total ?? 0) ? null : { ...query, before: next };
    },
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 0, // who comes back sees what is new
    meta: { what: 'audit log' },
  });
  const isHeld = list.error === null || isOutage(list.error);
  const pages = isHeld ? list.data?.pages : undefined;
  return {
    pages: pages?.map(({ records }) => records),
    total: pages?.[0]?.total ?? 0,
    hasOlder: list.hasNextPage,
    isLoading: list.isFetching,
    isOfOtherFilter: list.isPlaceholderData,
    failure: list.isError ? { detail: reasonOf(list.error), isOfOlder: list.isFetchNextPageError } : null,
    loadOlder: async () => {
      const { isError } = await list.fetchNextPage();
      return !isError;
    },
    reload: async () => {
      queryClient.setQueryData<InfiniteData<unknown>>(queryKey, (data) => data && withFirstOnly(data));
      await list.refetch();
    },
  };
}

function withFirstOnly<T>({ pages, pageParams }: InfiniteData<T>): InfiniteData<T> {
  return { pages: pages.slice(0, 1), pageParams: pageParams.slice(0, 1) };
}
