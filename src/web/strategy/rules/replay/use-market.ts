import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { api } from '../../../api/api.ts';
import { useExchanges } from '../../../api/use-exchanges.ts';
import type { MarketChoice } from './market-choice.ts';
import { useMarketChoice } from './market-choice.ts';

/** A market that candles can be asked for. */
export interface Market extends MarketChoice {
  exchangeId: string;
  symbol: string;
}

/** What is offered to choose from, and the market that rules are replayed on; null while that is not known. */
export interface MarketOffer {
  choice: MarketChoice;
  market: Market | null;
  exchanges: readonly { id: string; name: string }[];
  pairs: readonly string[];
  hasFailed: boolean;
  reload: () => void;
}

/** What the pairs of an exchange are changes by the day; in ms. */
const pairsStaleMs = 600_000;

/** Follows the chosen market; what is not offered is replaced by the first that is. */
export function useMarket(): MarketOffer {
  const choice = useMarketChoice();
  const exchangesQuery = useExchanges();
  const exchanges = exchangesQuery.data ?? none;
  const exchangeId = exchanges.find(({ id }) => id === choice.exchangeId)?.id ?? exchanges[0]?.id ?? null;
  const { tradingMode } = choice;
  const pairsQuery = useQuery({
    queryKey: ['rules-pairs', exchangeId, tradingMode],
    queryFn: async ({ signal }) => {
      const asked = { params: { exchange: exchangeId ?? '' }, query: { market_type: tradingMode } };
      return (await api.tradingPairs(asked, { signal })).trading_pairs;
    },
    enabled: exchangeId !== null,
    staleTime: pairsStaleMs,
    meta: { what: 'trading pairs' },
  });
  const pairs = pairsQuery.data ?? none;
  const symbol = choice.symbol !== null && pairs.includes(choice.symbol) ? choice.symbol : firstPair(pairs);
  const hasFailed = exchangesQuery.isError || pairsQuery.isError;
  const reload = useCallback(() => {
    if (exchangesQuery.isError) void exchangesQuery.refetch();
    if (pairsQuery.isError) void pairsQuery.refetch();
    // oxlint-disable-next-line react/exhaustive-deps -- the queries are other objects at each drawing
  }, [exchangesQuery.isError, pairsQuery.isError, exchangeId, tradingMode]);
  // The same offer while nothing of it changes: its choosers are heavy to draw.
  return useMemo(
    () => ({
      choice,
      market: exchangeId === null || symbol === null ? null : { ...choice, exchangeId, symbol },
      exchanges,
      pairs,
      hasFailed,
      reload,
    }),
    [choice, exchangeId, symbol, exchanges, pairs, hasFailed, reload],
  );
}

const none: [] = [];

/** The pair that people look at first, where it is offered. */
function firstPair(pairs: readonly string[]): string | null {
  return ['BTC/USDT:USDT', 'BTC/USDT'].find((pair) => pairs.includes(pair)) ?? pairs[0] ?? null;
}
