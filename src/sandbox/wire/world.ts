import type { SandboxClock } from '../market/clock.ts';
import type { DayStatistics } from '../market/day-statistics.ts';
import type { Pair, SandboxMarket } from '../market/listings.ts';
import { type Execution, type Market, tickNumber } from '../market/market.ts';

/** What every route and stream of a sandbox works on. */
export interface World {
  market: Market;
  statistics: DayStatistics;
  clock: SandboxClock;
  weightLimits: Record<SandboxMarket, number>;
  /** The tick whose book was streamed last, for pairs whose depth is watched: a snapshot must show that very book. */
  streamedBooks: Map<Pair, number>;
}

/** A refusal as the exchange words it. */
export class WireError extends Error {
  readonly status: number;
  readonly code: number;

  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** The newest execution of a pair; a replayed file may have none now. */
export function newestExecution(world: World, pair: Pair): Execution {
  const execution = lastExecution(world, pair, tickNumber(world.clock.now()));
  if (execution === null) throw new WireError(400, -1121, `Nothing is traded in ${pair.id} at this time of the simulated market.`);
  return execution;
}

/** The execution of a tick, or the last one before it in the hour past: a replayed file may have holes. */
export function lastExecution(world: World, pair: Pair, tick: number): Execution | null {
  for (let back = 0; back < 60; back++) {
    const minuteEnd = back === 0 ? tick : (Math.floor(tick / 150) - back + 1) * 150 - 1;
    const execution = world.market.execution(pair, minuteEnd);
    if (execution !== null) return execution;
  }
  return null;
}
