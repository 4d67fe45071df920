import { pnlRanges } from '#contract/fields.ts';
import { createStore, useStore } from 'zustand';
import { resetChartChoices } from './chart-store.ts';

/** A window of the profit and loss chart. */
export type PnlRange = (typeof pnlRanges)[number];

/** What the person has chosen on the dashboard. What the server says lies in the query store, keyed by this. */
export interface DashboardChoices {
  selectedBotId: string | null;
  selectedPair: string | null;
  pnlRange: PnlRange;
  showPnl: boolean; // the PnL overview panel
  showOrders: boolean; // the order log panel
  chosenBy: ChosenBy; // the last choice
}

const atStart: DashboardChoices = {
  selectedBotId: null,
  selectedPair: null,
  pnlRange: 'daily',
  showPnl: true,
  showOrders: true,
  chosenBy: 'page',
};

/** See `DashboardChoices`. */
export const dashboardStore = createStore<DashboardChoices>(() => atStart);

/** A part of the choices, followed. */
export function useChoices<T>(select: (choices: DashboardChoices) => T): T {
  return useStore(dashboardStore, select);
}

/** Who has made a choice: the person, who can go back from it, or the page, where a list came without the choice before. */
export type ChosenBy = 'person' | 'page';

/** Selects a bot; another bot means other pairs, so the pair goes. */
export function selectBot(botId: string | null, chosenBy: ChosenBy = 'person'): void {
  const before = dashboardStore.getState().selectedBotId;
  if (before === botId) return;
  dashboardStore.setState({ selectedBotId: botId, selectedPair: null, chosenBy });
  if (before !== null) resetChartChoices();
}

/** Selects a pair of the selected bot. */
export function selectPair(pair: string | null, chosenBy: ChosenBy = 'person'): void {
  if (dashboardStore.getState().selectedPair !== pair) dashboardStore.setState({ selectedPair: pair, chosenBy });
}

/** Sets the window of the profit and loss chart; a word that names none is ignored. */
export function setPnlRange(range: string): void {
  const known = pnlRanges.find((word) => word === range);
  if (known !== undefined) dashboardStore.setState({ pnlRange: known, chosenBy: 'person' });
}

/** Shows or hides the PnL overview. */
export function setShowPnl(showPnl: boolean): void {
  dashboardStore.setState({ showPnl });
}

/** Shows or hides the order log. */
export function setShowOrders(showOrders: boolean): void {
  dashboardStore.setState({ showOrders });
}

/** Forgets all choices. */
export function resetDashboard(): void {
  dashboardStore.setState(atStart);
  resetChartChoices();
}

/** The choice after a list was loaded: the old one while it is still in the list, else the first. */
export function keptOrFirst<T>(chosen: T | null, list: readonly T[]): T | null {
  return chosen !== null && list.includes(chosen) ? chosen : (list[0] ?? null);
}
