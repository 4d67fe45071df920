import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { heldData } from '../api/outage.ts';
import { reasonOf } from '../session/login-flow.ts';
import type { Grouping, Profits } from './ledgers.ts';
import type { ProfitRange } from './profit-range.ts';
import { profitsApi } from './profits-api.ts';

/** The profits of a range as far as they are loaded. */
export interface ProfitsState {
  profits: Profits | undefined;
  isOfOther: boolean; // they are of the range or grouping before, until the new one is there
  failure: { detail: string | null } | null;
  isLoading: boolean;
  refresh: () => void;
}

const refreshMs = 30_000;

/** Loads what the trades closed in a range came to, and again every half minute; null: the range is none. */
export function useProfits(range: ProfitRange | null, group: Grouping): ProfitsState {
  const query = useQuery({
    queryKey: ['profits', range, group],
    queryFn: ({ signal }) =>
      profitsApi.profits(
        { query: { group, ...(range?.from === null ? {} : { from: range?.from }), ...(range?.to === null ? {} : { to: range?.to }) } },
        { signal },
      ),
    enabled: range !== null,
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
    meta: { what: 'profits' },
  });
  return {
    profits: heldData(query),
    isOfOther: query.isPlaceholderData,
    failure: query.isError ? { detail: reasonOf(query.error) } : null,
    isLoading: query.isFetching,
    refresh: () => void query.refetch(),
  };
}
