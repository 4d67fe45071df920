import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import type { OwnRange } from '#engine/lab/search-space.ts';
import { sealedRange } from '#engine/lab/study-range.ts';
import { searchSpace, spaceWords, spacesOf } from '#engine/lab/search-space.ts';
import { lossNames } from '#engine/lab/losses.ts';
import { samplerNames, Study, type StudyPlan } from '#engine/lab/study.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import { type BacktestJob, prepareBacktest } from '../backtest/backtest-job.ts';
import { tradingStart } from '#engine/backtest/trading-start.ts';
import { CommandError } from '../command-error.ts';
import { readConfigFile } from '../config/config-json.ts';
import type { PythonPlaces } from '#strategy-process/python/find-python.ts';
import type { StudyHeader, StudyWords } from './results-file.ts';
import { sharedColumns, type StudyTask } from './study-task.ts';

/** What the words of a study say. */
export interface StudyWishes extends Partial<StudyWords> {
  timerange?: string;
  epochs?: string;
  spaces?: string[];
  range?: string[];
  sampler?: string;
  'hyperopt-loss'?: string;
  'min-trades'?: string;
  'random-state'?: string;
  'early-stop'?: string;
  'job-workers'?: string;
  sealed?: string;
}

/** A study that has all it needs. */
export interface StudyJob {
  job: BacktestJob; // of the settings as configured, over the time of the study
  task: StudyTask;
  header: Omit<StudyHeader, 'startedAt'>;
  threads: number;
}

/** Everything a study needs, read and checked. What is wrong with its words is reported together. Fails: CommandError */
export async function prepareStudy(wishes: StudyWishes, python: PythonPlaces): Promise<StudyJob> {
  const faults: string[] = [];
  const take = <Value>(read: () => Value, otherwise: Value): Value => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      faults.push(...error.faults);
      return otherwise;
    }
  };
  const loss = take(() => oneOf(wishes['hyperopt-loss'] ?? 'SharpeHyperOptLossDaily', lossNames, 'loss function'), lossNames[0]!);
  const sampler = take(() => oneOf(wishes.sampler ?? 'tpe', samplerNames, 'sampler'), 'tpe');
  const epochs = take(() => count('epochs', wishes.epochs, 1), null) ?? (sampler === 'grid' ? Infinity : 100);
  const minTrades = take(() => count('min-trades', wishes['min-trades'], 0), null) ?? 1;
  const seed = take(() => count('random-state', wishes['random-state'], 0), null) ?? randomInt(1, 2 ** 31);
  const earlyStop = take(() => count('early-stop', wishes['early-stop'], 0), null);
  const threads = take(() => count('job-workers', wishes['job-workers'], 1), null) ?? availableParallelism();
  const sealedShare = take(() => shareOf(wishes.sealed), null);
  const ownRanges = (wishes.range ?? []).flatMap((text) => take(() => [rangeOf(text)], []));
  const words = wishes.spaces ?? ['default'];
  const spaces = spacesOf(words);
  if (spaces === null) faults.push(`--spaces takes ${spaceWords.join(', ')}, and was given ${words.join(', ')}.`);
  const given = take(() => wordsOf(wishes), null);
  if (spaces === null || given === null || faults.length > 0) throw new CommandError(faults);

  const whole = await prepareBacktest(readConfigFile(given.config), { ...wishes, ...given, python });
  const chosen = { given, spaces, ownRanges, loss, sampler, epochs, minTrades, seed, earlyStop, sealedShare };
  const inPython = whole.python === null ? null : { config: given.config, wishes: { ...wishes, ...given, python } };
  try {
    return { threads, ...studyOf(whole, chosen, inPython) };
  } catch (error) {
    await whole.python?.end();
    throw error;
  }
}

/** What the words of a study have come to. */
interface Chosen {
  given: StudyWords;
  spaces: NonNullable<ReturnType<typeof spacesOf>>;
  ownRanges: OwnRange[];
  loss: StudyHeader['loss'];
  sampler: StudyPlan['sampler'];
  epochs: number;
  minTrades: number;
  seed: number;
  earlyStop: number | null;
  sealedShare: number | null;
}

