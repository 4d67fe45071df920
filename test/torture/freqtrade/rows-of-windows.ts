import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { candleFileName, readRows, type SeriesKind } from '#cli/candles/candle-folder.ts';
import { type CandleColumns, sliceColumns } from '#engine/market/candle.ts';
import { firstAtOrAfter } from '#engine/market/first-at-or-after.ts';
import { isTimeframe, type Timeframe, timeframeLengths } from '#engine/market/timeframe.ts';
import type { Signals } from '#engine/strategy/strategy.ts';
import { type KeptPythonDescription } from '#strategy-process/python/python-facts.ts';
import { readByClass } from '#strategy-process/python/read-by-class.ts';
import { nameOfSeries } from '#strategy-process/python/series-name.ts';
import type { StrategyOfVersion, StrategyProcesses } from '#strategy-process/strategy-processes.ts';

/** How the rows of windows compare with those of all candles. */
export interface RowsOfWindows {
  count: number;
  withSignals: number; // of the rows of all candles
  differing: readonly string[]; // what is said by which, of each row that is not the same
  tookMs: readonly number[];
}

interface Pair {
  folder: string; // of candles
  symbol: string;
  timeframe: Timeframe;
}

/** Asks for rows as a running bot does, with windows of `size` candles, at places spread over all of them, half of them with signals. */
export async function rowsOfWindows(
  processes: StrategyProcesses,
  strategy: StrategyOfVersion,
  kept: KeptPythonDescription,
  { folder, symbol, timeframe }: Pair,
  { size, places }: { size: number; places: number },
): Promise<RowsOfWindows> {
  const kind = symbol.includes(':') ? 'futures' : 'spot';
  const all = await readRows(join(folder, `${candleFileName({ symbol, timeframe, kind })}.feather`));
  const read = await Promise.all(
    (await readByClass(processes, strategy, kept, symbol)).map(async (name) => {
      const file = join(
        folder,
        `${candleFileName({ ...name, timeframe: name.timeframe as Timeframe, kind: name.kind as SeriesKind })}.feather`,
      );
      const candles = isTimeframe(name.timeframe) && existsSync(file) ? await readRows(file) : sliceColumns(all, 0, 0);
      return { name: nameOfSeries(name), candles, length: isTimeframe(name.timeframe) ? timeframeLengths[name.timeframe] : 1 };
    }),
  );
  const wholeOthers = Object.fromEntries(read.map(({ name, candles }) => [name, { candles }]));
  const whole = await processes.columns(strategy, {}, { symbol, own: { candles: all }, others: wholeOthers });
  const length = timeframeLengths[timeframe];
  const found = { count: 0, withSignals: 0, differing: [] as string[], tookMs: [] as number[] };
  for (const row of placesOf(whole, Math.min(size, all.openTime.length) - 1, places)) {
    const end = (all.openTime[row] ?? 0) + length;
    const others = read.map(({ name, candles, length: each }) => {
      const until = firstAtOrAfter(candles.openTime, end - each + 1);
      return [name, { candles: sliceColumns(candles, Math.max(0, until - size), until), series: `beside ${symbol}: ${name}` }] as const;
    });
    const own = { candles: windowOf(all, row, size), series: symbol };
    const since = performance.now();
    const said = await processes.row(strategy, {}, { symbol, own, others: Object.fromEntries(others), timeframeMs: length });
    found.tookMs.push(performance.now() - since);
    found.count++;
    const [ofWindow, ofAll] = [textOf({ ...said }), textOf(rowOf(whole, row))];
    if (hasSignal(whole, row)) found.withSignals++;
    if (ofWindow !== ofAll) found.differing.push(`row ${row}: ${ofWindow} of the window, ${ofAll} of all`);
  }
  return found;
}

function windowOf(all: CandleColumns, row: number, size: number): CandleColumns {
  return sliceColumns(all, Math.max(0, row + 1 - size), row + 1);
}

function placesOf(whole: Signals, first: number, places: number): number[] {
  const rows = Array.from({ length: whole.enterLong.length - first }, (_, i) => first + i);
  const spread = (from: readonly number[], count: number): number[] =>
    Array.from({ length: Math.min(count, from.length) }, (_, i) => from[Math.floor((i * from.length) / Math.min(count, from.length))] ?? 0);
  const flagged = spread(
    rows.filter((row) => hasSignal(whole, row)),
    places / 2,
  );
  return [...new Set([...flagged, ...spread(rows, places - flagged.length)])].sort((a, b) => a - b);
}

function hasSignal({ enterLong, exitLong, enterShort, exitShort }: Signals, row: number): boolean {
  return [enterLong, exitLong, enterShort, exitShort].some((column) => column[row] === 1);
}

function rowOf({ enterLong, exitLong, enterShort, exitShort, enterTag, exitTag, tags }: Signals, row: number): object {
  const tag = (column: Signals['enterTag']): string | null => tags[(column?.[row] ?? 0) - 1] ?? null;
  const [isLong, leavesLong, isShort, leavesShort] = [enterLong, exitLong, enterShort, exitShort].map((column) => column[row] === 1);
  return {
    enterLong: isLong,
    exitLong: leavesLong,
    enterShort: isShort,
    exitShort: leavesShort,
    enterTag: tag(enterTag),
    exitTag: tag(exitTag),
  };
}

/** The flags that are up, and the tags. */
function textOf(row: object): string {
  return (
    Object.entries(row)
      .filter(([name, value]) => value !== null && value !== false && name !== 'confidence')
      .map(([name, value]) => (value === true ? name : `${name} "${String(value)}"`))
      .join(', ') || 'nothing'
  );
}
