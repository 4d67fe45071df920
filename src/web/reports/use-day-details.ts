import { useQuery } from '@tanstack/react-query';
import { api } from '../api/api.ts';
import { heldData } from '../api/outage.ts';
import { reasonOf } from '../session/login-flow.ts';
import type { DayDetails } from './day-curves.ts';

/** A day by mode and trade, as far as it is loaded. */
export interface DayDetailsState {
  details: DayDetails | undefined;
  failure: string | null;
  isLoading: boolean;
  refresh: () => void;
}

/** Loads what the report of a UTC day consists of; `isWanted`: the day has trades. */
export function useDayDetails(day: string, isWanted: boolean): DayDetailsState {
  const query = useQuery({
    queryKey: ['report-trades', day],
    queryFn: ({ signal }) => api.reportTrades({ params: { id: day } }, { signal }),
    enabled: isWanted,
    meta: { what: 'trades of the day' },
  });
  return {
    details: heldData(query),
    failure: query.isError ? (reasonOf(query.error) ?? '') : null,
    isLoading: query.isFetching,
    refresh: () => void query.refetch(),
  };
}
