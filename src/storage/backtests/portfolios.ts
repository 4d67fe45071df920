import { sql } from 'kysely';
import type { PortfolioPlan } from '#engine/settings/portfolio-plan.ts';
import type { Database } from '../database.ts';
import type { BacktestView } from './backtests.ts';
import { listedRuns, selectBacktests } from './backtests.ts';

/** A run over several pairs with what a reader of it needs besides. */
export type PortfolioView = Omit<BacktestView, 'plan'> & {
  plan: PortfolioPlan;
  codeNumber: number | null; // of the version of its strategy
  tries: number; // runs of its owner with this strategy whose range overlaps, up to this one
};

/** The newest 50 runs over several pairs of everybody or of one owner, newest first. */
export async function listPortfolios(db: Database, ownerId: string | null = null): Promise<PortfolioView[]> {
  let query = selectPortfolios(db).orderBy('backtests.createdAt', 'desc').orderBy('backtests.id').limit(listedRuns);
  if (ownerId !== null) query = query.where('backtests.userId', '=', ownerId);
  return (await query.execute()) as PortfolioView[];
}

/** One run over several pairs, or null. */
export async function findPortfolio(db: Database, id: string): Promise<PortfolioView | null> {
  return ((await selectPortfolios(db).where('backtests.id', '=', id).executeTakeFirst()) as PortfolioView | undefined) ?? null;
}

function selectPortfolios(db: Database) {
  return selectBacktests(db)
    .where('backtests.plan', 'is not', null)
    .leftJoin('strategyCode', 'strategyCode.id', 'backtests.codeId')
    .select('strategyCode.number as codeNumber')
    .select(
      sql<number>`(select count(*)::int from backtests earlier where earlier.user_id = backtests.user_id and earlier.strategy_id = backtests.strategy_id
        and earlier.created_at <= backtests.created_at and earlier.plan ->> 'from' <= backtests.plan ->> 'to'
        and earlier.plan ->> 'to' >= backtests.plan ->> 'from')`.as('tries'),
    );
}
