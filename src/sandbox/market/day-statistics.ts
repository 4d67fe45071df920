import { minuteMs } from '#engine/market/durations.ts';
import { LeastRecent } from './least-recent.ts';
import type { Pair } from './listings.ts';
import { joinCandles, type Market, pairKey, type WireCandle } from './market.ts';
import { dayMinutes } from './minutes.ts';

/** The last 24 hours of each pair as one candle that slides with the clock. */
export class DayStatistics {
  readonly #market: Market;
  readonly #closedPart = new LeastRecent<string, { candle: WireCandle | null }>(4000);

  constructor(market: Market) {
    this.#market = market;
  }

  /** The 24 hours that end now; null when nothing was traded in them. */
  at(pair: Pair, now: number): WireCandle | null {
    const minute = Math.floor(now / minuteMs) * minuteMs;
    const start = minute - (dayMinutes - 1) * minuteMs;
    const { candle } = this.#closedPart.get(`${pairKey(pair)} ${minute}`, () => ({
      candle: this.#market.candle(pair, start, minute - start, minute),
    }));
    const open = this.#market.openMinute(pair, now);
    if (candle === null || open === null) return candle ?? open;
    return joinCandles(candle, open);
  }
}
