import type { MarketType } from '../../market/instrument.ts';
import type { Timeframe } from '../../market/timeframe.ts';
import { timeframeLengths } from '../../market/timeframe.ts';
import type { StrategySeries } from '../../strategy/series.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import type { WhatIfReal } from './changes.ts';

/** What is replayed, where and over which candles, as a run or a bot really has it. Plain data. */
export interface WhatIfTerms extends Omit<WhatIfReal, 'declared'> {
  strategy: Pick<Strategy, 'name' | 'startupCandles' | 'parameters'> & { series: readonly StrategySeries[] };
  exchangeId: string;
  marketType: MarketType;
  timeframe: Timeframe;
  detailTimeframe: Timeframe | null;
  from: number; // first candle of the range
  to: number; // its end
  warmUp: number; // candles before it
  pairs: readonly string[]; // in the order in which they get free slots
  others: readonly string[]; // pairs that are only read
  slippageRatio: number; // part of the fee
}

/** How many candles a replay reads, those of all pairs and of details together. */
export function candlesOf({ timeframe, detailTimeframe, from, to, warmUp, pairs, others }: WhatIfTerms): number {
  const own = (to - from) / timeframeLengths[timeframe] + warmUp;
  const detail = detailTimeframe === null ? 0 : (to - from) / timeframeLengths[detailTimeframe];
  return Math.ceil((pairs.length + others.length) * own + pairs.length * detail);
}

/** The pairs that have candles in the range: the others are left out of a replay. */
export function withCandles<Pair extends { candles: { openTime: Float64Array } }>(pairs: readonly Pair[], from: number): Pair[] {
  return pairs.filter(({ candles: { openTime } }) => openTime.length > 0 && openTime[openTime.length - 1] >= from);
}
