import { lookAheadSentence, quickLookAhead } from '#engine/backtest/quick-look-ahead.ts';
import type { Signals } from '#engine/strategy/strategy.ts';
import { failureNotes } from '#strategy-process/python/failure-notes.ts';
import { StrategyError } from '#strategy-process/strategy-error.ts';
import type { BacktestJob } from './backtest-job.ts';
import { type BacktestRun, runBacktest } from './backtest-run.ts';
import type { PythonJob } from '../python/python-job.ts';

/** The search for look-ahead is ended after this, in ms: some files take seconds for each beginning. */
const longestSearchMs = 15_000;

/** On fewer candles than this a strategy may fail. */
const fewCandles = 1_000;

/**
 * Runs a prepared backtest of a strategy in Python, and ends its process. A run that asks for candles it was not given, or for the account, is begun again with them.
 * Whether the strategy looks ahead is a note: freqtrade runs it all the same.
 *
 * Fails: CommandError, StrategyError
 */
export async function runPython(job: BacktestJob, python: PythonJob, searchMs = longestSearchMs): Promise<BacktestRun> {
  try {
    const symbols = job.pairs.map(({ instrument }) => instrument.symbol);
    return await python.withWanted(symbols, () => {
      const run = runBacktest({ ...job, strategy: { ...job.strategy, callbacks: python.strategy.callbacks ?? {} } });
      job.notes.push(...python.notes, ...failureNotes(job.strategy.name, python.failures()), ...lookAheadNotes(job, python, run, searchMs));
      return run;
    });
  } catch (error) {
    throw await python.explained(error);
  } finally {
    await python.end();
  }
}

/** The search has taken too long. */
class TooLong extends Error {
  override readonly name = 'TooLong';
}

/** What the signals of a sample of beginnings say about the whole. */
function lookAheadNotes(job: BacktestJob, python: PythonJob, { result }: BacktestRun, searchMs: number): string[] {
  const until = performance.now() + searchMs;
  for (const { symbol, candles, signals } of result.computed) {
    const begun = {
      compute: (known: typeof candles): Signals => {
        if (performance.now() > until) throw new TooLong();
        try {
          return python.columnsAgain(symbol, known);
        } catch (error) {
          // Many files cannot compute anything on a few candles: there is nothing to compare then.
          if (!(error instanceof StrategyError) || known.openTime.length >= fewCandles) throw error;
          return signals;
        }
      },
    };
    try {
      const found = quickLookAhead(begun, {}, candles, signals);
      if (found !== null) return [lookAheadSentence(job.strategy.name, symbol, candles, found)];
    } catch (error) {
      if (error instanceof TooLong)
        return [`${job.strategy.name} was not searched for look-ahead to the end, because it is slow: flotilla lookahead does.`];
      if (!(error instanceof StrategyError)) throw error;
      return [`${job.strategy.name} was not searched for look-ahead: on fewer candles of ${symbol} it fails. ${error.message}`];
    }
  }
  return [];
}
