import type { CallReply } from '#contract/client.ts';
import type { UseQueryResult } from '@tanstack/react-query';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useDeferredValue, useMemo, useRef } from 'react';
import { api } from '../api/api.ts';
import { heldData, isOutage } from '../api/outage.ts';
import type { Candle, Overlays } from '../chart/chart-data.ts';
import type { ChartState } from './chart-answer.ts';
import { useIsFollowing } from '../live/following.ts';
import { useFollowedStatus } from '../live/use-followed-status.ts';
import { chartPollMs } from '../live/use-live-status.ts';
import type { ModeName } from '../ui/venue.ts';
import { afterAnswer, lineAfter } from './chart-answer.ts';
import { useChartChoices } from './chart-store.ts';
import { useReload } from './use-reload.ts';

/** How many candles back a chart goes at most. */
export const candlesMax = 3000;

/** The chart of the selected pair: candles, what lies over them, and how to get more of them. Undefined while not loaded or refused. */
export interface ChartOfPair {
  query: UseQueryResult<ChartState>;
  overlaysQuery: UseQueryResult<Overlays>;
  chart: ChartState | undefined;
  candles: readonly Candle[] | undefined; // the older ones that were loaded before them
  overlays: Overlays | undefined;
  isLoadingOlder: boolean;
  loadOlder: () => void;
  reload: () => void; // all of it, not only what has changed
}

/** What is drawn. */
export interface ChartChoice {
  botId: string | null;
  pair: string | null;
  mode: ModeName | null; // of the bot: its trades over the candles are of one mode
}

/**
 * Loads the chart of a pair and keeps it up to date. Every two seconds the server sends the candles that have changed and says
 * whether anything over them has; only then the overlays are loaded again. While it sends nothing the page asks at the same beat. A
 * server that does not say what has changed is asked for both at every beat.
 */
export function useChart({ botId, pair, mode }: ChartChoice, isEnabled: boolean): ChartOfPair {
  const queryClient = useQueryClient();
  const { timeframe, indicators } = useChartChoices();
  const of = [botId, pair, timeframe];
  const asked = { bot_id: botId ?? '', symbol: pair ?? '', ...(timeframe === null ? {} : { timeframe }) };
  const options = { enabled: isEnabled, gcTime: 0 };
  const isFull = useRef(false);
  const isFollowing = useIsFollowing();

  const key = ['candles', ...of];
  const query = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => {
      const known = isFull.current ? undefined : queryClient.getQueryData<ChartState>(key);
      isFull.current = false;
      const after = known?.cursor === undefined ? {} : { after: known.cursor };
      const answer = await api.chartCandles({ query: { ...asked, ...after } }, { signal });
      return afterAnswer(queryClient.getQueryData<ChartState>(key), answer);
    },
    refetchInterval: isFollowing ? false : chartPollMs,
    refetchOnWindowFocus: true, // a hidden tab asks for nothing
    ...options,
    meta: { what: 'chart' },
  });
  const chart = heldData(query);
  useFollowedStatus({
    asked,
    cursor: isEnabled && query.error === null ? query.data?.cursor : undefined,
    onChart: (answer) => queryClient.setQueryData<ChartState>(key, (known) => (known === undefined ? known : afterAnswer(known, answer))),
    onLost: () => void query.refetch({ cancelRefetch: false }),
  });

  const first = chart?.candles[0]?.timestamp ?? 0;
  const older = useInfiniteQuery({
    queryKey: ['older-candles', ...of, first],
    queryFn: ({ signal, pageParam }) => api.chartCandles({ query: { ...asked, before: pageParam } }, { signal }),
    initialPageParam: first,
    getNextPageParam: (page: CallReply<'chartCandles'>, pages) =>
      pages.length * 300 + 300 >= candlesMax ? undefined : (page.candles[0]?.timestamp ?? undefined),
    enabled: false,
    gcTime: 0,
    meta: { what: 'older candles' },
  });
  const pages = older.data?.pages;
  const candles = useMemo(
    () => (chart === undefined ? undefined : [...(pages?.toReversed().flatMap((page) => page.candles) ?? []), ...chart.candles]),
    [pages, chart],
  );
  const { fetchNextPage, isFetching, hasNextPage } = older;
  const isLoadingOlder = isFetching;
  // The query of a chart's older candles is set up after the chart was drawn: asked at once it would ask for those of none.
  const drawnFirst = useDeferredValue(first);
  const mayGrow = chart !== undefined && drawnFirst === first && !isFetching && !older.isError && (pages === undefined || hasNextPage);
  const loadOlder = useCallback(() => void (mayGrow && fetchNextPage()), [mayGrow, fetchNextPage]);

  const oldest = pages === undefined ? undefined : candles?.[0]?.timestamp;
  const wanted = indicators.length > 0 ? { indicators: 'on' as const } : {};
  // Indicators are of closed candles: a newer candle means that they continue.
  const newest = indicators.length > 0 ? chart?.candles.at(-1)?.timestamp : undefined;
  const overlaysQuery = useQuery({
    queryKey: ['overlays', ...of, mode, indicators.length > 0, oldest, newest],
    queryFn: ({ signal }) =>
      api.chartOverlays({ query: { ...asked, ...wanted, ...(oldest === undefined ? {} : { from: oldest }) } }, { signal }),
    refetchInterval: ({ state }) => (state.data?.version === undefined || isOutage(state.error) ? chartPollMs : false),
    placeholderData: (before, last) => (String(last?.queryKey.slice(1, 5)) === String([...of, mode]) ? before : undefined), // of the same chart only
    ...options,
    meta: { what: 'chart overlays' },
  });
  const drawn = heldData(overlaysQuery);
  useReload(overlaysQuery, chart?.overlays_version, drawn?.version);
  const newestPoints = chart?.avwap;
  const overlays = useMemo(
    () => (drawn === undefined || newestPoints === undefined ? drawn : { ...drawn, avwap: lineAfter(drawn.avwap, newestPoints) }),
    [drawn, newestPoints],
  );

  const { refetch } = query;
  const { refetch: refetchOverlays } = overlaysQuery;
  return {
    query,
    overlaysQuery,
    chart,
    candles,
    overlays,
    isLoadingOlder,
    loadOlder,
    reload: () => {
      isFull.current = true;
      void refetch();
      void refetchOverlays();
    },
  };
}
