import type { SortedBy } from '../../ui/data-table.tsx';

/** The columns that a person may show or hide; the name of the bot always stands first. */
export const optionalColumns = [
  'status',
  'mode',
  'exchange',
  'pairs',
  'strategy',
  'today',
  'pnl',
  'open',
  'unrealized',
  'drawdown',
  'last',
  'tags',
  'owner',
] as const;

/** See `optionalColumns`. */
export type ColumnKey = (typeof optionalColumns)[number];

/** How the bots are listed. */
export interface ListView {
  layout: 'cards' | 'table';
  columns: readonly ColumnKey[]; // those that are shown
  sortedBy: SortedBy | null; // null: as the cards, active bots first
}

/** How the bots are listed before anybody has chosen. */
export const viewAtStart: ListView = { layout: 'cards', columns: optionalColumns, sortedBy: null };

const key = 'bot-list';

/** Keeps the choice for the next visit. A browser that keeps nothing forgets it, and that is all. */
export function rememberView(view: ListView): void {
  try {
    localStorage.setItem(key, JSON.stringify(view));
  } catch {
    // full, or not allowed
  }
}

/** The choice of the last visit; what is missing or not known is as at the start. */
export function recallView(): ListView {
  let kept: unknown = null;
  try {
    kept = JSON.parse(localStorage.getItem(key) ?? 'null');
  } catch {
    // not allowed, or not JSON
  }
  return typeof kept === 'object' && kept !== null ? checkedView(kept as Record<string, unknown>) : viewAtStart;
}

function checkedView({ layout, columns, sortedBy }: Record<string, unknown>): ListView {
  return {
    layout: layout === 'table' ? 'table' : 'cards',
    columns: Array.isArray(columns) ? optionalColumns.filter((each) => columns.includes(each)) : viewAtStart.columns,
    sortedBy: checkedSort(sortedBy),
  };
}

function checkedSort(kept: unknown): SortedBy | null {
  if (typeof kept !== 'object' || kept === null) return null;
  const { key: column, descending } = kept as Record<string, unknown>;
  const known = ['name', ...optionalColumns].find((each) => each === column);
  return known === undefined ? null : { key: known, descending: descending === true };
}
