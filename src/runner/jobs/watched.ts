import type { StrategyBacktestInput } from '#engine/backtest/backtest-strategy.ts';

/** Who is shown the account of a run before it begins, if anybody is. */
export type Watched = Pick<StrategyBacktestInput, 'watch'>;
