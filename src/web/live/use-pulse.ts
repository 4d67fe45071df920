import type { CallReply } from '#contract/client.ts';
import type { UseQueryResult } from '@tanstack/react-query';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { api } from '../api/api.ts';
import { useIsFollowing } from './following.ts';

/** Alarms, the kill switch and differences, as one call answers them. */
export type Pulse = CallReply<'pulse'>;

/** Where the pulse lies in the query store: whoever has changed something of it asks for it again. */
export const pulseKey = ['pulse'] as const;

/** How often it is asked for, in ms. */
const calmMs = 10_000;

/** How often while something that a person waits for is under way, in ms. */
const busyMs = 5000;

/** How often while the tab is hidden, in ms. */
const hiddenMs = 30_000;

const pulseQuery = queryOptions({
  queryKey: pulseKey,
  queryFn: ({ signal }) => api.pulse({}, { signal }),
  staleTime: busyMs, // what appears on the page meanwhile reads what is there
  refetchOnWindowFocus: true, // a hidden tab asks seldom
  meta: { what: 'alarms, trading state and differences' },
});

/** A part of the pulse; whoever reads it does not ask again, `useKeptPulse` does. */
export function usePulse<T>(part: (pulse: Pulse) => T): UseQueryResult<T> {
  return useQuery({ ...pulseQuery, select: part });
}

/** Keeps the pulse new while the page is shown: used once, because each use has a timer of its own. */
export function useKeptPulse(): void {
  const isFollowing = useIsFollowing();
  useQuery({
    ...pulseQuery,
    refetchInterval: ({ state }) => {
      if (document.visibilityState === 'hidden') return hiddenMs;
      if (state.data !== undefined && isUnderWay(state.data)) return busyMs;
      return isFollowing ? false : calmMs;
    },
    refetchIntervalInBackground: true, // the title of the tab counts alarms, and is seen beside others
    notifyOnChangeProps: [], // it draws nothing
  });
}

/** Whether trades are being closed or a stop is on its way. */
function isUnderWay({ trading, differences }: Pulse): boolean {
  return (
    trading.switches.some(({ closing_all: closing }) => closing !== null && closing.open > 0) ||
    differences.unprotected.some(({ next_stop: next }) => next === 'asked' || next === 'on-its-way')
  );
}
