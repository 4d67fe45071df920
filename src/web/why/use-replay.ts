import type { CallReply } from '#contract/client.ts';
import { isReplayable } from '#contract/decisions.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { messageOf } from '../api/api-error.ts';
import type { DecisionChoice } from './use-decisions.ts';

type Reply = CallReply<'replayRefused'>;

/** What refused entries would have made. */
export type ReplayOfEntries = NonNullable<Reply['replay']>;

/** What one of them would have made. */
export type ReplayedEntry = ReplayOfEntries['entries'][number];

/** The replay of the refused entries that are chosen. */
export interface Replay {
  isBusy: boolean;
  reply: Reply | null; // null until it was asked for
  failure: string | null;
  ask: () => void;
}

const dayMs = 86_400_000;

/** How soon is asked again while candles are on their way, in ms. */
const againMs = 2_000;

/** What the entries that a check has refused would have made, once it is asked for; null where no such check is chosen. */
export function useReplay(botId: string, { days, symbol, show }: DecisionChoice): Replay | null {
  const [asked, setAsked] = useState<string | null>(null);
  const gate = show === null || show === 'signals' || show === 'entered' || !isReplayable(show) ? null : show;
  const choice = JSON.stringify([botId, days, symbol, gate]);
  const isAsked = gate !== null && asked === choice;
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['replay-refused', choice],
    queryFn: ({ signal }) => {
      const from = days === 1 ? {} : { from: new Date(Date.now() - days * dayMs).toISOString() };
      const body = { gate: gate ?? '', ...from, ...(symbol === null ? {} : { symbol }) };
      return api.replayRefused({ params: { id: botId }, body }, { signal });
    },
    enabled: isAsked,
    staleTime: Infinity, // it is another one only when it is asked for again
    refetchOnWindowFocus: false,
    refetchInterval: ({ state }) => (state.data?.state === 'downloading' ? againMs : false),
    meta: { what: 'the replay' },
  });
  if (gate === null) return null;
  return {
    isBusy: isAsked && (isFetching || data?.state === 'downloading'),
    reply: isAsked ? (data ?? null) : null,
    failure: isAsked && !isFetching && error !== null ? messageOf(error) : null,
    ask: () => (isAsked ? void refetch() : setAsked(choice)),
  };
}
