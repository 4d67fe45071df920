import { keep, kept } from '../../ui/browser-memory.ts';
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

/** How the bots are listed before anybody has chosen. The mode names test networks already: the exchange is shown where somebody wants it. */
export const viewAtStart: ListView = { layout: 'cards', columns: optionalColumns.filter((each) => each !== 'exchange'), sortedBy: null };

const key = 'bot-list';

/** Keeps the choice for the next visit. */
export function rememberView(view: ListView): void {
  keep(key, view);
}

/** The choice of the last visit; what is missing or not known is as at the start. */
export function recallView(): ListView {
  const view = kept(key);
  return view === null ? viewAtStart : checkedView(view);
}

function checkedView({ layout, columns, sortedBy }: Record<string, unknown>): ListView {
  return {
    layout: layout === 'table' ? 'table' : 'cards',
    columns: Array.isArray(columns) ? optionalColumns.filter((each) => columns.includes(each)) : viewAtStart.columns,
    sortedBy: checkedSort(sortedBy),
  };
}

function checkedSort(sort: unknown): SortedBy | null {
  if (typeof sort !== 'object' || sort === null) return null;
  const { key: column, descending } = sort as Record<string, unknown>;
  const known = ['name', ...optionalColumns].find((each) => each === column);
  return known === undefined ? null : { key: known, descending: descending === true };
}
