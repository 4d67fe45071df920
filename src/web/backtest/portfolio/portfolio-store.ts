import { createStore, useStore } from 'zustand';
import { addressStore, changeAddress, useAddressValue } from '../../address/address.ts';
import { keep, kept } from '../../ui/browser-memory.ts';
import type { PlanForm } from './plan-form.ts';
import { planFormAt } from './plan-form.ts';

const key = 'portfolio-form';

const formStore = createStore<{ form: PlanForm; userId: string | null }>(() => ({ form: recalled(), userId: null }));

/** The form, followed. It outlives the tab, and the next visit of this browser begins with it. */
export function usePlanForm(): PlanForm {
  return useStore(formStore, ({ form }) => form);
}

/** Changes fields of the form. */
export function fillPlan(changes: Partial<PlanForm>): void {
  formStore.setState(({ form }) => ({ form: { ...form, ...changes } }));
  keep(key, { ...formStore.getState().form, botId: null }); // what a bot trades may have changed by the next visit
}

/** Has the form be of this person; that of another one begins again with what this browser remembers. */
export function openPlanFormOf(userId: string): void {
  if (formStore.getState().userId !== userId) formStore.setState({ form: recalled(), userId });
}

/** The run whose result is shown, and the one it is compared with; null when there is none. */
export function useShownPortfolio(): { shownId: string | null; comparedId: string | null } {
  return { shownId: useAddressValue('run'), comparedId: useAddressValue('compare') };
}

/** Shows a run. */
export function showPortfolio(id: string | null, how: 'push' | 'replace' = 'push'): void {
  changeAddress({ run: id, compare: null }, how);
}

/** Compares the run that is shown with another, or with none. */
export function compareWith(id: string | null): void {
  changeAddress({ compare: id });
}

/** The run that is shown at this moment. */
export function shownPortfolioNow(): string | null {
  return addressStore.getState().values.run ?? null;
}

/** What was kept at the last visit, where each field still has the type of a field. */
function recalled(): PlanForm {
  const first = planFormAt(new Date().toISOString().slice(0, 10));
  const found = kept(key);
  if (found === null) return first;
  const known = Object.entries(first).map(([name, value]) => {
    const old = found[name];
    return [name, isAlike(old, value) ? old : value];
  });
  return Object.fromEntries(known) as PlanForm;
}

function isAlike(old: unknown, value: unknown): boolean {
  if (value === null) return old === null || typeof old === 'string';
  if (Array.isArray(value)) return Array.isArray(old) && old.every((each) => typeof each === 'string');
  if (typeof value === 'object')
    return (
      typeof old === 'object' &&
      old !== null &&
      Object.entries(value).every(([name, inner]) => isAlike((old as Record<string, unknown>)[name], inner))
    );
  if (typeof value === 'number') return typeof old === 'number' || old === '';
  return typeof old === typeof value;
}
