import type { SignalToEnter } from '#engine/backtest/replay-entry.ts';
import type { RefusedReplay } from '#engine/report/refused-replay.ts';
import type { HindsightTask } from './hindsight-task.ts';

/** A refused entry of a pair. */
export interface RefusedSignal extends SignalToEnter {
  symbol: string;
}

/** What the thread is given to replay: as a hindsight, with the entries. */
export interface ReplayTask extends Omit<HindsightTask, 'from'> {
  entries: readonly RefusedSignal[];
}

/** What the thread answers: the replay, or why there is none. */
export type ReplayResult = { ok: true; replay: RefusedReplay } | { ok: false; fault: string };
