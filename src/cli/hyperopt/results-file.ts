import { appendFileSync, existsSync, linkSync, mkdirSync, readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorText } from '#engine/ports/error-text.ts';
import type { EpochFigures } from '#engine/lab/epoch-figures.ts';
import type { Choices } from '#engine/lab/search-space.ts';
import type { StudyPlan } from '#engine/lab/study.ts';
import type { ChoiceJudgement, Luck, Neighbourhood } from '#engine/lab/judgement/judgement.ts';
import type { TradingSettings } from '#engine/settings/trading-settings.ts';
import type { LossName } from '#engine/lab/losses.ts';
import { CommandError } from '../command-error.ts';

/** What a study was made of: the words it is prepared with again, and what they meant then. */
export interface StudyHeader {
  kind: 'study';
  version: 1;
  startedAt: string; // ISO 8601
  words: StudyWords;
  plan: StudyPlan;
  loss: LossName;
  minTrades: number;
  strategy: string; // its name
  timeframe: string;
  pairs: string[];
  stakeCurrency: string;
  settings: TradingSettings; // as configured; what an epoch turns lies over them
  range: { from: number; to: number }; // opening times in ms, both included
  sealed: { from: number; to: number } | null; // kept out of the study
}

/** The words of a backtest that a study begins with. */
export interface StudyWords {
  strategy: string;
  config: string;
  datadir: string;
  pairs?: string[];
  timeframe?: string;
  'timeframe-detail'?: string;
  realistic?: string[];
}

/** One epoch: what was chosen, and what came of it or why nothing did. */
export interface EpochRecord {
  kind: 'epoch';
  epoch: number; // from 1 on
  isBest: boolean; // better than all before it
  loss: number | null;
  point: readonly number[];
  values: Readonly<Record<string, number>>; // by the names of the dimensions
  figures: EpochFigures | null;
  fault?: string;
}

/** How the best epoch was judged when the study had ended. */
export interface JudgementRecord extends ChoiceJudgement {
  kind: 'judgement';
  epoch: number;
  epochs: number; // of the study
  luck: Luck;
  neighbourhood: Neighbourhood | null;
  doubledFees: EpochFigures | null;
  delayedSignals: EpochFigures | null;
  marketChange: number;
}

/** That the sealed stretch of a study was opened, once and for one epoch. */
export interface Unsealing {
  at: string; // ISO 8601
  epoch: number;
}

type ResultsLine = StudyHeader | EpochRecord | JudgementRecord;

/** A file of results that was read. */
export interface StudyResults {
  file: string;
  header: StudyHeader;
  epochs: EpochRecord[];
  judgement: JudgementRecord | null;
}

const ending = '.jsonl';

/** Begins a file of results in a folder, named by strategy and time; returns its path. Fails: CommandError */
export function beginResults(folder: string, header: StudyHeader): string {
  const time = header.startedAt.slice(0, 19).replace('T', '_').replaceAll(':', '-');
  const name = `strategy_${header.strategy.replaceAll(/[^\p{L}\p{N}_-]/gu, '_')}_${time}`;
  return asFault(folder, () => {
    mkdirSync(folder, { recursive: true });
    for (let again = 1; ; again++) {
      const file = join(folder, `${name}${again === 1 ? '' : `_${again}`}${ending}`);
      try {
        writeFileSync(file, `${JSON.stringify(header)}\n`, { flag: 'wx' });
        return file;
      } catch (error) {
        // Two studies of one second have files of their own.
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
    }
  });
}

/** Adds lines to a file of results. Fails: CommandError */
export function addResults(file: string, lines: readonly ResultsLine[]): void {
  if (lines.length > 0) asFault(file, () => appendFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join('')));
}

/** The file of results that is meant: the one named, in the folder or by its path, else the newest. Fails: CommandError */
export function findResults(folder: string, name: string | undefined): string {
  if (name !== undefined) {
    const found = [name, join(folder, name), join(folder, `${name}${ending}`)].find((path) => existsSync(path));
    if (found === undefined) throw new CommandError(`There is no file ${name}, neither here nor in ${folder}.`);
    return found;
  }
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.startsWith('strategy_') && file.endsWith(ending)) : [];
  const newest = files.toSorted((a, b) => (timeIn(a) < timeIn(b) ? -1 : 1)).at(-1);
  if (newest === undefined) throw new CommandError(`There are no results in ${folder}; flotilla hyperopt makes some.`);
  return join(folder, newest);
}

/** Reads a file of results; a last line that was cut off by a crash is left out. Fails: CommandError */
export function readResults(file: string): StudyResults {
  const lines = asFault(file, () => readFileSync(file, 'utf8')).split('\n');
  const records = lines.flatMap((line, i): ResultsLine[] => {
    if (line === '') return [];
    try {
      return [JSON.parse(line) as ResultsLine];
    } catch {
      if (i === lines.length - 1) return []; // it has no end: the computer went down while it was written
      throw new CommandError(`${file} is damaged in line ${i + 1}.`);
    }
  });
  const [header] = records;
  if (header?.kind !== 'study' || header.version !== 1) throw new CommandError(`${file} holds no results of flotilla hyperopt.`);
  return {
    file,
    header,
    epochs: records.filter((record) => record.kind === 'epoch'),
    judgement: records.findLast((record) => record.kind === 'judgement') ?? null,
  };
}

/**
 * Opens the sealed stretch of a study for an epoch, and returns how it was opened: now, or before and perhaps for another. Of two who open it at the
 * same moment one does.
 *
 * Fails: CommandError
 */
export function unseal(resultsFile: string, opening: Unsealing): Unsealing {
  const file = `${resultsFile.slice(0, -ending.length)}.unsealed.json`;
  return asFault(file, () => {
    const whole = `${file}.${process.pid}`;
    writeFileSync(whole, `${JSON.stringify(opening)}\n`);
    try {
      linkSync(whole, file); // refused where it is there; never half written
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      unlinkSync(whole);
    }
    return JSON.parse(readFileSync(file, 'utf8')) as Unsealing;
  });
}

/** The best epoch; null when none has a loss. */
export function bestOf({ epochs }: Pick<StudyResults, 'epochs'>): EpochRecord | null {
  return epochs.findLast(({ isBest }) => isBest) ?? null;
}

/** What an epoch turned, in freqtrade's names, to be put into a configuration; the parameters of the strategy apart. */
export function settingsOfChoices({ parameters, settings }: Choices): Record<string, unknown> {
  const { minimalRoi, maxOpenTrades, stoploss, trailingStop } = settings;
  return {
    parameters,
    max_open_trades: maxOpenTrades,
    minimal_roi: Object.fromEntries(minimalRoi.minutes.map((minutes, i) => [minutes, minimalRoi.ratios[i]])),
    stoploss,
    trailing_stop: trailingStop,
    trailing_stop_positive: settings.trailingStopPositive,
    trailing_stop_positive_offset: settings.trailingStopPositiveOffset,
    trailing_only_offset_is_reached: settings.trailingOnlyOffsetIsReached,
  };
}

/** The part of a name that is its time. */
function timeIn(name: string): string {
  return /_(\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d(?:_\d+)?)\.jsonl$/u.exec(name)?.[1] ?? '';
}

function asFault<Result>(place: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw new CommandError(`${place} cannot be used for results (${errorText(error)}).`);
  }
}
