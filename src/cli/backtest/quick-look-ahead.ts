import type { CandleColumns } from '#engine/market/candle.ts';
import { copyColumns } from '#engine/market/candle.ts';
import type { ParameterValues, Signals, Strategy } from '#engine/strategy/strategy.ts';
import { CommandError } from '../command-error.ts';
import { utcText } from '../time-range.ts';

/** How many beginnings are tried, and how far into the candles they reach; so it costs little beside the backtest. */
const tries = 12;
const reach = 4000;

const flagNames = ['enterLong', 'exitLong', 'enterShort', 'exitShort'] as const;

/**
 * Refuses a strategy whose signals were not yet there when their candle was the last one known.
 *
 * A strategy that looks ahead shows it where it signals, so those candles are tried first. It is a sample, not a proof:
 * the lookahead command tries far more.
 *
 * Fails: CommandError that names the pair and the candle
 */
export function refuseLookAhead(
  strategy: Strategy,
  parameters: ParameterValues,
  candles: CandleColumns,
  whole: Signals,
  symbol: string,
): void {
  for (const row of rowsToTry(whole, Math.min(candles.openTime.length, reach))) {
    // A copy, so that a strategy cannot reach what lies behind the beginning it was given.
    const known = strategy.compute(copyColumns(candles, row + 1), parameters);
    for (const name of flagNames) {
      for (let i = 0; i <= row; i++) {
        if (known[name][i] === whole[name][i]) continue;
        throw new CommandError(
          `${strategy.name} looks ahead: on ${symbol} ${name} of the candle of ${utcText(candles.openTime[i]!)} (number ${i}) is ${known[name][i]} when the candles up to ${utcText(candles.openTime[row]!)} are known, and ${whole[name][i]} when later ones are.`,
        );
      }
    }
  }
}

/** Rows with signals, evenly spread, and some without. */
function rowsToTry(signals: Signals, count: number): number[] {
  const flagged: number[] = [];
  for (let i = 0; i < count; i++) if (flagNames.some((name) => signals[name][i] === 1)) flagged.push(i);
  const share = Math.min(flagged.length, tries - 2);
  const chosen = Array.from({ length: share }, (_, i) => flagged[Math.floor((i * flagged.length) / share)]!);
  const spread = Array.from({ length: tries - share }, (_, i) => Math.floor(((i + 1) * count) / (tries - share)) - 1);
  return [...new Set([...chosen, ...spread])].filter((row) => row >= 0).sort((a, b) => a - b);
}
