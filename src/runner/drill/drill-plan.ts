import type { Instrument } from '#engine/market/instrument.ts';
import type { TradingSettings } from '#engine/settings/trading-settings.ts';
import type { DrillResult } from '#storage/bots/drills.ts';
import type { TimesInForce } from '../orders/planned-orders.ts';

/** A pair of a drill, as the exchange trades it. */
export interface DrillPair {
  instrument: Instrument;
  price: number; // where the drill begins; quote currency
}

/** What a drill runs: plain data. */
export interface DrillPlan {
  seed: number; // the same seed gives the same drill
  settings: TradingSettings;
  timeInForce: TimesInForce;
  pairs: readonly DrillPair[]; // one at least
}

/** Pairs that a drill trades at most: more would take long and show nothing else. */
export const mostDrillPairs = 6;

/** What the thread of a drill reports: the result, or why there is none. */
export type DrillMessage = { result: DrillResult } | { fault: string };
