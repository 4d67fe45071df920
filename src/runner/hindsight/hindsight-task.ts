import type { FundingEvents } from '#engine/account/funding.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import type { Instrument } from '#engine/market/instrument.ts';
import type { HindsightFigures } from '#engine/report/hindsight.ts';
import type { TradingSettings } from '#engine/settings/trading-settings.ts';
import type { StrategyOfTask } from '../strategy-of-task.ts';
import type { OtherPairs } from '#engine/strategy/series.ts';
import type { ParameterValues } from '#engine/strategy/strategy.ts';

/** A pair with its candles, warm-up included, in shared memory. */
export interface HindsightPair {
  instrument: Instrument;
  candles: CandleColumns;
  funding: FundingEvents | null; // of perpetuals
}

/** What the thread is given to calculate: plain data. */
export interface HindsightTask extends StrategyOfTask {
  settings: TradingSettings;
  parameters: ParameterValues;
  pairs: readonly HindsightPair[]; // in the order in which they get free slots
  others: OtherPairs; // candles of pairs that the strategy reads and the bot does not trade
  from: number;
  to: number;
}

/** What the thread answers: the figures, or why there are none. */
export type HindsightResult = { ok: true; figures: HindsightFigures } | { ok: false; fault: string };
