import { choicesAt, type Choices, turnedSettings } from '#engine/lab/search-space.ts';
import { epochFigures, type EpochFigures } from '#engine/lab/epoch-figures.ts';
import { turnedWords } from '#strategy-process/python/bot-words.ts';
import type { PythonPlaces } from '#strategy-process/python/find-python.ts';
import { minuteText } from '#engine/market/minute-text.ts';
import { type BacktestJob, prepareBacktest } from '../backtest/backtest-job.ts';
import { reportOf } from '../backtest/backtest-report.ts';
import { type BacktestRun, runBacktest } from '../backtest/backtest-run.ts';
import { runPython } from '../backtest/run-python.ts';
import { reportLines } from '../backtest/report-text.ts';
import { runOptions } from '../backtest/run-options.ts';
import { CommandError, complainToStandardError, exitCodeOf, type Say } from '../command-error.ts';
import { readConfigFile } from '../config/config-json.ts';
import { type CommandDescription, type CommandOption, readOptions } from '../options.ts';
import { profitText } from './epoch-text.ts';
import { type HyperoptEnvironment, resultsOption } from './hyperopt-command.ts';
import { fileOption } from './hyperopt-list-command.ts';
import { judgementLines } from './judgement-text.ts';
import {
  bestOf,
  type EpochRecord,
  findResults,
  readResults,
  settingsOfChoices,
  type StudyHeader,
  type StudyResults,
  unseal,
} from './results-file.ts';

const description = {
  name: 'hyperopt-show',
  summary: 'Runs an epoch of a study again and reports it.',
  options: {
    index: { values: 'one', short: 'n', placeholder: 'EPOCH', help: 'its number, or -1 for the last; the best, when left out' },
    'hyperopt-filename': fileOption,
    python: runOptions.python,
    results: resultsOption,
    'print-json': { values: 'none', help: 'prints only its parameters and settings, as one JSON object' },
    unseal: { values: 'none', help: 'opens the sealed stretch for this epoch: once for the whole study, which is written down' },
  },
  examples: ['npm run -s flotilla -- hyperopt-show -n 17', 'npm run -s flotilla -- hyperopt-show -n 17 --unseal'],
} as const satisfies CommandDescription<Record<string, CommandOption>>;

/** Runs an epoch again; the description above is its help. Returns the exit code: 1 when it comes to something else than in the study. */
export async function hyperoptShowCommand(
  words: readonly string[],
  { results: resultsFolder, python: places }: Pick<HyperoptEnvironment, 'results' | 'python'>,
  say: Say,
  complain: Say = complainToStandardError,
): Promise<number> {
  return await exitCodeOf<number>(say, complain, async () => {
    const { results, python, index, 'hyperopt-filename': name, 'print-json': asJson, unseal: opens } = readOptions(words, description);
    const study = readResults(findResults(results ?? resultsFolder, name));
    const epoch = epochOf(study, index);
    const job = await jobOf(study.header, { ...places, given: python ?? null });
    try {
      return await show(study, epoch, job, { asJson: asJson === true, opens: opens === true }, say, complain);
    } finally {
      await job.python?.end();
    }
  });
}

async function show(
  study: StudyResults,
  epoch: EpochRecord,
  job: BacktestJob,
  { asJson, opens }: { asJson: boolean; opens: boolean },
  say: Say,
  complain: Say,
): Promise<number> {
  const choices = choicesAt(job, study.header.plan.dimensions, epoch.point);
  if (asJson) {
    say(JSON.stringify(settingsOfChoices(choices), null, 2));
    return 0;
  }
  job.python?.giveSettings(turnedWords(turnedSettings(epoch.values)));
  if (opens) return await unsealed(study, epoch, job, choices, say);
  const run = await runOf(job, choices, study.header.range);
  say(`Epoch ${epoch.epoch} of ${study.file}`);
  say(
    `Values: ${Object.entries(epoch.values)
      .map(([key, value]) => `${key} ${value}`)
      .join(', ')}`,
  );
  say('');
  for (const line of reportLines(reportOf({ ...job, settings: choices.settings }, run))) say(line);
  if (study.judgement?.epoch === epoch.epoch)
    for (const line of ['', ...judgementLines(study.judgement, epoch, study.header.stakeCurrency, study.header.plan.sampler === 'tpe')])
      say(line);
  const difference = differenceOf(epoch.figures, epochFigures(run.result), study.header.stakeCurrency);
  if (difference === null) return 0;
  complain(difference);
  return 1;
}

