import type { Bot } from '#contract/bots.ts';
import type { CallReply } from '#contract/client.ts';
import type { UseQueryResult } from '@tanstack/react-query';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { api } from '../api/api.ts';
import { heldData, isOutage } from '../api/outage.ts';
import { useArchivedBots } from '../api/use-archived-bots.ts';
import { availableBotsKey, availablePairsKey } from '../api/query-keys.ts';
import type { Candle, Overlays } from '../chart/chart-data.ts';
import type { KnownPrice } from './current-price.ts';
import { currentPrice, unrealizedAt } from './current-price.ts';
import type { DashboardChoices } from './dashboard-store.ts';
import { keptOrFirst, selectBot, selectPair, useChoices } from './dashboard-store.ts';
import type { PnlPoint } from './pnl-points.ts';
import { pnlAfterLoad, pnlNow } from './pnl-points.ts';
import { modeName } from '../ui/venue.ts';
import { useChart } from './use-chart.ts';
import { useReload } from './use-reload.ts';
import type { MonitoredBot } from './use-watched-bot.ts';
import { useWatchedBot } from './use-watched-bot.ts';

/** How often the PnL overview and the order log ask again, in ms: every 4 hours, unless an order or trade has changed. */
export const overviewRefreshMs = 14_400_000;

/** How often a load that found no server is tried again, in ms. */
const outageRetryMs = 5000;

/** A line of the order log. */
export type OrderLogEntry = CallReply<'orderMetrics'>['trades'][number];

