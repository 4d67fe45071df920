import { createStore, useStore } from 'zustand';

/**
 * What an address says about the dashboard: the tab and the view within it, what is chosen on it, and what is opened. All of it lies in the
 * query, so that every choice can be linked, reloaded, and gone back from.
 */
export type AddressName =
  | 'tab'
  | 'view'
  | 'bot'
  | 'pair'
  | 'range'
  | 'trade'
  | 'order'
  | 'run'
  | 'compare'
  | 'strategy'
  | 'why'
  | 'day'
  | 'days'
  | 'symbol'
  | 'gate'
  | 'period'
  | 'from'
  | 'to'
  | 'by'
  | 'mode'
  | 'money';

/** The values of the address; what it does not name is missing. */
export type AddressValues = Readonly<Partial<Record<AddressName, string>>>;

/** How a change reaches the history: as an entry to go back from, or in place of the last one. */
export type HistoryChange = 'push' | 'replace';

const names: readonly AddressName[] = [
  'tab',
  'view',
  'bot',
  'pair',
  'range',
  'trade',
  'order',
  'run',
  'compare',
  'strategy',
  'why',
  'day',
  'days',
  'symbol',
  'gate',
  'period',
  'from',
  'to',
  'by',
  'mode',
  'money',
];

interface AddressState {
  values: AddressValues;
  navigate: ((search: string, change: HistoryChange) => void) | null; // of the router; null while no dashboard is open
}

/** The address as the dashboard sees it. It is ahead of the router's by a moment, so that changes of one moment add up. */
export const addressStore = createStore<AddressState>(() => ({ values: {}, navigate: null }));

/** The values that a query names. */
export function readAddress(search: string): AddressValues {
  const params = new URLSearchParams(search);
  return Object.fromEntries(names.flatMap((name) => (params.get(name) ? [[name, params.get(name)]] : [])));
}

/** The query that names the values, always in the same order; empty without any. */
export function writeAddress(values: AddressValues): string {
  const params = new URLSearchParams(names.flatMap((name) => (values[name] ? [[name, values[name]]] : [])));
  return params.size === 0 ? '' : `?${params}`;
}

/**
 * Changes values of the address; null takes one out. What the person chose is pushed, so that Back returns from it; what
 * the page chose by itself replaces. A change to the same values does nothing.
 */
export function changeAddress(changes: Partial<Record<AddressName, string | null>>, how: HistoryChange = 'push'): void {
  const { values, navigate } = addressStore.getState();
  const kept = Object.entries({ ...values, ...changes }).filter(([, value]) => value !== null && value !== '');
  const next = Object.fromEntries(kept) as AddressValues;
  if (writeAddress(next) === writeAddress(values)) return;
  // First in the history: whoever follows the address may change it at once, in place of this entry and not of the one before.
  navigate?.(writeAddress(next), how);
  addressStore.setState({ values: next });
}

/** One value of the address, followed; null when it is not named. */
export function useAddressValue(name: AddressName): string | null {
  return useStore(addressStore, ({ values }) => values[name] ?? null);
}