/** Runs an epoch on the sealed stretch, which is opened for it alone. */
async function unsealed({ header, file }: StudyResults, epoch: EpochRecord, job: BacktestJob, choices: Choices, say: Say): Promise<number> {
  if (header.sealed === null) throw new CommandError('Nothing of this study is sealed; a study is begun with --sealed 20% for that.');
  // It is written down before it is shown: whoever has seen it has opened it.
  const now = new Date().toISOString();
  const opened = unseal(file, { at: now, epoch: epoch.epoch });
  if (opened.epoch !== epoch.epoch)
    throw new CommandError(
      `The sealed stretch was opened on ${opened.at} for epoch ${opened.epoch}; for another epoch it proves nothing any more.`,
    );
  const run = await runOf(job, choices, header.sealed);
  const stretch = `${minuteText(header.sealed.from)} to ${minuteText(header.sealed.to)} UTC`;
  const when = opened.at === now ? 'opened now, for this epoch alone' : `opened on ${opened.at}`;
  say(`Epoch ${epoch.epoch} on the sealed stretch, ${stretch}, ${when}`);
  say('');
  for (const line of reportLines(reportOf({ ...job, settings: choices.settings }, run))) say(line);
  return 0;
}

function epochOf(study: StudyResults, index: string | undefined): EpochRecord {
  const { epochs, file } = study;
  const number = index === undefined ? bestOf(study)?.epoch : Number(index);
  if (number === undefined) throw new CommandError(`${file} has no best epoch; name one with -n.`);
  const found = epochs.find(({ epoch }) => epoch === (number < 0 ? epochs.length + 1 + number : number));
  if (found === undefined) throw new CommandError(`There is no epoch ${index} in ${file}; there are 1 to ${epochs.length}.`);
  if (found.figures === null) throw new CommandError(`Epoch ${found.epoch} failed: ${found.fault ?? 'for no known reason'}`);
  return found;
}

/** What a study was prepared with, again. Fails: CommandError, also where its configuration has changed since */
async function jobOf(header: StudyHeader, python: PythonPlaces): Promise<BacktestJob> {
  const job = await prepareBacktest(readConfigFile(header.words.config), { ...header.words, python });
  const changed = Object.entries(header.settings).filter(
    ([key, value]) => JSON.stringify(job.settings[key as keyof typeof job.settings]) !== JSON.stringify(value),
  );
  if (changed.length === 0) return job;
  await job.python?.end();
  throw new CommandError(`${header.words.config} has changed since the study: ${changed.map(([key]) => key).join(', ')}.`);
}

async function runOf(job: BacktestJob, { parameters, settings }: Choices, range: { from: number; to: number }): Promise<BacktestRun> {
  const chosen = Object.entries(job.strategy.parameters).map(([name, parameter]) => [
    name,
    { ...parameter, default: parameters[name] ?? parameter.default },
  ]);
  const run = { ...job, settings, range, strategy: { ...job.strategy, parameters: Object.fromEntries(chosen) } };
  if (job.python === null) return runBacktest(run);
  job.python.giveParameters(parameters);
  return await runPython(run, job.python);
}

function differenceOf(then: EpochFigures | null, now: EpochFigures, coin: string): string | null {
  if (then === null || JSON.stringify(then) === JSON.stringify(now)) return null;
  return `In the study this epoch had ${then.trades} trades and made ${profitText(then, coin)}; now it has ${now.trades} and makes ${profitText(now, coin)}: the strategy or the candles have changed since.`;
}
