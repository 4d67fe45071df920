import { useState } from 'react';
import type { FleetBot } from '../live/joined-fleet.ts';
import type { FleetSort } from './fleet-sort.ts';
import { recallSort, rememberSort, sortedFleet } from './fleet-sort.ts';

interface Sorted {
  sort: FleetSort | null;
  ids: readonly string[]; // as they were sorted; empty while the bots are not there
}

/**
 * How the fleet is sorted, kept for the next visit. The rows stay in the order of the moment in which they were sorted, so that none moves
 * while it is read; another press sorts again.
 */
export function useFleetSort(bots: readonly FleetBot[] | undefined): {
  sort: FleetSort | null;
  sortedIds: readonly string[] | null; // null: not sorted
  onSort: (sort: FleetSort | null) => void;
} {
  const idsBy = (sort: FleetSort | null): readonly string[] =>
    sort === null ? [] : sortedFleet(bots ?? [], sort).map((bot) => bot.bot_id);
  const [{ sort, ids }, setSorted] = useState<Sorted>(() => ({ sort: recallSort(), ids: [] }));
  // What is kept from the last visit is done once the figures are there; today's profit comes with the second answer.
  if (sort !== null && ids.length === 0 && bots?.some(({ today_pnl }) => today_pnl !== undefined) === true)
    setSorted({ sort, ids: idsBy(sort) });
  return {
    sort,
    sortedIds: ids.length === 0 ? null : ids,
    onSort: (after) => {
      rememberSort(after);
      setSorted({ sort: after, ids: idsBy(after) });
    },
  };
}
