import { factorTexts } from '#contract/second-factors.ts';
import { dayMs } from '#engine/market/durations.ts';
import { HttpError } from '../http/http-error.ts';

/** How long a factor has to be there before it takes away what is older, in ms. */
const settlingMs = dayMs;

/**
 * Fails with 403 when a second factor that was added, or codes that were renewed, within the last day would take away what was there before. Whoever sits
 * at an open browser and knows the password may add one, and its owner is mailed: for a day it signs in, and drives nothing out.
 * `since`: when the factor that was shown was added. `goesSince`: the same of the one that goes; null where that is not known.
 */
export function refuseUnsettled({ since, goesSince, now }: { since: Date; goesSince: Date | null; now: Date }): void {
  if (now.getTime() - since.getTime() >= settlingMs) return;
  if (goesSince !== null && since.getTime() <= goesSince.getTime()) return;
  throw new HttpError(403, factorTexts.unsettled);
}
