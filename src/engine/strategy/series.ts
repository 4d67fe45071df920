import { type CandleColumns, copyColumns } from '../market/candle.ts';
import { firstAtOrAfter } from '../market/first-at-or-after.ts';
import { type Aligned, alignedRows, longerCandles } from '../market/longer-candles.ts';
import { type Timeframe, timeframeLengths } from '../market/timeframe.ts';

/** Candles that a strategy reads beside its own: of a longer timeframe, of another pair, or both. */
export interface StrategySeries {
  symbol?: string; // another pair, e.g. 'BTC/USDT', or made of the pair that is traded, e.g. '{base}/BTC'; left out: the same pair
  timeframe?: Timeframe; // left out: that of the strategy
  startupCandles?: number; // candles of this series before a row can be trusted; none unless given
}

/** The candles of other pairs by the names that a strategy has for them, of its own timeframe; none is newer than the last of its own. */
export type OtherPairs = Readonly<Record<string, CandleColumns>>;

/** The candles of other pairs up to the one that opened at `time`; copies. */
export function knownBy(time: number, others: OtherPairs): OtherPairs {
  return Object.fromEntries(
    Object.entries(others).map(([name, candles]) => [name, copyColumns(candles, firstAtOrAfter(candles.openTime, time + 1))]),
  );
}

/** What of a strategy says which candles it reads. */
interface Reader {
  series?: readonly StrategySeries[];
  startupCandles: number;
}

/** How many series a strategy may read, and how many candles of its own they may need before the first row. */
export const seriesLimits = { series: 12, startupCandles: 5_000 } as const;

/**
 * The candles of a series, and for each of a strategy's own rows the newest of them that had closed by then; -1 before the first. Row by
 * row it depends on candles that had closed alone, so nothing of what comes later can be seen in it.
 *
 * Fails: RangeError for a pair whose candles are not there
 */
export function aligned(own: CandleColumns, others: OtherPairs | undefined, { symbol, timeframe }: StrategySeries): Aligned {
  if (symbol !== undefined && (others === undefined || !Object.hasOwn(others, symbol)))
    throw new RangeError(`the candles of ${symbol} are not there; a strategy names the pairs that it reads in its series`);
  const candles = symbol === undefined ? own : others![symbol];
  const rows = alignedRows(own.openTime, candles.openTime);
  if (timeframe === undefined) return { candles, rows };
  // When the first row is the only one, the length of its candle is known of earlier candles of the other pair alone.
  if ((stepOf(own) ?? stepOf(candles)) === timeframeLengths[timeframe]) return { candles, rows: rows[0] < 1 ? rows.fill(-1, 0, 1) : rows };
  const longer = longerCandles(candles, timeframe);
  return { candles: longer.candles, rows: rows.map((row) => (row < 0 ? -1 : longer.rows[row])) };
}

/** The length of candles that have no gaps, in ms; null where there are not two. */
function stepOf({ openTime }: CandleColumns): number | null {
  return openTime.length < 2 ? null : openTime[1] - openTime[0];
}

/** The other pairs of a strategy by its own names for them, each once. */
export function namesOfPairs({ series = [] }: Pick<Reader, 'series'>): string[] {
  return [...new Set(series.flatMap(({ symbol }) => symbol ?? []))];
}

/**
 * The pair that a strategy means by a name when it trades `symbol`: `{base}`, `{quote}` and `{settle}` are those of that pair.
 * `:{settle}` is nothing on spot.
 */
export function pairOf(name: string, symbol: string): string {
  const [, base = '', quote = '', settle] = /^([^/]*)\/([^:]*)(?::(.*))?$/u.exec(symbol) ?? [];
  return name
    .replaceAll(':{settle}', settle === undefined ? '' : `:${settle}`)
    .replaceAll('{settle}', settle ?? '')
    .replaceAll('{base}', base)
    .replaceAll('{quote}', quote);
}

/** The pairs that a strategy reads besides when it trades these, each once. */
export function pairsBeside(strategy: Pick<Reader, 'series'>, traded: readonly string[]): string[] {
  const read = namesOfPairs(strategy).flatMap((name) => traded.map((symbol) => pairOf(name, symbol)));
  return [...new Set(read)].filter((symbol) => !traded.includes(symbol));
}

/** Candles that a strategy needs before the first row that can be trusted, on candles of a timeframe: of its own, or for what its series need. */
export function startupOn({ series = [], startupCandles }: Reader, timeframe: Timeframe): number {
  const needed = series.map(({ timeframe: longer = timeframe, startupCandles: of = 0 }) => {
    const rows = Math.ceil(timeframeLengths[longer] / timeframeLengths[timeframe]);
    return rows === 1 ? of : rows * (of + 1); // the longer candle that begins before the first row is not known
  });
  return Math.max(startupCandles, ...needed);
}

/** Why candles of a timeframe cannot give a strategy what it reads, in a sentence; null when they can. */
export function seriesFault({ series = [], ...strategy }: Reader & { name: string }, timeframe: Timeframe): string | null {
  for (const { timeframe: wanted = timeframe } of series)
    if (timeframeLengths[wanted] % timeframeLengths[timeframe] !== 0)
      return `${strategy.name} reads candles of ${wanted}, which cannot be made of candles of ${timeframe}.`;
  const startup = startupOn({ series, ...strategy }, timeframe);
  return series.length > 0 && startup > seriesLimits.startupCandles
    ? `${strategy.name} needs ${startup} candles of ${timeframe} before the first that counts; the most are ${seriesLimits.startupCandles}.`
    : null;
}
