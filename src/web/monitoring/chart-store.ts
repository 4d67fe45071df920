import type { strategyTimeframes } from '#contract/strategies.ts';
import { createStore, useStore } from 'zustand';

/** A timeframe of the chart. */
export type ChartTimeframe = (typeof strategyTimeframes)[number];

/** How a person looks at the chart of the selected pair. The opened trade is here alone: chart, log and address follow it. */
export interface ChartChoices {
  timeframe: ChartTimeframe | null; // null is the bot's own
  openedTradeId: string | null; // its row in the log is open, and the chart shows it
  isLarge: boolean;
  indicators: readonly string[]; // names of those that are drawn
}

const atStart: ChartChoices = { timeframe: null, openedTradeId: null, isLarge: false, indicators: [] };

const chartStore = createStore<ChartChoices>(() => atStart);

/** The choices, followed. */
export function useChartChoices(): ChartChoices {
  return useStore(chartStore);
}

/** Shows candles of another timeframe; null shows the bot's own. */
export function setChartTimeframe(timeframe: ChartTimeframe | null): void {
  chartStore.setState({ timeframe });
}

/** Opens a trade; null closes the one that is open. */
export function openTrade(openedTradeId: string | null): void {
  chartStore.setState({ openedTradeId });
}

/** Makes the chart large, or as high as specified. */
export function setLarge(isLarge: boolean): void {
  chartStore.setState({ isLarge });
}

/** Draws an indicator of the strategy, or takes it off. */
export function toggleIndicator(name: string): void {
  chartStore.setState(({ indicators }) => ({
    indicators: indicators.includes(name) ? indicators.filter((other) => other !== name) : [...indicators, name],
  }));
}

/** Another bot has another timeframe, other trades and another strategy. */
export function resetChartChoices(): void {
  chartStore.setState(({ isLarge }) => ({ ...atStart, isLarge }));
}
