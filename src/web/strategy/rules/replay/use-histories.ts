import type { MarketHistory } from '#contract/packed-history.ts';
import { unpackHistory } from '#contract/packed-history.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import { useQueries } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { api } from '../../../api/api.ts';
import { messageOf } from '../../../api/api-error.ts';
import { inTurn } from '../../../api/candle-queue.ts';
import { daysAt, offeredTimeframe } from './market-choice.ts';
import type { MarketNames } from './messages.ts';
import type { ReplayDesk } from './replay-desk.ts';
import type { Market } from './use-market.ts';

/** The candles of a market and of the other pairs that rules read. */
export interface Histories {
  names: MarketNames | null; // how the worker knows them; null while one is missing
  history: MarketHistory | null; // of the market itself
  isLoading: boolean;
  error: string | null;
  reload: () => void;
}

/** How long candles stay in memory when nobody looks at them, in ms. */
const keptMs = 600_000;

/** Fetches candles once, and gives them to the worker. `symbols` are the other pairs. */
export function useHistories(desk: ReplayDesk | null, market: Market | null, timeframe: Timeframe, symbols: readonly string[]): Histories {
  const all = market === null ? [] : [market.symbol, ...symbols.filter((symbol) => symbol !== market.symbol)];
  const offered = offeredTimeframe(timeframe);
  const days = market === null ? 90 : daysAt(timeframe, market.days);
  const queries = useQueries({
    queries: all.map((symbol) => ({
      queryKey: ['candle-history', market?.exchangeId, market?.tradingMode, symbol, timeframe, days],
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const place = { exchange: market?.exchangeId ?? '', symbol, trading_mode: market?.tradingMode ?? ('spot' as const) };
        const query = { ...place, timeframe: offered ?? '5m', days } as const;
        const answer = await inTurn(signal, () => api.candleHistory({ query }, { signal }));
        const packed = await (answer as Blob).arrayBuffer();
        return { packed, history: unpackHistory(packed) };
      },
      enabled: offered !== null,
      staleTime: Infinity,
      gcTime: keptMs,
      meta: { what: 'candles' },
    })),
  });
  // Candles that were loaded again end later, and are others.
  const nameOf = (symbol: string): string =>
    [market?.exchangeId, market?.tradingMode, symbol, timeframe, days, queries[all.indexOf(symbol)]?.data?.history.to].join(' ');
  const names = all.map(nameOf).join('\n');
  const packed = queries.map(({ data }) => data?.packed);
  const isComplete = all.length > 0 && packed.every((each) => each !== undefined);

  // The worker has them before the job that names them: this effect runs before those of the components that ask.
  useEffect(() => {
    for (const [i, symbol] of all.entries()) {
      const each = packed[i];
      if (desk !== null && each !== undefined) desk.give(nameOf(symbol), each);
    }
    // oxlint-disable-next-line react/exhaustive-deps -- the names say all of it
  }, [desk, names, isComplete]);

  const failed = queries.findIndex(({ isError }) => isError);
  return {
    names: useMemo(
      () => {
        if (!isComplete || market === null) return null;
        const { exchangeId, tradingMode, symbol } = market;
        const others = Object.fromEntries(all.slice(1).map((each) => [each, nameOf(each)]));
        return { exchangeId, marketType: tradingMode, history: nameOf(symbol), others };
      },
      // oxlint-disable-next-line react/exhaustive-deps -- the names say all of it
      [isComplete, names],
    ),
    history: queries[0]?.data?.history ?? null,
    isLoading: queries.some(({ isFetching }) => isFetching),
    error:
      market !== null && offered === null
        ? `Candles of ${timeframe} are not offered. Choose another timeframe in the suggested settings.`
        : failed === -1
          ? null
          : failed === 0
            ? messageOf(queries[0]?.error)
            : `The rules read ${all[failed]}: ${messageOf(queries[failed]?.error)}${nameOnFutures(market, all[failed])}`,
    reload() {
      for (const query of queries) if (query.isError) void query.refetch();
    },
  };
}

/** On perpetuals a pair that is written as on spot is not found. */
function nameOnFutures(market: Market | null, symbol = ''): string {
  const [base, quote] = symbol.split('/');
  return market?.tradingMode !== 'futures' || symbol.includes(':') ? '' : `. On futures it is named ${base}/${quote}:${quote}`;
}
