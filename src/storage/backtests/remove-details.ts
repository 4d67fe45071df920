import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { listedRuns } from './backtests.ts';

/** So many runs lose their details at once: an installation that has never removed any is through within a day. */
const atOnce = 1_000;

/**
 * Removes candles, trades and curves of runs that had ended before a moment, of the oldest thousand; gives of how many. Their rows stay,
 * with what was asked for and the figures: runs are counted as tries.
 *
 * What a list of its owner shows stays whole whatever its age, and so does the newest good run of each strategy, to which the page
 * of that strategy leads.
 */
export async function removeBacktestDetails(db: Database, endedBefore: Date): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update backtests set result = null, equity = null, details_removed_at = now()
    where details_removed_at is null and id in (
      select id from (
        select id, status, finished_at, details_removed_at,
          row_number() over (partition by user_id, plan is null order by created_at desc, id) as place,
          row_number() over (partition by user_id, plan is null, strategy_id, status order by finished_at desc, id) as place_of_strategy
        from backtests) as ranked
      where status = 'done' and finished_at < ${endedBefore} and details_removed_at is null
        and place > ${listedRuns} and place_of_strategy > 1
      order by finished_at limit ${atOnce})`.execute(db);
  return Number(numAffectedRows);
}
