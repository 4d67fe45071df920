/** What is wrong with what a person has asked for: one sentence or several, told together. Its exit code is 2. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly faults: readonly string[];

  constructor(faults: string | readonly string[]) {
    const list = typeof faults === 'string' ? [faults] : faults;
    super(list.join('\n'));
    this.faults = list;
  }
}

/** Tells a person one line. */
export type Say = (line: string) => void;

/** To the standard error, where a line does not disturb what a program reads from the standard output. */
export const complainToStandardError: Say = (line) => void process.stderr.write(`${line}\n`);

/** Runs a command and gives its exit code; a `CommandError` is told in plain sentences and gives 2. */
export async function exitCodeOf(complain: Say, command: () => Promise<number>): Promise<number> {
  try {
    return await command();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    for (const fault of error.faults) complain(fault);
    return 2;
  }
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
