import { keep, kept } from '../ui/browser-memory.ts';
import type { FleetBot } from '../live/joined-fleet.ts';
import { modeName, modeNames } from '../ui/venue.ts';

/** What a column of the fleet is sorted by; null stands last either way. */
const values = {
  name: (bot: FleetBot) => bot.nickname.toLowerCase(),
  mode: (bot: FleetBot) => modeNames.indexOf(modeName(bot.mode, bot.exchange_id)),
  week: (bot: FleetBot) => bot.history?.at(-1) ?? null,
  today: (bot: FleetBot) => bot.today_pnl ?? null,
  unrealized: (bot: FleetBot) => bot.unrealized_pnl,
  open: (bot: FleetBot) => bot.open_trades,
  decision: (bot: FleetBot) => bot.last_decision?.time ?? null,
  age: (bot: FleetBot) => (bot.last_tick_at === null ? null : -Date.parse(bot.last_tick_at)),
} as const;

/** A column of the fleet. */
export type FleetColumn = keyof typeof values;

/** The column that the fleet is sorted by, and which way. */
export interface FleetSort {
  column: FleetColumn;
  descending: boolean;
}

const key = 'fleet-sort';

/** The bots by a column; those of which it is not known stand last. */
export function sortedFleet(bots: readonly FleetBot[], { column, descending }: FleetSort): FleetBot[] {
  const valued = bots.map((bot) => ({ bot, value: values[column](bot) }));
  return valued
    .toSorted((a, b) => {
      if (a.value === null || b.value === null) return Number(a.value === null) - Number(b.value === null);
      if (a.value === b.value) return 0;
      return a.value < b.value === descending ? 1 : -1;
    })
    .map(({ bot }) => bot);
}

/** What a press on a column leads to: ascending, descending, then the order of the fleet again. */
export function nextSort(before: FleetSort | null, column: FleetColumn): FleetSort | null {
  if (before?.column !== column) return { column, descending: false };
  return before.descending ? null : { column, descending: true };
}

/** Keeps the choice for the next visit. */
export function rememberSort(sort: FleetSort | null): void {
  keep(key, sort);
}

/** The choice of the last visit; null where there was none, or it is not known any more. */
export function recallSort(): FleetSort | null {
  const sort = kept(key);
  const column = (Object.keys(values) as FleetColumn[]).find((each) => each === sort?.['column']);
  return column === undefined ? null : { column, descending: sort?.['descending'] === true };
}
