import type { CallReply } from '#contract/client.ts';
import type { UseQueryResult } from '@tanstack/react-query';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api } from '../api/api.ts';
import type { Candle, Overlays } from '../chart/chart-data.ts';
import { useTheme } from '../session/theme-store.ts';
import { currentPrice } from './current-price.ts';
import type { DashboardChoices } from './dashboard-store.ts';
import { keptOrFirst, selectBot, selectPair, useChoices } from './dashboard-store.ts';
import type { PnlPoint } from './pnl-points.ts';
import { pnlAfterLoad } from './pnl-points.ts';

/** How often the chart asks for candles and overlays, in ms. */
export const chartPollMs = 2000;

/** How often the PnL overview and the order log ask again, in ms: every 4 hours. */
export const overviewRefreshMs = 14_400_000;

/** A bot of the selector. */
export type MonitoredBot = CallReply<'availableBots'>['data'][number];

/** A line of the order log. */
export type OrderLogEntry = CallReply<'orderMetrics'>['trades'][number];

/** The dashboard's state: the choices and what the server says about them. Undefined while not loaded or failed. */
export interface Monitoring extends DashboardChoices {
  bots: readonly MonitoredBot[] | undefined;
  pairs: readonly string[] | undefined;
  strategy: string | null; // of the selected bot
  pnl: CallReply<'pnlMetrics'> | undefined;
  pnlLoadedAt: number; // ms
  pnlData: readonly PnlPoint[] | undefined;
  metrics: CallReply<'orderMetrics'> | undefined;
  candles: readonly Candle[] | undefined;
  timeframe: string | undefined;
  overlays: Overlays | undefined;
  currentPrice: number | null;
  dark: boolean;
  isRefreshing: boolean;
  refresh: () => void;
}

/** The bots a person may watch; loaded once when the dashboard appears, and again on refresh. */
export function useAvailableBots(): UseQueryResult<readonly MonitoredBot[]> {
  return useQuery({
    queryKey: availableBotsKey,
    queryFn: async ({ signal }) => (await api.availableBots({}, { signal })).data,
    staleTime: Infinity,
    meta: { what: 'bots' },
  });
}

/** Where the bots of the selector lie in the query store. */
export const availableBotsKey = ['available-bots'] as const;

/** Where the pairs of the bots lie in the query store. */
export const availablePairsKey = ['available-pairs'] as const;

/**
 * Loads what the choices ask for. Bots first, then the pairs of the selected one, then profit and loss, metrics and chart
 * together. What belongs to a choice is keyed by it and forgotten with it, so an answer that comes too late finds nobody.
 */
export function useMonitoring(): Monitoring {
  const queryClient = useQueryClient();
  const choices = useChoices((all) => all);
  const { selectedBotId, selectedPair, pnlRange } = choices;
  const dark = useTheme() === 'dark';

  const botsQuery = useAvailableBots();
  const bots = loaded(botsQuery);
  useEffect(() => {
    if (bots !== undefined)
      selectBot(
        keptOrFirst(
          selectedBotId,
          bots.map((bot) => bot.id),
        ),
        'page',
      );
    else if (botsQuery.isError) selectBot(null, 'page');
  }, [bots, botsQuery.isError, selectedBotId]);

  const pairsQuery = useQuery({
    queryKey: [...availablePairsKey, selectedBotId],
    queryFn: async ({ signal }) => (await api.availablePairs({ query: { bot_id: selectedBotId ?? '' } }, { signal })).pairs,
    enabled: bots?.some((bot) => bot.id === selectedBotId) === true,
    gcTime: 0,
    meta: { what: 'pairs' },
  });
  const pairs = loaded(pairsQuery);
  useEffect(() => {
    if (pairs !== undefined) selectPair(keptOrFirst(selectedPair, pairs), 'page');
    else if (pairsQuery.isError) selectPair(null, 'page');
  }, [pairs, pairsQuery.isError, selectedPair]);

  const query = { bot_id: selectedBotId ?? '', symbol: selectedPair ?? '' };
  const ofPair = { enabled: selectedPair !== null && pairs?.includes(selectedPair) === true, gcTime: 0 };
  const often = { refetchInterval: chartPollMs, refetchIntervalInBackground: true };
  const seldom = { refetchInterval: overviewRefreshMs, refetchIntervalInBackground: true };

  const pnlKey = ['pnl', selectedBotId, selectedPair, pnlRange];
  const pnlQuery = useQuery({
    queryKey: pnlKey,
    queryFn: async ({ signal }) => {
      const known = queryClient.getQueryData<{ points: PnlPoint[] }>(pnlKey)?.points ?? [];
      const answer = await api.pnlMetrics({ query: { ...query, range: pnlRange } }, { signal });
      return { answer, points: pnlAfterLoad(known, answer.history) };
    },
    ...ofPair,
    ...seldom,
    meta: { what: 'PnL' },
  });
  const metricsQuery = useQuery({
    queryKey: ['metrics', selectedBotId, selectedPair],
    queryFn: ({ signal }) => api.orderMetrics({ query }, { signal }),
    ...ofPair,
    ...seldom,
    meta: { what: 'metrics' },
  });
  const candlesQuery = useQuery({
    queryKey: ['candles', selectedBotId, selectedPair],
    queryFn: ({ signal }) => api.chartCandles({ query }, { signal }),
    ...ofPair,
    ...often,
    meta: { what: 'chart' },
  });
  const overlaysQuery = useQuery({
    queryKey: ['overlays', selectedBotId, selectedPair],
    queryFn: ({ signal }) => api.chartOverlays({ query }, { signal }),
    ...ofPair,
    ...often,
    meta: { what: 'chart overlays' },
  });

  const pnl = loaded(pnlQuery);
  const chart = loaded(candlesQuery);
  const refreshed = [botsQuery, pairsQuery, pnlQuery, metricsQuery];
  return {
    ...choices,
    bots,
    pairs,
    strategy: bots?.find((bot) => bot.id === selectedBotId)?.strategy_name ?? null,
    pnl: pnl?.answer,
    pnlLoadedAt: pnlQuery.dataUpdatedAt,
    pnlData: pnl?.points,
    metrics: loaded(metricsQuery),
    candles: chart?.candles,
    timeframe: chart?.timeframe,
    overlays: loaded(overlaysQuery),
    currentPrice: currentPrice(
      { value: pnl?.answer.current_price, loadedAt: pnlQuery.dataUpdatedAt },
      { value: chart?.candles.at(-1)?.close, loadedAt: candlesQuery.dataUpdatedAt },
    ),
    dark,
    isRefreshing: refreshed.some((one) => one.isFetching && !one.isPending),
    refresh: () => {
      for (const one of [...refreshed, candlesQuery, overlaysQuery]) {
        if (one.isEnabled) void one.refetch();
      }
    },
  };
}

/** What a query holds; nothing after a failure. */
function loaded<T>(query: UseQueryResult<T>): T | undefined {
  return query.isError ? undefined : query.data;
}
