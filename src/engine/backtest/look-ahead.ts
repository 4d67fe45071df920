import type { CandleColumns } from '../market/candle.ts';
import { copyColumns } from '../market/candle.ts';
import { knownBy, type OtherPairs } from '../strategy/series.ts';
import type { ParameterValues, Signals, Strategy } from '../strategy/strategy.ts';

/** A candle whose signals change when later candles are known. */
export interface LookAhead {
  candle: number; // its number in the candles given
  candleTime: number;
  column: string; // the first column that differs, e.g. 'enterLong' or 'indicators.fast'
  known: number; // value with the candles up to the prefix
  later: number; // value with all candles
  prefixLength: number; // candles the strategy was given
}

/**
 * Looks for look-ahead: computes the strategy on beginnings of the data and compares every row with the whole.
 *
 * Returns the first candle that differs, or null. All beginnings are tried when there are at most `maxPrefixes`; else
 * that many, spread evenly, the last candles included. Indicators are compared too, as a flag may hide a difference.
 */
export function findLookAhead(
  strategy: Pick<Strategy, 'compute'>,
  parameters: ParameterValues,
  candles: CandleColumns,
  { maxPrefixes = 300, others = {} }: { maxPrefixes?: number; others?: OtherPairs } = {},
): LookAhead | null {
  const count = candles.openTime.length;
  // Copies, so that a strategy cannot reach what lies behind the beginning it was given.
  const whole = columnsOf(strategy.compute(copyColumns(candles, count), parameters, knownBy(candles.openTime[count - 1], others)));
  const tries = Math.min(maxPrefixes, count);
  let first: LookAhead | null = null;
  for (let n = 1; n <= tries; n++) {
    const prefixLength = Math.ceil((n * count) / tries);
    const known = knownBy(candles.openTime[prefixLength - 1], others);
    const part = columnsOf(strategy.compute(copyColumns(candles, prefixLength), parameters, known));
    const limit = first === null ? prefixLength : Math.min(prefixLength, first.candle);
    const found = firstDifference(part, whole, limit);
    if (found !== null) first = { ...found, candleTime: candles.openTime[found.candle], prefixLength };
  }
  return first;
}

type NamedColumns = Map<string, ArrayLike<number>>;

function columnsOf(signals: Signals): NamedColumns {
  const columns: NamedColumns = new Map();
  for (const name of ['enterLong', 'exitLong', 'enterShort', 'exitShort'] as const) columns.set(name, signals[name]);
  for (const name of ['enterTag', 'exitTag', 'confidence'] as const) {
    const column = signals[name];
    if (column !== null) columns.set(name, column);
  }
  for (const [name, column] of Object.entries(signals.indicators)) columns.set(`indicators.${name}`, column);
  return columns;
}

function firstDifference(part: NamedColumns, whole: NamedColumns, limit: number): Omit<LookAhead, 'candleTime' | 'prefixLength'> | null {
  let found: Omit<LookAhead, 'candleTime' | 'prefixLength'> | null = null;
  for (const [column, values] of part) {
    const later = whole.get(column);
    if (later === undefined) continue;
    const end = found === null ? limit : found.candle;
    for (let i = 0; i < end; i++) {
      if (values[i] === later[i] || (Number.isNaN(values[i]) && Number.isNaN(later[i]))) continue;
      found = { candle: i, column, known: values[i], later: later[i] };
      break;
    }
  }
  return found;
}
