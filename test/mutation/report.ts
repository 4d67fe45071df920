import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** One change of the code and what became of it; lines and columns count from 1. */
interface Mutant {
  mutatorName: string;
  replacement?: string;
  status: string;
  location: { start: { line: number; column: number }; end: { line: number; column: number } };
}

/** Stryker's report: the changes of each file. */
export interface MutationReport {
  files: Record<string, { mutants: Mutant[] }>;
}

const unnoticed = ['Survived', 'NoCoverage'];
const noticed = ['Killed', 'Timeout'];

const identity = ({ mutatorName, replacement, location }: Mutant): string => JSON.stringify([mutatorName, replacement, location]);

/** The report in a file. Throws when there is none. */
export const readReport = (path: string): MutationReport => JSON.parse(readFileSync(path, 'utf8')) as MutationReport;

/** The changes that no test noticed, as places for Stryker's `mutate`. */
export const survivors = ({ files }: MutationReport): string[] =>
  Object.entries(files).flatMap(([file, { mutants }]) =>
    mutants
      .filter(({ status }) => unnoticed.includes(status))
      .map(({ location: { start, end } }) => `${file}:${start.line}:${start.column - 1}-${end.line}:${end.column - 1}`),
  );

/** `before` with what a later run over some of its changes, or over whole files, found. */
export function withLater(before: MutationReport, later: MutationReport, isWholeFiles: boolean): MutationReport {
  const files = { ...before.files };
  for (const [file, { mutants }] of Object.entries(later.files)) {
    const found = new Map(mutants.map((mutant) => [identity(mutant), mutant]));
    const known = files[file]?.mutants ?? [];
    const isSeen = (mutant: Mutant): boolean => unnoticed.includes(mutant.status);
    files[file] = {
      mutants: isWholeFiles ? mutants : known.map((mutant) => (isSeen(mutant) ? (found.get(identity(mutant)) ?? mutant) : mutant)),
    };
  }
  return { files };
}

/** A line for each folder: the share of changes that a test noticed, and how many changes there were. */
export function scoresByFolder({ files }: MutationReport): string[] {
  const folders = new Map<string, { noticed: number; all: number }>();
  for (const [file, { mutants }] of Object.entries(files)) {
    const folder = folders.get(dirname(file)) ?? { noticed: 0, all: 0 };
    const killed = mutants.filter(({ status }) => noticed.includes(status)).length;
    folder.noticed += killed;
    folder.all += killed + mutants.filter(({ status }) => unnoticed.includes(status)).length;
    folders.set(dirname(file), folder);
  }
  return [...folders].map(
    ([folder, score]) => `${folder.padEnd(32)} ${((100 * score.noticed) / score.all).toFixed(1).padStart(5)} % of ${score.all}`,
  );
}
