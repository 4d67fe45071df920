import type { Direction } from '#engine/market/direction.ts';
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import type { DecisionRange } from './decision-list.ts';
import { within } from './decision-list.ts';

/** An entry that a check has refused. */
export interface RefusedEntryRow {
  symbol: string;
  candleTime: Date;
  decidedAt: Date;
  direction: Direction;
  tag: string | null;
}

/** The newest entries of a range that a check has refused, and how many there are in all. */
export async function listRefused(
  db: Database,
  range: DecisionRange,
  gate: string,
  limit: number,
): Promise<{ total: number; newest: RefusedEntryRow[] }> {
  const { rows } = await sql<RefusedEntryRow & { total: number }>`
    select symbol, candle_time, decided_at, seen->>'tag' as tag,
      case when (seen->>'enterLong')::boolean then 'long' else 'short' end as direction, (count(*) over ())::int as total
    from decisions
    where ${within(range)} and action = 'none' and gate = ${gate}
      and ((seen->>'enterLong')::boolean or (seen->>'enterShort')::boolean)
    order by candle_time desc, symbol desc
    limit ${limit}`.execute(db);
  return { total: rows[0]?.total ?? 0, newest: rows.map(({ total: _total, ...row }) => row) };
}
