import type { RulesDocument } from '../document.ts';
import { adxDirectional } from './adx-directional.ts';
import { bollingerReversion } from './bollinger-reversion.ts';
import { buyAndHold } from './buy-and-hold.ts';
import { donchianBreakout } from './donchian-breakout.ts';
import { emaCross } from './ema-cross.ts';
import { macdTrend } from './macd-trend.ts';
import { rsiReversal } from './rsi-reversal.ts';
import { stochasticPullback } from './stochastic-pullback.ts';
import { superTrendFollower } from './super-trend.ts';
import { vwapReversion } from './vwap-reversion.ts';

/**
 * Documents to start from, by the name of the built-in strategy whose signals they give. AlwaysFlat has none: a document enters
 * somewhere.
 */
export const rulesTemplates: Readonly<Record<string, RulesDocument>> = {
  EmaCross: emaCross,
  SuperTrendFollower: superTrendFollower,
  DonchianBreakout: donchianBreakout,
  MacdTrend: macdTrend,
  AdxDirectional: adxDirectional,
  RsiReversal: rsiReversal,
  BollingerReversion: bollingerReversion,
  StochasticPullback: stochasticPullback,
  VwapReversion: vwapReversion,
  BuyAndHold: buyAndHold,
};
