import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { addTries, noTries, type Tries } from '#engine/lab/judgement/judgement.ts';
import { errorText } from '#engine/ports/error-text.ts';
import { CommandError } from '../command-error.ts';

/** On which data something was tried. */
export interface TriedData {
  strategy: string; // its name: another text of it is another try
  timeframe: string;
  pairs: readonly string[];
  from: number; // ms
  to: number;
}

interface TriesLine extends TriedData, Tries {
  file: string; // of the results
}

const fileName = 'tries.jsonl';

/**
 * How often a strategy was tried on data, over all studies: those count that used the same timeframe, one of the pairs at least, and a time that
 * overlaps. Removing a file of results does not take its tries back.
 *
 * Fails: CommandError
 */
export function triesOn(folder: string, data: TriedData): Tries {
  const file = join(folder, fileName);
  if (!existsSync(file)) return noTries;
  const lines = asFault(file, () => readFileSync(file, 'utf8')).split('\n');
  return lines.reduce((tries, line) => {
    const known = parsed(line);
    return known !== null && isSameData(known, data) ? addTries(tries, known) : tries;
  }, noTries);
}

/** Notes tries. Fails: CommandError */
export function noteTries(folder: string, data: TriedData, tries: Tries, resultsFile: string): void {
  if (tries.count === 0) return;
  const line: TriesLine = { ...data, ...tries, file: resultsFile };
  const file = join(folder, fileName);
  asFault(file, () => {
    mkdirSync(folder, { recursive: true });
    appendFileSync(file, `${isCutOff(file) ? '\n' : ''}${JSON.stringify(line)}\n`);
  });
}

/** Whether a crash has left the last line without its end: what is appended to that would be lost with it. */
function isCutOff(file: string): boolean {
  return existsSync(file) && /[^\n]$/u.test(readFileSync(file, 'utf8'));
}

function isSameData(a: TriedData, b: TriedData): boolean {
  return (
    a.strategy === b.strategy &&
    a.timeframe === b.timeframe &&
    a.pairs.some((pair) => b.pairs.includes(pair)) &&
    a.from <= b.to &&
    b.from <= a.to
  );
}

/** A line that was cut off by a crash counts for nothing. */
function parsed(line: string): TriesLine | null {
  try {
    const known = JSON.parse(line) as TriesLine | null;
    return Array.isArray(known?.pairs) ? known : null;
  } catch {
    return null;
  }
}

function asFault<Result>(file: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw new CommandError(`The tries cannot be kept in ${file} (${errorText(error)}).`);
  }
}
