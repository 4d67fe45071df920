import {
  adoptNeedsBot,
  adoptNeedsLess,
  closeNeedsTrade,
  differenceChanged,
  differenceEnded,
  ignoreLacksOther,
  ignoreNeedsMore,
} from '#contract/differences.ts';
import { askToAdopt } from '#storage/differences/adopted-holdings.ts';
import { askToClose } from '#storage/trades/close-asked.ts';
import type { Database } from '#storage/database.ts';
import { expectedHoldings } from '#storage/differences/differences.ts';
import type { DifferenceOutcome, FoundDifference } from '#storage/differences/found-differences.ts';
import { endFound, ignoreDifference, passOnRest } from '#storage/differences/found-differences.ts';
import { askHeldElsewhere } from '#storage/differences/held-elsewhere.ts';
import type { DifferenceChoice } from './difference-choices.ts';
import { holdingOf, mayIgnore, missingOf } from './difference-choices.ts';
import { HttpError } from '../http/http-error.ts';

/** How a difference ends by each choice. */
const outcomes = { adopt: 'adopted', ignore: 'ignored', close: 'closed' } as const;

/** A decision about a difference, with the amounts as the person has seen them. */
export interface DifferenceDecision {
  how: DifferenceChoice['how'];
  expected: number;
  actual: number;
}

/**
 * Does what a person has decided about a locked difference. `isNew` is false when it has been done before. The outcome is null where
 * the difference stays open until the account agrees.
 *
 * Fails: HttpError 400 when the choice does not fit, 409 when it has ended, or its amounts are not those the person has seen
 */
export async function resolveDifference(
  trx: Database,
  found: FoundDifference,
  { how, expected, actual }: DifferenceDecision,
  now: Date,
): Promise<{ outcome: DifferenceOutcome | null; isNew: boolean }> {
  const outcome = outcomes[how];
  if (found.outcome === outcome) return { outcome, isNew: false };
  if (found.outcome !== null) throw new HttpError(409, differenceEnded);
  // A stop without a record that was filled meanwhile has taken what is to be decided about.
  if (found.expected !== expected || found.actual !== actual || found.isStale) throw new HttpError(409, differenceChanged);
  if (how === 'ignore') {
    if (!mayIgnore(found)) throw new HttpError(400, ignoreNeedsMore);
    // Else nothing would keep the exit of that trade from asking for what is not there.
    if (found.lacksForOther) throw new HttpError(400, ignoreLacksOther);
    await ignoreDifference(trx, found);
    return { outcome, isNew: true };
  }
  const holding = holdingOf(found);
  if (holding !== null) {
    if (found.isStopped) throw new HttpError(400, adoptNeedsBot);
    const isAsked = (await isAsFound(trx, found)) && (await askToAdopt(trx, found, holding, { closes: how === 'close' }));
    if (!isAsked) throw new HttpError(409, differenceChanged);
    await endFound(trx, found, outcome);
    return { outcome, isNew: true };
  }
  const missing = missingOf(found);
  if (how === 'adopt' && (missing === null || missing <= 0)) throw new HttpError(400, adoptNeedsLess);
  if (missing === null || found.tradeId === null) throw new HttpError(400, closeNeedsTrade);
  if (!(await isAsFound(trx, found))) throw new HttpError(409, differenceChanged);
  if (missing > 0 && !(await askHeldElsewhere(trx, found.tradeId, missing, now))) throw new HttpError(409, differenceChanged);
  if (how === 'adopt') {
    await endFound(trx, found, outcome);
    await passOnRest(trx, found, missing);
    return { outcome, isNew: true };
  }
  const asked = await askToClose(trx, found.tradeId, now);
  if (asked === null) throw new HttpError(409, differenceChanged);
  if (missing <= 0) return { outcome: null, isNew: asked.isNew };
  await endFound(trx, found, outcome);
  await passOnRest(trx, found, missing);
  return { outcome, isNew: true };
}

/** Whether the trades still come to what they came to when the account was compared. */
async function isAsFound(trx: Database, { apiKeyId, marketType, symbol, expected }: FoundDifference): Promise<boolean> {
  if (apiKeyId === null) return false;
  const holding = (await expectedHoldings(trx, apiKeyId, marketType)).find((each) => each.symbol === symbol);
  return holding?.expected === expected;
}
