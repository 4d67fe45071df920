import { type MarketHistory, unpackHistory } from '#contract/packed-history.ts';
import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '../../../api/api.ts';
import { messageOf } from '../../../api/api-error.ts';
import { inTurn } from '../../../api/candle-queue.ts';
import type { PackedHistories } from './answerers.ts';
import type { HistoryNames, WhatIfSetup } from './messages.ts';

/** The candles of a setup. */
export interface Candles {
  all: { names: HistoryNames; packed: PackedHistories; histories: ReadonlyMap<string, MarketHistory> } | null; // null while one is missing
  loaded: number; // of `wanted`
  wanted: number;
  error: string | null;
  isLoading: boolean;
  retry: () => void;
}

/** How long candles stay in memory when nobody looks at them, in ms. */
const keptMs = 600_000;

/** Fetches the candles that a setup names, one after the other. */
export function useCandles(setup: WhatIfSetup | null): Candles {
  const wanted = useMemo(() => (setup === null ? [] : wantedOf(setup)), [setup]);
  const queries = useQueries({
    queries: wanted.map((query) => ({
      queryKey: ['what-if-candles', ...Object.values(query)],
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const answer = await inTurn(signal, () => api.whatIfCandles({ query }, { signal }));
        const packed = await (answer as Blob).arrayBuffer();
        return { packed, history: unpackHistory(packed) };
      },
      staleTime: Infinity,
      gcTime: keptMs,
      meta: { what: 'candles' },
    })),
  });
  const loaded = queries.filter(({ data }) => data !== undefined).length;
  const isComplete = setup !== null && loaded === wanted.length;
  const failed = queries.findIndex(({ isError }) => isError);
  const all = useMemo(
    () => {
      if (!isComplete || setup === null) return null;
      const found = wanted.flatMap((query, i) => {
        const data = queries[i]?.data;
        return data === undefined ? [] : [[nameOf(query), data] as const];
      });
      return {
        names: namesOf(setup),
        packed: new Map(found.map(([name, { packed }]) => [name, packed])),
        histories: new Map(found.map(([name, { history }]) => [name, history])),
      };
    },
    // oxlint-disable-next-line react/exhaustive-deps -- what was loaded does not change
    [isComplete, setup, wanted],
  );
  return {
    all,
    loaded,
    wanted: wanted.length,
    error: failed === -1 ? null : `${wanted[failed]?.symbol}: ${messageOf(queries[failed]?.error)}`,
    isLoading: queries.some(({ isFetching }) => isFetching),
    retry() {
      for (const query of queries) if (query.isError) void query.refetch();
    },
  };
}

interface Wanted {
  exchange: string;
  symbol: string;
  trading_mode: WhatIfSetup['trading_mode'];
  timeframe: WhatIfSetup['timeframe'];
  from: number;
  to: number;
  warm_up: number;
}

function wantedOf({ exchange_id, trading_mode, timeframe, detail_timeframe, from, to, warm_up, pairs, others }: WhatIfSetup): Wanted[] {
  const at = { exchange: exchange_id, trading_mode, from, to };
  return [
    ...[...pairs, ...others].map((symbol) => ({ ...at, symbol, timeframe, warm_up })),
    ...(detail_timeframe === null ? [] : pairs.map((symbol) => ({ ...at, symbol, timeframe: detail_timeframe, warm_up: 0 }))),
  ];
}

function namesOf({ timeframe, detail_timeframe: detail, pairs, others }: WhatIfSetup): HistoryNames {
  return {
    pairs: pairs.map((symbol) => ({
      symbol,
      candles: nameOf({ symbol, timeframe }),
      detail: detail === null ? null : nameOf({ symbol, timeframe: detail }),
    })),
    others: Object.fromEntries(others.map((symbol) => [symbol, nameOf({ symbol, timeframe })])),
  };
}

/** The name of a history within a setup. */
export function nameOf({ symbol, timeframe }: { symbol: string; timeframe: string }): string {
  return `${symbol} ${timeframe}`;
}
