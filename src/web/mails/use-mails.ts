import type { CallReply } from '#contract/client.ts';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { api } from '../api/api.ts';
import { isOutage } from '../api/outage.ts';
import { reasonOf } from '../session/login-flow.ts';

/** A mail of the outbox. */
export type OutboxMail = CallReply<'listMails'>['mails'][number];

/** Which mails are shown: those of one state, or '' for all. */
export type MailFilter = OutboxMail['state'] | '';

/** While a mail waits the list is asked for again this often, in ms. */
const waitingMs = 5_000;

/** The outbox as far as it is loaded. */
export interface MailsState {
  mails: readonly OutboxMail[] | undefined; // the newest first; undefined while not loaded, or when that failed
  counts: CallReply<'listMails'>['counts'] | undefined;
  goesTo: CallReply<'listMails'>['goes_to'] | undefined;
  isOfOtherFilter: boolean; // what is there is still that of the filter before
  isLoadingOlder: boolean;
  hasOlder: boolean;
  failure: { detail: string | null } | null; // of the newest load
  loadOlder: () => void;
  reload: () => Promise<unknown>;
}

/** Loads the mails of one state or of all, fifty at a time, and follows them while one waits. */
export function useMails(filter: MailFilter): MailsState {
  const list = useInfiniteQuery({
    queryKey: ['mails', filter],
    queryFn: ({ pageParam, signal }) =>
      api.listMails(
        { query: { ...(filter === '' ? {} : { state: filter }), ...(pageParam === null ? {} : { before: pageParam }) } },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => ((state.data?.pages[0]?.counts.waiting ?? 0) > 0 ? waitingMs : false),
    meta: { what: 'mails' },
  });
  const isHeld = list.error === null || isOutage(list.error);
  const pages = isHeld ? list.data?.pages : undefined;
  return {
    mails: pages?.flatMap(({ mails }) => mails),
    counts: pages?.[0]?.counts,
    goesTo: pages?.[0]?.goes_to,
    isOfOtherFilter: list.isPlaceholderData,
    isLoadingOlder: list.isFetchingNextPage,
    hasOlder: list.hasNextPage,
    failure: list.isError ? { detail: reasonOf(list.error) } : null,
    loadOlder: () => void list.fetchNextPage(),
    reload: list.refetch,
  };
}
