import { createStore, useStore } from 'zustand';
import { addressStore, changeAddress, useAddressValue } from '../address/address.ts';
import type { HistoryChange } from '../address/address.ts';
import type { BacktestForm } from './backtest-form.ts';
import { recallForm, rememberForm } from './remembered-form.ts';
import { forgetWhenLeft } from '../ui/forget-when-left.ts';

/** What the person has filled in. It outlives the tab, and the next visit of this browser begins with it. */
export const formStore = createStore<{ form: BacktestForm }>(() => ({ form: recallForm() }));

/** The form, followed. */
export function useBacktestForm(): BacktestForm {
  return useStore(formStore, ({ form }) => form);
}

/** Changes fields of the form. */
export function fillIn(changes: Partial<BacktestForm>): void {
  formStore.setState(({ form }) => ({ form: { ...form, ...changes } }));
  rememberForm(formStore.getState().form);
}

/** The run whose result is shown; null when there is none. */
export function useShownId(): string | null {
  return useAddressValue('run');
}

/** How many runs are compared at most: more curves cannot be distinguished. */
export const comparedMax = 6;

/** The ids of the runs that are compared, at most six, in the order in which they were ticked. */
export function useComparedIds(): readonly string[] {
  return idsOf(useAddressValue('compare'));
}

/** Whether the person has opened neither a run nor a comparison at this moment. */
export function isNothingOpened(): boolean {
  const { run, compare } = addressStore.getState().values;
  return run === undefined && compare === undefined;
}

/** Shows the result of a run. What the page shows by itself replaces the address; what a person chose can be gone back from. */
export function showRun(id: string, how: HistoryChange = 'push'): void {
  changeAddress({ run: id, compare: null, trade: null }, how);
}

/** Takes a run into the comparison or out of it; into a full one none is taken. */
export function toggleCompared(id: string): void {
  const ids = idsOf(addressStore.getState().values.compare ?? null);
  const next = ids.includes(id) ? ids.filter((other) => other !== id) : [...ids, id].slice(0, comparedMax);
  changeAddress({ compare: next.join(',') });
}

/** Ends the comparison. */
export function endComparison(): void {
  changeAddress({ compare: null });
}

/** Begins again with what this browser remembers. */
export function resetBacktests(): void {
  formStore.setState({ form: recallForm() });
}
forgetWhenLeft(resetBacktests);

function idsOf(text: string | null): string[] {
  return text === null ? [] : [...new Set(text.split(','))].slice(0, comparedMax);
}
