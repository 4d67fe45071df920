import { sql } from 'kysely';
import type { Database } from '../database.ts';

/** States of an order at an exchange that has not ended. */
export const unfinishedStates = ['planned', 'sent', 'unknown', 'open', 'cancel-pending'] as const;

/** How the orders of live bots stand that have not ended. */
export interface OrderFigures {
  counts: ReadonlyMap<(typeof unfinishedStates)[number], number>;
  oldestUnknownAt: Date | null; // of those whose fate nobody knows, since when that is so of the oldest; null when there is none
}

/** Counts the orders at exchanges that have not ended. */
export async function readOrderFigures(db: Database): Promise<OrderFigures> {
  const { rows } = await sql<{ state: (typeof unfinishedStates)[number]; n: number; since: Date | null }>`
    select o.status as state, count(*)::int as n,
      min((select max(e.at) from order_events e where e.order_id = o.id and e.state = 'unknown')) filter (where o.status = 'unknown') as since
    from orders o join trades t on t.id = o.trade_id
    where t.mode <> 'paper' and o.status = any(${[...unfinishedStates]}::text[]) group by o.status`.execute(db);
  const found = new Map(rows.map(({ state, n }) => [state, n]));
  return {
    counts: new Map(unfinishedStates.map((state) => [state, found.get(state) ?? 0])),
    oldestUnknownAt: rows.find(({ state }) => state === 'unknown')?.since ?? null,
  };
}

/** How many alarms of each kind are open. */
export async function countAlarms(db: Database): Promise<Map<string, number>> {
  const { rows } = await sql<{ kind: string; n: number }>`
    select kind, count(*)::int as n from alarms where ended_at is null group by kind`.execute(db);
  return new Map(rows.map(({ kind, n }) => [kind, n]));
}
