import { backtestDays, tradingModes } from '#contract/backtests.ts';
import type { StrategyTimeframe } from '#contract/strategy-timeframes.ts';
import { strategyTimeframes } from '#contract/strategy-timeframes.ts';
import { dayMs } from '#engine/market/durations.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import { createStore, useStore } from 'zustand';
import { keep, kept } from '../../../ui/browser-memory.ts';

/** How far back a replay may go. */
export type ReplayDays = (typeof backtestDays)[number];

/** What rules are replayed on; what is null is the first that is offered. */
export interface MarketChoice {
  exchangeId: string | null;
  tradingMode: (typeof tradingModes)[number];
  symbol: string | null;
  days: ReplayDays;
}

const memoryKey = 'rules-market';

/** What was chosen last. */
export const choiceStore = createStore<MarketChoice>(() => recalled());

/** What the person has chosen, followed; it is kept for the next visit. */
export function useMarketChoice(): MarketChoice {
  return useStore(choiceStore);
}

/** Changes the market. Another exchange or trading mode has other pairs. */
export function chooseMarket(changes: Partial<MarketChoice>): void {
  const before = choiceStore.getState();
  const isElsewhere = ('exchangeId' in changes && changes.exchangeId !== before.exchangeId) || 'tradingMode' in changes;
  choiceStore.setState({ ...(isElsewhere ? { symbol: null } : {}), ...changes });
  keep(memoryKey, choiceStore.getState());
}

function recalled(): MarketChoice {
  const found = kept(memoryKey) ?? {};
  const text = (name: 'exchangeId' | 'symbol'): string | null => {
    const value = found[name];
    return typeof value === 'string' && value.length <= 100 ? value : null;
  };
  return {
    exchangeId: text('exchangeId'),
    tradingMode: tradingModes.find((mode) => mode === found['tradingMode']) ?? 'futures',
    symbol: text('symbol'),
    days: backtestDays.find((days) => days === found['days']) ?? 90,
  };
}

/** The most candles that are replayed while a person types. */
const mostCandles = 140_000;

/** The days that are offered at a timeframe. */
export function daysFor(timeframe: Timeframe): ReplayDays[] {
  return backtestDays.filter((days) => (days * dayMs) / timeframeLengths[timeframe] <= mostCandles);
}

/** The days that are replayed at a timeframe: as many as chosen, or fewer where that is too many. */
export function daysAt(timeframe: Timeframe, chosen: ReplayDays): ReplayDays {
  const offered = daysFor(timeframe);
  return offered.find((days) => days === chosen) ?? offered.at(-1) ?? backtestDays[0];
}

/** The timeframe as candles of it can be asked for; null where they cannot. */
export function offeredTimeframe(timeframe: Timeframe): StrategyTimeframe | null {
  return strategyTimeframes.find((offered) => offered === timeframe) ?? null;
}
