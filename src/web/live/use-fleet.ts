import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '../api/api.ts';
import { heldData } from '../api/outage.ts';
import { useNow } from '../ui/use-now.ts';
import type { FleetBot } from './joined-fleet.ts';
import { joinedFleet } from './joined-fleet.ts';
import { liveKey } from './live-key.ts';
import { askLiveStatus } from './newest-live-status.ts';
import { livePollMs, useIsChartPolled, useLiveStatus } from './use-live-status.ts';

/** How often decisions and today's profit are asked for, in ms; at once when a bot's trades or status change. */
export const fleetPollMs = 3 * livePollMs;

/** How often on Status, beside the polls of the chart, in ms. */
export const statusPollMs = 6 * livePollMs;

/** How often the last seven days are asked for, in ms; at once when a bot is in another mode. */
export const historyPollMs = 900_000;

/** How often it is asked what became of the last hour and day, in ms; at once when another bot is active. */
const hourPollMs = 60_000;

/** The fleet as the screens show it. */
export interface Fleet {
  bots: readonly FleetBot[] | undefined; // undefined while not loaded, or refused
  time: number; // ms, by the server's clock, of what is newest
  loadedAt: number; // ms, by this page's clock
  error: unknown; // null unless it was refused
}

/** The visible bots: what changes by the second, by the candle and by the hour, each asked for at its own pace. */
export function useFleet(): Fleet {
  const queryClient = useQueryClient();
  const isChartPolled = useIsChartPolled();
  const live = useLiveStatus();
  const state = live.data?.bots.map(({ bot_id, status, mode, open_trades }) => `${bot_id}${status}${mode}${open_trades}`).join(' ') ?? '';
  const active = live.data?.bots.flatMap(({ bot_id, status }) => (status === 'active' ? [bot_id] : [])).join(' ') ?? '';
  const modes = live.data?.bots.map(({ bot_id, mode }) => `${bot_id}${mode}`).join(' ') ?? '';
  const facts = useQuery({
    queryKey: [...liveKey, 'fleet', state],
    queryFn: async ({ signal }) => {
      const { answer, newest } = await askLiveStatus(queryClient, () => api.liveStatus({ query: { fleet: 'true' } }, { signal }));
      queryClient.setQueryData(liveKey, newest); // it holds all that the plain answer does
      return answer;
    },
    refetchInterval: isChartPolled ? statusPollMs : fleetPollMs,
    refetchOnWindowFocus: true,
    placeholderData: (before) => before, // the last ones until those of the new state are there
    enabled: live.data !== undefined,
    gcTime: fleetPollMs,
    meta: { what: 'fleet' },
  });
  const history = useQuery({
    queryKey: [...liveKey, 'history', modes],
    queryFn: ({ signal }) => api.liveStatus({ query: { history: 'true' } }, { signal }),
    refetchInterval: historyPollMs,
    staleTime: historyPollMs,
    placeholderData: (before) => before,
    enabled: live.data !== undefined,
    gcTime: historyPollMs,
    meta: { what: 'fleet history' },
  });
  const hour = useQuery({
    queryKey: [...liveKey, 'hour', active],
    queryFn: ({ signal }) => api.liveStatus({ query: { hour: 'true' } }, { signal }),
    refetchInterval: hourPollMs,
    staleTime: hourPollMs,
    placeholderData: (before) => before,
    enabled: facts.data !== undefined, // what it adds to is shown first
    gcTime: hourPollMs,
    meta: { what: 'last hour and day of the fleet' },
  });
  const newest = heldData(live);
  const slower = heldData(facts);
  const slowest = heldData(history);
  const ofHour = heldData(hour);
  const bots = useMemo(() => newest && joinedFleet(newest, slower, slowest, ofHour), [newest, slower, slowest, ofHour]);
  return {
    bots,
    time: newest === undefined ? 0 : Date.parse(newest.time),
    loadedAt: live.dataUpdatedAt,
    error: bots === undefined ? live.error : null,
  };
}

/** The server's time in ms, as far as its last answer says: a clock of this page that is wrong makes no price look old. */
export function useServerNow({ time, loadedAt }: Pick<Fleet, 'time' | 'loadedAt'>): number {
  return time + Math.max(0, useNow(livePollMs) - loadedAt);
}
