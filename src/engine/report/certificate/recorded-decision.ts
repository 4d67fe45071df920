import type { SignalRow } from '../../bot/event.ts';
import type { SeenCandle } from '../../market/candle.ts';

/** What a strategy says about a candle, as far as decisions are compared by it. */
export type Flags = Pick<SignalRow, 'enterLong' | 'exitLong' | 'enterShort' | 'exitShort'>;

/** A decision of a bot as it is on record. */
export interface RecordedDecision extends Flags {
  symbol: string;
  candleTime: number; // opening time of its candle, ms
  action: string;
  gate: string | null;
  failure: string | null; // why the strategy gave no answer
  candle: SeenCandle | null; // that the bot saw; null: of before candles were kept with decisions
}

/** By symbol and candle. */
export function candleKey({ symbol, candleTime }: { symbol: string; candleTime: number }): string {
  return `${symbol} ${candleTime}`;
}
