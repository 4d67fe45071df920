import type { Database } from '#storage/database.ts';
import type { SeenStrategy, StrategyReader } from '#storage/strategies/seen-strategies.ts';
import { findSeenStrategy, holdUsableStrategy } from '#storage/strategies/seen-strategies.ts';
import type { Caller } from './caller.ts';
import { seesAllBots } from './caller.ts';
import { HttpError } from '../http/http-error.ts';

/** A caller as one who asks about strategies. */
export function strategyReader(caller: Pick<Caller, 'id' | 'role'>): StrategyReader {
  return { userId: caller.id, usesAllRules: caller.role === 'admin', seesAllBots: seesAllBots(caller) };
}

/** The strategy with this id, if the caller may see it. Fails: 404 */
export async function seenStrategy(db: Database, caller: Caller, id: string): Promise<SeenStrategy> {
  const strategy = await findSeenStrategy(db, strategyReader(caller), id);
  if (strategy === null) throw new HttpError(404, 'Strategy not found');
  return strategy;
}

/** The strategy with this id, if the caller may make something with it. Fails: 404 */
export async function usableStrategy(db: Database, caller: Caller, id: string): Promise<SeenStrategy> {
  const strategy = await seenStrategy(db, caller, id);
  if (!strategy.mayUse) throw new HttpError(404, 'Strategy not found');
  return strategy;
}

/** Holds a strategy that the caller may use until the transaction ends: it stays so until what is made with it is written. Fails: 404 */
export async function holdUsable(trx: Database, caller: Caller, id: string): Promise<void> {
  if (!(await holdUsableStrategy(trx, strategyReader(caller), id))) throw new HttpError(404, 'Strategy not found');
}
