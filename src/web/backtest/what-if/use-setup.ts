import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/api.ts';
import { messageOf } from '../../api/api-error.ts';
import { heldData } from '../../api/outage.ts';
import type { WhatIfSetup } from './replay/messages.ts';

/** What is replayed: a run, or a bot over its last days. */
export type Subject = { run: string } | { bot: string; days: number };

/** The setup of a subject. */
export interface Setup {
  setup: WhatIfSetup | null;
  error: string | null;
  isLoading: boolean;
  retry: () => void;
}

/** Loads what a replay needs besides candles; null loads nothing. A bot is replayed up to the moment when it was opened. */
export function useSetup(subject: Subject | null): Setup {
  const query = useQuery({
    queryKey: ['what-if', subject],
    queryFn: ({ signal }) => {
      if (subject === null) throw new Error('Nothing is chosen');
      return api.whatIf({ query: 'run' in subject ? { run: subject.run } : { bot: subject.bot, days: String(subject.days) } }, { signal });
    },
    enabled: subject !== null,
    staleTime: Infinity, // later candles are others: they are fetched when the page is opened again
    gcTime: 0,
    refetchOnWindowFocus: false,
    meta: { what: 'the settings to replay' },
  });
  const setup = heldData(query) ?? null;
  return {
    setup,
    error: query.isError && setup === null ? messageOf(query.error) : null,
    isLoading: query.isFetching,
    retry: () => void query.refetch(),
  };
}
