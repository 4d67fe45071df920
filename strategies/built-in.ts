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
