/** How much of a suite runs, and where its chance begins. */
export interface RunSize {
  size: number;
  seed: number;
  isNight: boolean; // asked for by `npm run torture`; else as one of the tests of a commit
}

/** The size that `npm run torture` gives, else the one of a commit, which is the same on every run. */
export function runSize(commitSize: number): RunSize {
  const size = process.env['TORTURE_SIZE'];
  return { size: Number(size ?? commitSize), seed: Number(process.env['TORTURE_SEED'] ?? 1), isNight: size !== undefined };
}

/** A line of a run's result: what was done, how often, from which seed. */
export function report(text: string): void {
  process.stdout.write(`${text}\n`);
}
