import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { heldData } from '../api/outage.ts';
import { reasonOf } from '../session/login-flow.ts';
import type { InvestorFilter, InvestorRow } from './investor-rows.ts';
import { firstFilter } from './investor-rows.ts';

/** The investor summary as far as it is loaded. */
export interface InvestorSummaryState {
  rows: readonly InvestorRow[] | undefined; // undefined while not loaded, or when that was refused
  isOfOtherFilter: boolean; // what is there is still that of the filter before
  failure: { detail: string | null } | null; // of the newest load
  isLoading: boolean;
  load: (filter: InvestorFilter) => void;
  reload: () => void; // with the filter of before
}

/** Loads the investor summary: once without a filter, then whenever it is asked to. Only admins ask for one trader. */
export function useInvestorSummary(isAdmin: boolean): InvestorSummaryState {
  const [asked, setAsked] = useState(firstFilter);
  const query = useQuery({
    queryKey: ['investor-summary', asked],
    queryFn: ({ signal }) => {
      const { start, end, traderId, mode } = asked;
      return api.investorSummary({ query: { start, end, mode, ...(isAdmin ? { trader_id: traderId } : {}) } }, { signal });
    },
    placeholderData: keepPreviousData,
    gcTime: 0, // who comes back sees what is new
    meta: { what: 'investor summary' },
  });
  const reload = () => void query.refetch();
  return {
    rows: heldData(query),
    isOfOtherFilter: query.isPlaceholderData,
    failure: query.isError ? { detail: reasonOf(query.error) } : null,
    isLoading: query.isFetching,
    load: (filter) => {
      if (JSON.stringify(filter) === JSON.stringify(asked)) reload();
      else setAsked(filter);
    },
    reload,
  };
}
