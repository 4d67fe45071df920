import { StrategyError } from '#strategy-process/strategy-error.ts';

/** What is wrong with what a person has asked for: one sentence or several, reported together. Its exit code is 2. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly faults: readonly string[];

  constructor(faults: string | readonly string[]) {
    const list = typeof faults === 'string' ? [faults] : faults;
    super(list.join('\n'));
    this.faults = list;
  }
}

/** Somebody asked for help: not an error. The message is what to print. */
export class HelpRequested extends Error {
  override readonly name = 'HelpRequested';
}

/** Somebody has interrupted a command, and nothing of it goes on. Its exit code is 130. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** Prints one line for a person. */
export type Say = (line: string) => void;

/** To the standard error, where a line does not disturb what a program reads from the standard output. */
export const complainToStandardError: Say = (line) => void process.stderr.write(`${line}\n`);

/**
 * Runs a command and returns its exit code: its own, 0 after a help text, 130 after an interruption, 2 after the sentences of a `CommandError` or `StrategyError`.
 *
 * Fails: with anything else that was thrown; `main.ts` prints its message and ends with 1
 */
export async function exitCodeOf<Code extends number | null>(
  say: Say,
  complain: Say,
  command: () => Promise<Code>,
): Promise<Code | 0 | 2 | 130> {
  try {
    return await command();
  } catch (error) {
    if (error instanceof HelpRequested) {
      say(error.message);
      return 0;
    }
    if (error instanceof Interrupted) {
      complain('Interrupted.');
      return 130;
    }
    if (!(error instanceof CommandError || error instanceof StrategyError)) throw error;
    for (const fault of error.faults) complain(fault);
    return 2;
  }
}