/** The dashboard's state: the choices and what the server says about them. Undefined while not loaded or failed. */
export interface Monitoring extends DashboardChoices {
  bots: readonly MonitoredBot[] | undefined;
  bot: MonitoredBot | null; // the chosen one, in the mode, status and exchange that it has now
  archived: Bot | null; // the chosen bot, when it is archived: then nothing is watched
  pairs: readonly string[] | undefined;
  pnl: CallReply<'pnlMetrics'> | undefined;
  unrealizedPnl: number; // at the current price
  pnlData: readonly PnlPoint[] | undefined;
  pnlStart: PnlPoint | undefined; // where the range began when it was last loaded
  metrics: CallReply<'orderMetrics'> | undefined;
  candles: readonly Candle[] | undefined;
  timeframe: string | undefined;
  overlays: Overlays | undefined;
  stopPrice: number | null; // of the open trade, now
  priceTick: number | null; // the market's smallest step of a price
  currentPrice: KnownPrice | null;
  isLoadingOlder: boolean;
  loadOlder: () => void;
  isLate: boolean; // the server cannot be reached; what is shown is what was there
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

/**
 * Loads what the choices ask for. Bots first, then the pairs of the selected one, then profit and loss, metrics and chart
 * together. What belongs to a choice is keyed by it and forgotten with it, so an answer that comes too late finds nobody.
 */
export function useMonitoring(): Monitoring {
  const queryClient = useQueryClient();
  const choices = useChoices((all) => all);
  const { selectedBotId, selectedPair, pnlRange } = choices;

  const botsQuery = useAvailableBots();
  const bots = heldData(botsQuery);
  const isOther = selectedBotId !== null && bots?.every((bot) => bot.id !== selectedBotId) === true;
  const putAway = useArchivedBots(isOther);
  const archived = putAway.bots?.find((bot) => bot.id === selectedBotId) ?? null;
  const isUnsettled = isOther && (archived !== null || (putAway.bots === undefined && putAway.error === null));
  useEffect(() => {
    if (isUnsettled) return; // an archived one stays chosen, and another is not shown in its place
    if (bots !== undefined)
      selectBot(
        keptOrFirst(
          selectedBotId,
          bots.map((bot) => bot.id),
        ),
        'page',
      );
    else if (botsQuery.isError) selectBot(null, 'page');
  }, [bots, botsQuery.isError, selectedBotId, isUnsettled]);

  const pairsQuery = useQuery({
    queryKey: [...availablePairsKey, selectedBotId],
    queryFn: async ({ signal }) => (await api.availablePairs({ query: { bot_id: selectedBotId ?? '' } }, { signal })).pairs,
    enabled: bots?.some((bot) => bot.id === selectedBotId) === true,
    gcTime: 0,
    meta: { what: 'pairs' },
  });
  const pairs = heldData(pairsQuery);
  useEffect(() => {
    if (pairs !== undefined) selectPair(keptOrFirst(selectedPair, pairs), 'page');
    else if (pairsQuery.isError) selectPair(null, 'page');
  }, [pairs, pairsQuery.isError, selectedPair]);

  const bot = useWatchedBot(bots, selectedBotId);
  // Figures and trades are those of the mode that the bot has when they are asked for: what was loaded in another one is forgotten.
  const mode = bot === null ? null : modeName(bot.mode, bot.exchange_id);
  const query = { bot_id: selectedBotId ?? '', symbol: selectedPair ?? '' };
  const ofPair = { enabled: selectedPair !== null && pairs?.includes(selectedPair) === true, gcTime: 0 };
  const seldom = {
    refetchInterval: ({ state }: { state: { error: unknown } }) => (isOutage(state.error) ? outageRetryMs : overviewRefreshMs),
    refetchOnWindowFocus: true,
    staleTime: overviewRefreshMs, // a tab that is shown again loads them when they are due
  };

  const pnlKey = ['pnl', selectedBotId, selectedPair, pnlRange, mode];
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
    queryKey: ['metrics', selectedBotId, selectedPair, mode],
    queryFn: ({ signal }) => api.orderMetrics({ query }, { signal }),
    ...ofPair,
    ...seldom,
    meta: { what: 'metrics' },
  });
  const ofChart = useChart({ botId: selectedBotId, pair: selectedPair, mode }, ofPair.enabled);
  const { chart, candles } = ofChart;

  const pnl = heldData(pnlQuery);
  const metrics = heldData(metricsQuery);
  useReload(pnlQuery, chart?.trades_version, pnl?.answer.trades_version);
  useReload(metricsQuery, chart?.trades_version, metrics?.trades_version);

  const close = chart?.candles.at(-1)?.close;
  const price = currentPrice(
    toPrice(pnl?.answer.current_price, pnl?.answer, pnlQuery.dataUpdatedAt),
    toPrice(close, chart, ofChart.query.dataUpdatedAt),
  );
  const unrealizedPnl = pnl === undefined ? 0 : unrealizedAt(pnl.answer, price);
  const pnlData = useMemo(
    () => (pnl === undefined ? undefined : pnlNow(pnl.points, unrealizedPnl - pnl.answer.unrealized_pnl, price?.time)),
    [pnl, unrealizedPnl, price?.time],
  );
  const refreshed = [botsQuery, pairsQuery, pnlQuery, metricsQuery];
  return {
    ...choices,
    ...(isUnsettled ? { selectedBotId: null, selectedPair: null } : {}), // nothing of it is watched
    archived,
    bots,
    bot,
    pairs,
    pnl: pnl?.answer,
    unrealizedPnl,
    pnlData,
    pnlStart: pnl?.answer.history[0],
    metrics,
    candles,
    timeframe: chart?.timeframe,
    overlays: ofChart.overlays,
    stopPrice: chart?.stop_price ?? null,
    priceTick: chart?.price_tick ?? pnl?.answer.price_tick ?? metrics?.price_tick ?? null,
    currentPrice: price,
    isLoadingOlder: ofChart.isLoadingOlder,
    loadOlder: ofChart.loadOlder,
    isLate: isOutage(ofChart.query.error),
    isRefreshing: refreshed.some((one) => one.isFetching && !one.isPending),
    refresh: () => {
      for (const one of refreshed) if (one.isEnabled) void one.refetch();
      if (ofPair.enabled) ofChart.reload();
    },
  };
}

/** A price with what its answer says of it; null while there is none. */
function toPrice(
  price: number | null | undefined,
  of: { price_time?: number | undefined; price_age_ms?: number | undefined } | undefined,
  receivedAt: number,
): KnownPrice | null {
  if (price === undefined || price === null) return null;
  return { price, time: of?.price_time, ageMs: of?.price_age_ms ?? 0, receivedAt };
}
