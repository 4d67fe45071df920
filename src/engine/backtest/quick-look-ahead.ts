import type { CandleColumns } from '../market/candle.ts';
import { copyColumns } from '../market/candle.ts';
import { minuteText } from '../market/minute-text.ts';
import { knownBy, type OtherPairs } from '../strategy/series.ts';
import type { ParameterValues, Signals, Strategy } from '../strategy/strategy.ts';
import type { LookAhead } from './look-ahead.ts';

/** How many beginnings are tried, and how far into the candles they reach; so it costs little beside the backtest. */
const tries = 12;
const reach = 4000;

const flagNames = ['enterLong', 'exitLong', 'enterShort', 'exitShort'] as const;

/**
 * Finds a signal that was not yet there when its candle was the last one known; null when there is none.
 *
 * A strategy that looks ahead shows it where it signals, so those candles are tried first. It is a sample, not a proof:
 * `findLookAhead` tries far more.
 */
export function quickLookAhead(
  strategy: Pick<Strategy, 'compute'>,
  parameters: ParameterValues,
  candles: CandleColumns,
  whole: Signals,
  others: OtherPairs = {},
): LookAhead | null {
  for (const row of rowsToTry(whole, Math.min(candles.openTime.length, reach))) {
    // A copy, so that a strategy cannot reach what lies behind the beginning it was given.
    const known = strategy.compute(copyColumns(candles, row + 1), parameters, knownBy(candles.openTime[row], others));
    for (const column of flagNames) {
      for (let candle = 0; candle <= row; candle++) {
        if (known[column][candle] === whole[column][candle]) continue;
        const values = { known: known[column][candle], later: whole[column][candle] };
        return { candle, candleTime: candles.openTime[candle], column, ...values, prefixLength: row + 1 };
      }
    }
  }
  return null;
}

/** What was found, in a sentence for the author of the strategy. */
export function lookAheadSentence(strategyName: string, symbol: string, candles: CandleColumns, found: LookAhead): string {
  const { candle, candleTime, column, known, later, prefixLength } = found;
  const until = minuteText(candles.openTime[prefixLength - 1]);
  return `${strategyName} looks ahead: on ${symbol} ${column} of the candle of ${minuteText(candleTime)} (number ${candle}) is ${known} when the candles up to ${until} are known, and ${later} when later ones are.`;
}

/** Rows with signals, evenly spread, and some without. */
function rowsToTry(signals: Signals, count: number): number[] {
  const flagged: number[] = [];
  for (let i = 0; i < count; i++) if (flagNames.some((name) => signals[name][i] === 1)) flagged.push(i);
  const share = Math.min(flagged.length, tries - 2);
  const chosen = Array.from({ length: share }, (_, i) => flagged[Math.floor((i * flagged.length) / share)]);
  const spread = Array.from({ length: tries - share }, (_, i) => Math.floor(((i + 1) * count) / (tries - share)) - 1);
  return [...new Set([...chosen, ...spread])].filter((row) => row >= 0).sort((a, b) => a - b);
}
