import type { strategyTimeframes } from '#contract/strategy-timeframes.ts';
import { createStore, useStore } from 'zustand';
import { changeAddress, useAddressValue } from '../address/address.ts';

/** A timeframe of the chart. */
export type ChartTimeframe = (typeof strategyTimeframes)[number];

/** How a person has set up the chart of the selected pair. */
export interface ChartChoices {
  timeframe: ChartTimeframe | null; // null is the bot's own
  isLarge: boolean;
  indicators: readonly string[]; // names of those that are drawn
}

const atStart: ChartChoices = { timeframe: null, isLarge: false, indicators: [] };

const chartStore = createStore<ChartChoices>(() => atStart);

/** The choices, followed. */
export function useChartChoices(): ChartChoices {
  return useStore(chartStore);
}

/** Shows candles of another timeframe; null shows the bot's own. */
export function setChartTimeframe(timeframe: ChartTimeframe | null): void {
  chartStore.setState({ timeframe });
}

/** The opened trade, followed: its row in the log is open, and the chart shows it. The address alone knows it. */
export function useOpenedTrade(): string | null {
  return useAddressValue('trade');
}

/** Opens a trade; null closes the one that is open. */
export function openTrade(tradeId: string | null): void {
  changeAddress({ trade: tradeId });
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

/** Another bot has another timeframe and another strategy. */
export function resetChartChoices(): void {
  chartStore.setState(({ isLarge }) => ({ ...atStart, isLarge }));
}
