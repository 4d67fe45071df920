import { findLookAhead } from '#engine/backtest/look-ahead.ts';
import { lookAheadSentence } from '#engine/backtest/quick-look-ahead.ts';
import { fillGaps } from '#engine/market/fill-gaps.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import { loadCandles, pairsInFolder } from '../candles/candle-folder.ts';
import { CommandError, type Say } from '../command-error.ts';
import type { PythonPlaces } from '#strategy-process/python/find-python.ts';
import { preparePython } from '../python/python-job.ts';

/** Of how many beginnings a strategy in Python is asked for its columns, for each pair: each is a question to its process. */
const beginnings = 200;

/** Searches a strategy in Python for look-ahead, as the command does. Returns the exit code. Fails: CommandError, StrategyError */
export async function lookaheadInPython(
  word: string,
  { datadir, pairs: named, timeframe, python: places }: { datadir: string; pairs?: string[]; timeframe?: string; python: PythonPlaces },
  say: Say,
): Promise<number> {
  const pairs = named ?? pairsInFolder(datadir);
  const [first] = pairs;
  if (first === undefined) throw new CommandError(`There are no candles in ${datadir}.`);
  const isFutures = first.includes(':');
  const config = isFutures ? { trading_mode: 'futures', margin_mode: 'isolated' } : {};
  const job = await preparePython(word, config, { datadir, pairs, ...(timeframe === undefined ? {} : { timeframe }), python: places });
  try {
    const own = job.strategy.defaults.timeframe;
    for (const symbol of pairs) {
      const loaded = await loadCandles({ folder: datadir, symbol, timeframe: own, kind: isFutures ? 'futures' : 'spot' });
      const candles = fillGaps(loaded.candles, timeframeLengths[own]);
      const found = await job.withWanted(pairs, () =>
        findLookAhead({ compute: (known) => job.columnsAgain(symbol, known, true) }, {}, candles, { maxPrefixes: beginnings }),
      );
      if (found === null) {
        say(`${symbol}: none in ${candles.openTime.length} candles of ${own}.`);
        continue;
      }
      say(lookAheadSentence(job.strategy.name, symbol, candles, found));
      return 1;
    }
    say(`${job.strategy.name} was not found to use later candles.`);
    return 0;
  } catch (error) {
    throw await job.explained(error);
  } finally {
    await job.end();
  }
}
