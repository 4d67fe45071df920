import type { LookAhead } from '#engine/backtest/look-ahead.ts';
import { findLookAhead } from '#engine/backtest/look-ahead.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import { sliceColumns } from '#engine/market/candle.ts';
import { fillGaps } from '#engine/market/fill-gaps.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import { defaultParameters, type Strategy } from '#engine/strategy/strategy.ts';
import { loadCandles, pairsInFolder, requireFolder } from './candle-folder.ts';
import { CommandError, complainToStandardError, exitCodeOf, type Say } from './command-error.ts';
import { computeSignals } from './guarded-strategy.ts';
import { type OptionKind, readOptions } from './options.ts';
import { loadStrategy } from './strategy-file.ts';
import { readTimeframe } from './timeframe-name.ts';
import { utcText } from './time-range.ts';

const options = { strategy: 'word', datadir: 'word', pairs: 'words', timeframe: 'word' } as const satisfies Record<string, OptionKind>;

/** Of so many candles after the warm-up every beginning is tried; of all candles some hundreds, evenly spread. */
const everyBeginning = 1500;

/**
 * Looks for look-ahead in a strategy: signals and indicators that change when later candles are known.
 *
 *   lookahead --strategy FILE_OR_NAME --datadir DIR [--pairs A B ...] [--timeframe 5m]
 *
 * Without pairs all of the folder are looked at. Gives the exit code: 0 for none found, 1 after it has named the first
 * candle that differs, 2 after it has said what is wrong.
 */
export async function lookaheadCommand(words: readonly string[], say: Say, complain: Say = complainToStandardError): Promise<number> {
  return await exitCodeOf(complain, async () => {
    const given = readOptions(words, options);
    if (given.strategy === undefined) throw new CommandError('Which strategy? Give --strategy NAME or --strategy FILE.ts.');
    if (given.datadir === undefined) throw new CommandError('Where are the candles? Give --datadir DIR.');
    requireFolder(given.datadir);
    const strategy = await loadStrategy(given.strategy);
    const timeframe = readTimeframe(given.timeframe) ?? strategy.defaults.timeframe;
    const pairs = given.pairs ?? pairsInFolder(given.datadir);
    if (pairs.length === 0) throw new CommandError(`There are no candles in ${given.datadir}.`);
    for (const symbol of pairs) {
      const kind = symbol.includes(':') ? 'futures' : 'spot';
      const loaded = await loadCandles({ folder: given.datadir, symbol, timeframe, kind });
      const candles = fillGaps(loaded.candles, timeframeLengths[timeframe]);
      const found = lookAheadIn(strategy, candles, symbol);
      if (found === null) {
        say(`${symbol}: none in ${candles.openTime.length} candles of ${timeframe}.`);
        continue;
      }
      const { candle, candleTime, column, known, later, prefixLength } = found;
      const until = utcText(candles.openTime[prefixLength - 1]!);
      say(
        `${strategy.name} looks ahead: on ${symbol} ${column} of the candle of ${utcText(candleTime)} (number ${candle}) is ${known} when the candles up to ${until} are known, and ${later} when later ones are.`,
      );
      return 1;
    }
    say(`${strategy.name} was not found to look ahead.`);
    return 0;
  });
}

function lookAheadIn(strategy: Strategy, candles: CandleColumns, symbol: string): LookAhead | null {
  const parameters = defaultParameters(strategy);
  computeSignals(strategy, parameters, candles, symbol); // says in plain words what else may be wrong with it
  const beginning = sliceColumns(candles, 0, Math.min(candles.openTime.length, strategy.startupCandles + everyBeginning));
  return findLookAhead(strategy, parameters, beginning, Infinity) ?? findLookAhead(strategy, parameters, candles);
}
