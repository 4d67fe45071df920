import { createStore, useStore } from 'zustand';
import type { BacktestForm } from './backtest-form.ts';
import { formAtStart } from './backtest-form.ts';

/** What the person has filled in and chosen. It outlives the tab, so that a look at another one loses nothing. */
export interface BacktestChoices {
  form: BacktestForm;
  shownId: string | null; // the run whose result is shown
  comparedIds: readonly string[]; // at most two
}

const atStart: BacktestChoices = { form: formAtStart, shownId: null, comparedIds: [] };

/** See `BacktestChoices`. */
export const backtestStore = createStore<BacktestChoices>(() => atStart);

/** A part of the choices, followed. */
export function useBacktestChoices<T>(select: (choices: BacktestChoices) => T): T {
  return useStore(backtestStore, select);
}

/** Changes fields of the form. */
export function fillIn(changes: Partial<BacktestForm>): void {
  backtestStore.setState(({ form }) => ({ form: { ...form, ...changes } }));
}

/** Shows the result of a run, or of none. */
export function showRun(id: string | null): void {
  backtestStore.setState({ shownId: id, comparedIds: [] });
}

/** Takes a run into the comparison or out of it; of three the two newest choices stay. */
export function toggleCompared(id: string): void {
  backtestStore.setState(({ comparedIds }) => ({
    comparedIds: comparedIds.includes(id) ? comparedIds.filter((other) => other !== id) : [...comparedIds, id].slice(-2),
  }));
}

/** Ends the comparison. */
export function endComparison(): void {
  backtestStore.setState({ comparedIds: [] });
}

/** Forgets everything. */
export function resetBacktests(): void {
  backtestStore.setState(atStart);
}
