import type { Accounts } from '../account/accounts.ts';
import type { SandboxClock } from '../market/clock.ts';
import type { DayStatistics } from '../market/day-statistics.ts';
import { lastExecution as lastExecutionOf } from '../market/last-execution.ts';
import type { Pair, SandboxMarket } from '../market/listings.ts';
import type { ListenKeys } from './listen-keys.ts';
import { type Execution, type Market, tickNumber } from '../market/market.ts';
import { WireError } from './wire-error.ts';

/** What every route and stream of a sandbox works on. */
export interface World {
  market: Market;
  statistics: DayStatistics;
  clock: SandboxClock;
  accounts: Accounts;
  listenKeys: ListenKeys;
  weightLimits: Record<SandboxMarket, number>;
  /** The tick whose book was streamed last, for pairs whose depth is watched: a snapshot must show that very book. */
  streamedBooks: Map<Pair, number>;
}

/** The newest execution of a pair; a replayed file may have none now. */
export function newestExecution(world: World, pair: Pair): Execution {
  const execution = lastExecution(world, pair, tickNumber(world.clock.now()));
  if (execution === null) throw new WireError(400, -1121, `Nothing is traded in ${pair.id} at this time of the simulated market.`);
  return execution;
}

/** The execution of a tick, or the last one before it in the hour past. */
export function lastExecution(world: World, pair: Pair, tick: number): Execution | null {
  return lastExecutionOf(world.market, pair, tick);
}
