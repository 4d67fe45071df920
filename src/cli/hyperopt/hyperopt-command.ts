import { join } from 'node:path';
import { minuteText } from '#engine/market/minute-text.ts';
import { pointsOf } from '#engine/lab/dimension.ts';
import { lossNames } from '#engine/lab/losses.ts';
import { samplerNames } from '#engine/lab/study.ts';
import { spaceWords } from '#engine/lab/search-space.ts';
import type { PythonEnvironment } from '#strategy-process/python/find-python.ts';
import { StudyThreads } from '#strategy-process/study/study-threads.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import type { BacktestJob } from '../backtest/backtest-job.ts';
import { runBacktest } from '../backtest/backtest-run.ts';
import { runOptions } from '../backtest/run-options.ts';
import { runPython } from '../backtest/run-python.ts';
import { CommandError, complainToStandardError, exitCodeOf, type Say } from '../command-error.ts';
import { type CommandDescription, type CommandOption, readOptions } from '../options.ts';
import { epochLine, headLine, profitText } from './epoch-text.ts';
import { judgementLines } from './judgement-text.ts';
import { Progress } from './progress.ts';
import { beginResults, type EpochRecord, type StudyHeader } from './results-file.ts';
import { runStudy, type StudyEnd } from './run-study.ts';
import { prepareStudy } from './study-job.ts';
import type { StudyTask } from './study-task.ts';

/** The option that says where results are. */
export const resultsOption = {
  values: 'one',
  placeholder: 'DIR',
  help: 'folder of the results; hyperopt_results in the instance folder, when left out',
} as const;

const description = {
  name: 'hyperopt',
  summary: "Searches for parameters and settings with many backtests, in freqtrade's words, and judges the best honestly.",
  options: {
    ...runOptions,
    spaces: { values: 'several', placeholder: 'SPACE', help: `what is searched: ${spaceWords.join(', ')}` },
    range: { values: 'several', placeholder: 'NAME=MIN:MAX:STEP', help: 'another range of a number; the step may be left out' },
    sampler: {
      values: 'one',
      placeholder: 'NAME',
      help: `${samplerNames.join(', ')}; tpe learns from what it has tried, and is taken when left out`,
    },
    'hyperopt-loss': {
      values: 'one',
      placeholder: 'NAME',
      help: `what is made small: ${lossNames.join(', ')}; SharpeHyperOptLossDaily, when left out`,
    },
    epochs: { values: 'one', short: 'e', placeholder: 'COUNT', help: 'backtests; 100, or the whole grid, when left out' },
    'min-trades': { values: 'one', placeholder: 'COUNT', help: 'epochs with fewer trades have no loss; 1, when left out' },
    'early-stop': { values: 'one', placeholder: 'COUNT', help: 'ends after so many epochs without a better one' },
    'random-state': { values: 'one', placeholder: 'NUMBER', help: 'the same number gives the same epochs, however many workers there are' },
    'job-workers': { values: 'one', short: 'j', placeholder: 'COUNT', help: 'threads; as many as processors, when left out' },
    sealed: {
      values: 'one',
      placeholder: 'PART',
      help: 'keeps the last part of the time out of the study, e.g. 20%; hyperopt-show --unseal opens it once',
    },
    results: resultsOption,
    'print-all': { values: 'none', help: 'prints every epoch, not only those that are better than all before' },
  },
  examples: [
    'npm run -s flotilla -- hyperopt --strategy EmaCross --config config.json --datadir DIR --spaces buy stoploss -e 1000 -j 2 --sealed 20%',
  ],
} as const satisfies CommandDescription<Record<string, CommandOption>>;

/** What the surroundings of the command say. */
export interface HyperoptEnvironment {
  results: string; // the folder of results, where none is named
  showsProgress: boolean; // a line on the standard error that is written over
  python: PythonEnvironment;
  signal: AbortSignal; // ends a study; what was found is kept
}

