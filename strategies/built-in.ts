import type { Strategy } from '#engine/strategy/strategy.ts';
import { adxDirectional } from './adx-directional.ts';
import { alwaysFlat } from './always-flat.ts';
import { bollingerReversion } from './bollinger-reversion.ts';
import { buyAndHold } from './buy-and-hold.ts';
import { donchianBreakout } from './donchian-breakout.ts';
import { emaCross } from './ema-cross.ts';
import { macdTrend } from './macd-trend.ts';
import { rsiReversal } from './rsi-reversal.ts';
import { stochasticPullback } from './stochastic-pullback.ts';
import { superTrendFollower } from './super-trend.ts';
import { vwapReversion } from './vwap-reversion.ts';

/** The strategies that come with the product, in the order users see them; the benchmarks are last. */
export const builtInStrategies: readonly Strategy[] = [
  emaCross,
  superTrendFollower,
  donchianBreakout,
  macdTrend,
  adxDirectional,
  rsiReversal,
  bollingerReversion,
  stochasticPullback,
  vwapReversion,
  buyAndHold,
  alwaysFlat,
];

const byName = new Map(builtInStrategies.map((strategy) => [strategy.name, strategy]));

/** The built-in strategy of this name, e.g. 'EmaCross'. */
export function findStrategy(name: string): Strategy | undefined {
  return byName.get(name);
}

/** The built-in strategy with this class name. Fails when the database names one that this program does not have. */
export function strategyOfClass(className: string): Strategy {
  const strategy = findStrategy(className);
  if (strategy === undefined) throw new Error(`There is no strategy ${className} in this version`);
  return strategy;
}
