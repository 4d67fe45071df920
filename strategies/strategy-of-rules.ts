import type { Timeframe } from '#engine/market/timeframe.ts';
import { compileRules } from '#engine/rules/compile-rules.ts';
import type { RulesDocument } from '#engine/rules/document.ts';
import { faultsOf } from '#engine/rules/faults.ts';
import type { Strategy } from '#engine/strategy/strategy.ts';

/** A version of rules as it is kept. */
export interface RulesToRun {
  hash: string; // of the document
  document: unknown; // checked when it was kept, maybe by another version of the program
}

/** Rules that cannot run where they are to, in a sentence. */
export class CannotRun extends Error {}

/** What is said of a version that this program cannot run. */
export const cannotRun = 'This version of Flotilla cannot run the strategy';

/** Strategies that are kept at a time; making one again takes a millisecond. */
const most = 500;

const known = new Map<string, Strategy>();

/** The strategy of a version of rules on candles of a timeframe; the same one each time. Fails: `CannotRun` */
export function strategyOfRules({ hash, document }: RulesToRun, timeframe: Timeframe): Strategy {
  const key = `${hash} ${timeframe}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const fault = faultAt(document, timeframe);
  if (fault !== null) throw new CannotRun(fault);
  const made = compileRules(document as RulesDocument, { timeframe });
  if (known.size >= most) known.clear();
  known.set(key, made);
  return made;
}

/** Why a version of rules cannot run on candles of a timeframe, or with these pairs at its exchange, in a sentence; null when it can. */
export function faultAt(document: unknown, timeframe: Timeframe, pairs?: readonly string[]): string | null {
  if (typeof document !== 'object' || document === null || (document as Partial<RulesDocument>).version !== 1) return cannotRun;
  try {
    const [fault] = faultsOf(document as RulesDocument, { timeframe, ...(pairs === undefined ? {} : { pairs }) });
    return fault === undefined ? null : `The rules cannot run here: ${fault.sentence}`;
  } catch (error) {
    // What another version of the program has written may lack what this one looks for.
    if (error instanceof TypeError) return cannotRun;
    throw error;
  }
}
