import type { AccountView } from '#engine/backtest/account-view.ts';
import type { Strategy } from '#engine/strategy/strategy.ts';
import { strategyOfTask } from '../../strategy-of-task.ts';
import type { CandlesOf, SeriesOfDay, Stretch } from './certificate-task.ts';

/** A strategy that is ready for a stretch, until it is ended. */
export interface OpenedStrategy {
  strategy: Strategy;
  watch?: (account: AccountView) => void; // called when the run begins
  end: () => Promise<void>;
}

/** Opens the strategy of a stretch for the series that are traded in it, on the candles that they are to be replayed on. */
export type OpenStrategy = (stretch: Stretch, own: readonly SeriesOfDay[], candlesOf: CandlesOf) => Promise<OpenedStrategy>;

/** Strategies that run in this thread, each loaded once. Fails: as `strategyOfTask` */
export function strategiesHere(): OpenStrategy {
  const loaded = new Map<Stretch, Strategy>();
  return async (stretch) => {
    const strategy = loaded.get(stretch) ?? (await strategyOfTask(stretch));
    loaded.set(stretch, strategy);
    return { strategy, end: () => Promise.resolve() };
  };
}
