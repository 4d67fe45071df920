import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '../api/api.ts';
import { heldData } from '../api/outage.ts';
import { reasonOf } from '../session/login-flow.ts';
import type { FundOverview } from './overview.ts';
import { normalised } from './overview.ts';

/** The fund overview as far as it is loaded. */
export interface FundOverviewState {
  overview: FundOverview | undefined; // undefined while not loaded, or when that was refused
  failure: { detail: string | null } | null; // of the newest load
  isLoading: boolean;
  reload: () => void;
}

/** Loads the fund overview. */
export function useFundOverview(): FundOverviewState {
  const query = useQuery({
    queryKey: ['fund-overview'],
    queryFn: ({ signal }) => api.fundOverview({}, { signal }),
    meta: { what: 'fund overview' },
  });
  const data = heldData(query);
  const overview = useMemo(() => data && normalised(data), [data]);
  return {
    overview,
    failure: query.isError ? { detail: reasonOf(query.error) } : null,
    isLoading: query.isFetching,
    reload: () => void query.refetch(),
  };
}