/** The study of a prepared backtest. Fails: CommandError */
function studyOf(
  whole: BacktestJob,
  { given, spaces, ownRanges, loss, sampler, epochs, minTrades, seed, earlyStop, sealedShare }: Chosen,
  python: StudyTask['python'],
): Omit<StudyJob, 'threads'> {
  const { studied, sealed } = rangesOf(whole, sealedShare);
  const job: BacktestJob = { ...whole, range: studied };
  const base = { strategy: job.strategy, settings: job.settings, timeframe: job.timeframe };
  const space = searchSpace(base, spaces, ownRanges);
  if (space.faults.length > 0) throw new CommandError(space.faults);
  const { dimensions } = space;
  const plan: StudyPlan = { dimensions, sampler, seed, epochs: Number.isFinite(epochs) ? epochs : Number.MAX_SAFE_INTEGER, earlyStop };
  const fault = Study.faultOf(plan);
  if (fault !== null) throw new CommandError(fault);
  return {
    job,
    task: {
      strategyWord: given.strategy,
      startupCandles: job.strategy.startupCandles,
      settings: job.settings,
      timeframe: job.timeframe,
      dimensions,
      loss,
      minTrades,
      pairs: job.pairs.map((pair) => ({
        ...pair,
        candles: sharedColumns(pair.candles),
        detail: pair.detail === null ? null : sharedColumns(pair.detail),
      })),
      others: Object.fromEntries(Object.entries(job.others).map(([symbol, candles]) => [symbol, sharedColumns(candles)])),
      detailTimeframe: job.detailTimeframe,
      range: studied,
      quirksOff: job.quirksOff,
      python,
    },
    header: {
      kind: 'study',
      version: 1,
      words: given,
      plan,
      loss,
      minTrades,
      strategy: job.strategy.name,
      timeframe: job.timeframe,
      pairs: job.pairs.map(({ instrument }) => instrument.symbol),
      stakeCurrency: job.stakeCurrency,
      settings: job.settings,
      range: studied,
      sealed,
    },
  };
}

/** The words that a backtest of the same is prepared with again. */
function wordsOf({ strategy, config, datadir, pairs, timeframe, realistic, ...more }: StudyWishes): StudyWords {
  const faults: string[] = [];
  if (config === undefined) faults.push('Which settings? Give --config CONFIG.json.');
  if (datadir === undefined) faults.push('Where are the candles? Give --datadir DIR.');
  const configured = config === undefined ? null : readConfigFile(config)['strategy'];
  const word = strategy ?? (typeof configured === 'string' ? configured : undefined);
  if (word === undefined)
    faults.push('Which strategy? Give --strategy NAME, --strategy FILE.ts, --strategy FILE.py or --strategy FILE.json.');
  if (config === undefined || datadir === undefined || word === undefined || faults.length > 0) throw new CommandError(faults);
  return {
    strategy: placeOf(word),
    config: resolve(config),
    datadir: resolve(datadir),
    ...(pairs === undefined ? {} : { pairs }),
    ...(timeframe === undefined ? {} : { timeframe }),
    ...(more['timeframe-detail'] === undefined ? {} : { 'timeframe-detail': more['timeframe-detail'] }),
    ...(realistic === undefined ? {} : { realistic }),
  };
}

/** The full path of a strategy in a file, so that an epoch can be run again from another folder; a name stays a name. */
function placeOf(word: string): string {
  const [path = '', ...names] = word.split('#');
  return existsSync(path) ? [resolve(path), ...names].join('#') : word;
}

/** The time of a study and, where its last part is sealed, that part: opening times, both included. Fails: CommandError */
function rangesOf(
  { range, pairs, strategy, timeframe }: BacktestJob,
  sealedShare: number | null,
): Pick<StudyHeader, 'sealed'> & { studied: StudyHeader['range'] } {
  const candles = pairs.map((pair) => pair.candles);
  const step = timeframeLengths[timeframe];
  const from = tradingStart(range.from, candles, strategy.startupCandles, step);
  const last = Math.max(...candles.map(({ openTime }) => openTime.at(-1) ?? -Infinity));
  const to = Math.min(range.to ?? Infinity, last);
  // A start that was given stays as it is: where candles begin later the engine says so itself.
  const studied = { from: range.from ?? -Infinity, to: range.to ?? Infinity };
  if (!(from < to)) throw new CommandError('There are no candles in this time after the warm-up of the strategy.');
  const found = sealedRange({ from, to }, sealedShare, step);
  if (found === null) throw new CommandError('There are too few candles to seal a part of them.');
  return { studied: { from: Math.max(studied.from, from), to: found.studied.to }, sealed: found.sealed };
}

function oneOf<Name extends string>(text: string, names: readonly Name[], noun: string): Name {
  const found = names.find((name) => name === text);
  if (found === undefined) throw new CommandError(`There is no ${noun} "${text}"; there are ${names.join(', ')}.`);
  return found;
}

function count(name: string, text: string | undefined, least: number): number | null {
  if (text === undefined) return null;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < least)
    throw new CommandError(`--${name} must be a whole number of at least ${least}, and is "${text}".`);
  return value;
}

function shareOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const value = text.endsWith('%') ? Number(text.slice(0, -1)) / 100 : Number(text);
  if (!(value > 0 && value < 1)) throw new CommandError(`--sealed must be a part such as 20% or 0.2, and is "${text}".`);
  return value;
}

/** `fast=5:20:1`; the step may be left out. */
function rangeOf(text: string): OwnRange {
  const [, name, min, max, step] = /^([^=]+)=([^:]+):([^:]+)(?::([^:]+))?$/u.exec(text) ?? [];
  if (name === undefined || min === undefined || max === undefined)
    throw new CommandError(
      `--range takes NAME=MIN:MAX or NAME=MIN:MAX:STEP, for example stoploss=-0.1:-0.02:0.01, and was given "${text}".`,
    );
  return { name, min: Number(min), max: Number(max), step: step === undefined ? null : Number(step) };
}
