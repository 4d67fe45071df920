import type { CallInput, CallReply } from '#contract/client.ts';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { api } from '../api/api.ts';
import { heldData } from '../api/outage.ts';

/** A decision of a bot. */
export type Decision = CallReply<'botDecisions'>['decisions'][number];

/** What became of the candles of a time. */
export type DecisionFunnel = NonNullable<CallReply<'botDecisions'>['funnels']>['range'];

/** Which decisions are shown; null shows all. */
export interface DecisionChoice {
  days: number;
  symbol: string | null;
  show: string | null; // a gate, 'signals' or 'entered'
}

const dayMs = 86_400_000;

/** How often the newest decisions are asked for while the page is open, in ms. */
const pollMs = 60_000;

/** The decisions of a bot, as far as they are loaded, and what became of its signals. */
export function useDecisions(botId: string, { days, symbol, show }: DecisionChoice) {
  const list = useInfiniteQuery({
    queryKey: ['decisions', botId, days, symbol, show],
    queryFn: async ({ pageParam, signal }) => {
      const query: CallInput<'botDecisions'>['query'] = pageParam ?? {
        ...(days === 1 ? {} : { from: new Date(Date.now() - days * dayMs).toISOString() }),
        ...(symbol === null ? {} : { symbol }),
        ...shown(show),
      };
      return { query, ...(await api.botDecisions({ params: { id: botId }, query }, { signal })) };
    },
    initialPageParam: null as CallInput<'botDecisions'>['query'] | null,
    // Later pages are of the range that the first was of, whatever the time is now.
    getNextPageParam: ({ query, from, to, next }) => (next === null ? null : { ...query, from, to, before: next }),
    refetchInterval: ({ state }) => (state.data === undefined || state.data.pages.length === 1 ? pollMs : false), // who reads older ones is left alone
    meta: { what: 'decisions' },
  });
  const bot = useQuery({
    queryKey: ['decisions', botId, 'bot'],
    queryFn: ({ signal }) => api.getBot({ params: { id: botId } }, { signal }),
    meta: { what: 'bot' },
  });
  return { list, data: heldData(list), bot: heldData(bot) };
}

function shown(show: string | null): Pick<CallInput<'botDecisions'>['query'], 'gate' | 'action' | 'signals'> {
  if (show === null) return {};
  if (show === 'signals') return { signals: 'only' };
  return show === 'entered' ? { action: 'enter' } : { gate: show };
}
