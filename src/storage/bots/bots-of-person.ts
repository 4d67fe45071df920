import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { isRunnersBusiness } from './archive.ts';

/** What the bots of one person take of the places of runners. */
export interface BotsOfPerson {
  bots: number;
  pairs: number; // of all of them together
}

/**
 * Counts the bots of a person that runners have to do with, and their pairs, without one of them.
 *
 * Needs: a transaction with the person's account locked against locks, when something is added because there is room
 */
export async function botsOfPerson(trx: Database, userId: string, without: string | null): Promise<BotsOfPerson> {
  const { rows } = await sql<BotsOfPerson>`
    select count(*)::int as bots, coalesce(sum(cardinality(b.symbols)), 0)::int as pairs
    from bots b where b.user_id = ${userId} and b.id is distinct from ${without}::uuid and ${isRunnersBusiness}`.execute(trx);
  return rows[0] ?? { bots: 0, pairs: 0 };
}
