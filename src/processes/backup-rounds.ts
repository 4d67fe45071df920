import { hourMs } from '#engine/market/durations.ts';
import { runToEnd } from './child-process.ts';
import { keepBackups } from './scheduled-backups.ts';

/** A backup and its test that take longer hang: on a disk that does not answer, nothing ends by itself. */
const longestBackupMs = 5 * hourMs;

/**
 * Makes backups as long as the product runs, each in a process of its own that runs `args`; one that is under way when a stop is
 * requested is ended. Gives the function that ends it.
 */
export function runBackups(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  stopRequested: Promise<void>,
  say: (line: string) => void,
): () => Promise<void> {
  let endRound = (): void => {}; // of the round under way: one promise for years would keep every process that ever waited for it
  void stopRequested.then(() => endRound());
  const backUp = async (): Promise<unknown> => {
    const ending = Promise.withResolvers<void>();
    endRound = ending.resolve;
    return runToEnd(args, environment, ending.promise, { name: 'backup', mostMs: longestBackupMs });
  };
  return keepBackups(backUp, say);
}
