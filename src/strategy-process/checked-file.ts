import type { SourceFiles, StrategyDescription } from './wire/questions.ts';

/** A file that passed its checks. */
export interface CheckedFile {
  hash: string; // of its texts, those it imports included
  files: SourceFiles;
  strategies: readonly StrategyDescription[];
  computeMs: number; // for 1,000 candles; of the slowest of its strategies
  memoryMb: number; // of its process
}