/** Searches for parameters and settings; the description above is its help. Returns the exit code. */
export async function hyperoptCommand(
  words: readonly string[],
  environment: HyperoptEnvironment,
  say: Say,
  complain: Say = complainToStandardError,
): Promise<number> {
  return await exitCodeOf(say, complain, async () => {
    const { results, python, 'print-all': printsAll, ...wishes } = readOptions(words, description);
    const { signal } = environment;
    const { job, task, threads: count, header: made } = await prepareStudy(wishes, { ...environment.python, given: python ?? null });
    // Once as configured: it finds what is wrong with the strategy, looks for look-ahead, and is what the best is compared with.
    const once = { ...job, quirksOff: [] };
    const { result: configured } = once.python === null ? runBacktest(once) : await runPython(once, once.python);
    const header: StudyHeader = { ...made, startedAt: new Date().toISOString() };
    const folder = results ?? environment.results;
    const file = beginResults(folder, header);
    for (const line of headerLines(header, count, job.notes)) say(line);
    say(
      `As configured: ${configured.trades.length} trades, ${profitText({ profit: configured.finalBalance - configured.startingBalance, profitRatio: configured.finalBalance / configured.startingBalance - 1 }, header.stakeCurrency)}`,
    );
    say('');
    say(headLine());
    const threads = new StudyThreads(join(import.meta.dirname, 'study-thread.ts'), task, count);
    const progress = new Progress(environment.showsProgress, header.plan.epochs);
    const onEpoch = (record: EpochRecord): void => {
      if (printsAll === true || record.isBest) {
        progress.clear();
        say(epochLine(record, header.stakeCurrency));
      }
      progress.epoch(record);
    };
    let end: StudyEnd;
    try {
      end = await runStudy({ header, threads, folder, file, marketChange: configured.marketChange, onEpoch, signal });
    } finally {
      progress.clear();
      await threads.close();
    }
    refuseChangedCandles(job, task);
    for (const line of endLines(end, header, file)) say(line);
    if (end.isInterrupted) return 130;
    if (end.best === null) throw new CommandError(whyNone(end, header));
    return 0;
  });
}

/** The threads share the candles: what one epoch changes is wrong for all. */
function refuseChangedCandles({ pairs, strategy }: BacktestJob, task: StudyTask): void {
  for (const [i, { candles, instrument }] of pairs.entries()) {
    const shared = task.pairs[i]!.candles;
    for (const name of Object.keys(candles) as (keyof CandleColumns)[])
      if (!bytesOf(candles[name]).equals(bytesOf(shared[name])))
        throw new CommandError(
          `${strategy.name} has changed the candles of ${instrument.symbol} that it was given: the epochs of this study are worth nothing.`,
        );
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Float64Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function headerLines(
  { plan, loss, strategy, timeframe, pairs, range, sealed }: StudyHeader,
  threads: number,
  notes: readonly string[],
): string[] {
  const points = pointsOf(plan.dimensions);
  const size = points < 1e9 ? points.toLocaleString('en') : `about 10^${Math.round(Math.log10(points))}`;
  return [
    `${strategy} on ${timeframe} candles, ${pairs.join(' ')}, ${minuteText(range.from)} to ${minuteText(range.to)} UTC`,
    `Searched: ${plan.dimensions.map(({ name, min, max, step }) => `${name} ${min} to ${max} by ${step}`).join('; ')} (${size} points)`,
    `Loss: ${loss}; sampler: ${plan.sampler}; random state ${plan.seed}; ${threads === 1 ? '1 thread' : `${threads} threads`}`,
    ...(sealed === null ? [] : [`Sealed: ${minuteText(sealed.from)} to ${minuteText(sealed.to)} UTC is not part of this study.`]),
    ...notes.map((note) => `Note: ${note}`),
  ];
}

function endLines({ epochs, best, faults, firstFault, judgement, isInterrupted }: StudyEnd, header: StudyHeader, file: string): string[] {
  const lines = ['', `${isInterrupted ? 'Interrupted: ' : ''}${epochs} epochs in ${file}`];
  if (faults > 0)
    lines.push(`${faults === 1 ? 'One epoch' : `${faults} epochs`} failed; the first, number ${firstFault?.epoch}: ${firstFault?.fault}`);
  if (best === null || judgement === null) return lines;
  const values = Object.entries(best.values).map(([name, value]) => `${name} ${value}`);
  return [
    ...lines,
    `Best: epoch ${best.epoch} with ${values.join(', ')}`,
    '',
    ...judgementLines(judgement, best, header.stakeCurrency, header.plan.sampler === 'tpe'),
    '',
    `flotilla hyperopt-show -n ${best.epoch} runs it again; nothing was changed anywhere.`,
  ];
}

function whyNone({ epochs, faults, firstFault }: StudyEnd, { minTrades }: StudyHeader): string {
  if (faults === epochs && firstFault !== null) return `All ${epochs} epochs failed; the first: ${firstFault.fault}`;
  return minTrades <= 1
    ? `None of ${epochs} epochs made a trade: there is nothing to choose among.`
    : `None of ${epochs} epochs made ${minTrades} trades: ask for fewer with --min-trades.`;
}
