import type { Flags, RecordedDecision } from './recorded-decision.ts';
import { candleKey } from './recorded-decision.ts';

/** The flags of every candle that was replayed, by `candleKey`. */
export type ReplayedFlags = ReadonlyMap<string, Flags>;

/** How the decisions on record compare with those of the replay. */
export interface DecisionsCompared {
  recorded: number; // on candles that were replayed
  same: number;
  failed: number; // the strategy gave no answer then
  ofData: RecordedDecision[]; // other than on the stored candles, and the same as on those the bot saw
  differing: RecordedDecision[]; // on the very candles the bot saw: an alarm
  isDiffering: (candle: { symbol: string; candleTime: number }) => boolean;
}

/**
 * Compares every decision on record with what the strategy says on the candles that are stored, and where it is another, on those the bot
 * saw. `seen` is null where none of these differ.
 */
export function compareDecisions(
  decisions: readonly RecordedDecision[],
  stored: ReplayedFlags,
  seen: ReplayedFlags | null,
): DecisionsCompared {
  const ofData: RecordedDecision[] = [];
  const differing: RecordedDecision[] = [];
  let [recorded, same, failed] = [0, 0, 0];
  for (const decision of decisions) {
    const key = candleKey(decision);
    const replayed = stored.get(key);
    if (replayed === undefined) continue;
    recorded += 1;
    if (decision.failure !== null) failed += 1;
    else if (isSame(decision, replayed)) same += 1;
    else if (seen !== null && isSame(decision, seen.get(key))) ofData.push(decision);
    else differing.push(decision);
  }
  const keys = new Set(differing.map(candleKey));
  return { recorded, same, failed, ofData, differing, isDiffering: (candle) => keys.has(candleKey(candle)) };
}

/** Whether a decision has the flags of the replay, and was made by them: nobody enters without a signal, or overlooks one. */
function isSame(decision: RecordedDecision, replayed: Flags | undefined): boolean {
  if (replayed === undefined) return false;
  const flags = ['enterLong', 'exitLong', 'enterShort', 'exitShort'] as const;
  if (flags.some((flag) => decision[flag] !== replayed[flag])) return false;
  const wantsEntry = replayed.enterLong || replayed.enterShort;
  return wantsEntry || decision.action !== 'enter';
}
