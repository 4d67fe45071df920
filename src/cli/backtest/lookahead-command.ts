import type { LookAhead } from '#engine/backtest/look-ahead.ts';
import { findLookAhead } from '#engine/backtest/look-ahead.ts';
import { lookAheadSentence } from '#engine/backtest/quick-look-ahead.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import { sliceColumns } from '#engine/market/candle.ts';
import { fillGaps } from '#engine/market/fill-gaps.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import { namesOfPairs, type OtherPairs, pairOf, seriesFault, startupOn } from '#engine/strategy/series.ts';
import { defaultParameters, type Strategy } from '#engine/strategy/strategy.ts';
import { loadCandles, pairsInFolder, requireFolder } from '../candles/candle-folder.ts';
import { CommandError, complainToStandardError, exitCodeOf, type Say } from '../command-error.ts';
import { computeSignals } from '#strategy-process/code/guarded-strategy.ts';
import { type CommandDescription, type CommandOption, readOptions } from '../options.ts';
import { noPythonEnvironment, type PythonEnvironment } from '#strategy-process/python/find-python.ts';
import { lookaheadInPython } from './lookahead-in-python.ts';
import { isPythonFile } from '../python/python-file.ts';
import { runOptions } from './run-options.ts';
import { loadStrategy } from './strategy-file.ts';
import { readTimeframe } from '../timeframe-name.ts';

const description = {
  name: 'lookahead',
  summary: 'Finds signals and indicators that change when later candles are known.',
  options: {
    strategy: runOptions.strategy,
    datadir: runOptions.datadir,
    pairs: { values: 'several', placeholder: 'PAIR', help: 'e.g. BTC/USDT ETH/USDT; without it all pairs of the folder' },
    timeframe: { values: 'one', placeholder: 'TIMEFRAME', help: "e.g. 5m; without it the strategy's" },
    python: runOptions.python,
  },
  examples: ['npm run -s flotilla -- lookahead --strategy my-strategy.ts --datadir DIR'],
} as const satisfies CommandDescription<Record<string, CommandOption>>;

/** Of so many candles after the warm-up every beginning is tried; of all candles some hundreds, evenly spread. */
const everyBeginning = 1500;

/**
 * Searches a strategy for look-ahead: signals and indicators that change when later candles are known.
 *
 * Returns the exit code: 0 for none found, 1 after naming the first candle that differs, 2 when it was called wrongly.
 */
export async function lookaheadCommand(
  words: readonly string[],
  say: Say,
  complain: Say = complainToStandardError,
  environment: PythonEnvironment = noPythonEnvironment,
): Promise<number> {
  return await exitCodeOf(say, complain, async () => {
    const given = readOptions(words, description);
    if (given.strategy === undefined)
      throw new CommandError('Which strategy? Give --strategy NAME, --strategy FILE.ts or --strategy FILE.py.');
    if (given.datadir === undefined) throw new CommandError('Where are the candles? Give --datadir DIR.');
    requireFolder(given.datadir);
    if (isPythonFile(given.strategy)) {
      const python = { ...environment, given: given.python ?? null };
      return await lookaheadInPython(given.strategy, { ...given, datadir: given.datadir, python }, say);
    }
    const strategy = await loadStrategy(given.strategy);
    const timeframe = readTimeframe(given.timeframe) ?? strategy.defaults.timeframe;
    const fault = seriesFault(strategy, timeframe);
    if (fault !== null) throw new CommandError(fault);
    const pairs = given.pairs ?? pairsInFolder(given.datadir);
    if (pairs.length === 0) throw new CommandError(`There are no candles in ${given.datadir}.`);
    for (const symbol of pairs) {
      const kind = symbol.includes(':') ? 'futures' : 'spot';
      const folder = given.datadir;
      const load = async (of: string): Promise<CandleColumns> =>
        fillGaps((await loadCandles({ folder, symbol: of, timeframe, kind })).candles, timeframeLengths[timeframe]);
      const candles = await load(symbol);
      const others: Record<string, CandleColumns> = {};
      for (const name of namesOfPairs(strategy)) others[name] = await load(pairOf(name, symbol));
      const found = lookAheadIn({ ...strategy, startupCandles: startupOn(strategy, timeframe) }, candles, others, symbol);
      if (found === null) {
        say(`${symbol}: none in ${candles.openTime.length} candles of ${timeframe}.`);
        continue;
      }
      say(lookAheadSentence(strategy.name, symbol, candles, found));
      return 1;
    }
    say(`${strategy.name} was not found to use later candles.`);
    return 0;
  });
}

function lookAheadIn(strategy: Strategy, candles: CandleColumns, others: OtherPairs, symbol: string): LookAhead | null {
  const parameters = defaultParameters(strategy);
  computeSignals(strategy, parameters, candles, symbol, others); // says in plain words what else may be wrong with it
  const beginning = sliceColumns(candles, 0, Math.min(candles.openTime.length, strategy.startupCandles + everyBeginning));
  return (
    findLookAhead(strategy, parameters, beginning, { maxPrefixes: Infinity, others }) ??
    findLookAhead(strategy, parameters, candles, { others })
  );
}
