import { stopBacktestsOf } from '#storage/backtests/backtests.ts';
import { dropAskedBy } from '#storage/certificates/certificates.ts';
import type { Database } from '#storage/database.ts';
import { cancelStudiesOf } from '#storage/studies/studies.ts';

/** What the owner of a run reads that was ended so. */
export const endedBySuspension = 'The backtest was cancelled because the account was suspended.';

/** How much was ended, for the audit log: only what there was. */
export type EndedWork = Partial<Record<'backtests_ended' | 'studies_ended' | 'replays_ended', number>>;

/**
 * Ends what the server works on, or is about to, for a person who is suspended: backtests over one pair and several, studies, and replays of
 * days. Their bots continue, as they may hold trades.
 *
 * Needs: the account is locked, so that nothing is begun for it meanwhile
 */
export async function endWorkOf(trx: Database, userId: string): Promise<EndedWork> {
  const ended = {
    backtests_ended: await stopBacktestsOf(trx, userId, endedBySuspension),
    studies_ended: await cancelStudiesOf(trx, userId),
    replays_ended: await dropAskedBy(trx, userId),
  };
  return Object.fromEntries(Object.entries(ended).filter(([, count]) => count > 0));
}
